"""Runs a program's file operations under faults: compiles `inject.c`, and forks one child a point from a warm parent.

A `Zygote` has Python processes that have the library loaded before the C library and mdmem imported. For every point
one of them forks a child, which arms the library and runs one job; that costs milliseconds, where a fresh interpreter
costs 200.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import IO, NamedTuple, TypeVar, cast

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
PROJECT = TESTS.parent
Point = TypeVar("Point")
Result = TypeVar("Result")


class Fault(NamedTuple):
    """What happens at which file operation; `inject.c` says what the words mean."""

    at: int = 0
    do: str = "none"
    error: int = 0


NONE = Fault()


class Call(NamedTuple):
    """One line of a trace: a file operation, and what became of it."""

    number: int
    name: str
    error: int
    can: str  # c: changes what a disk holds; i, s, a: may meet EIO, ENOSPC, EACCES
    inode: int
    flags: int
    offset: int
    size: int
    path: str
    path2: str
    data: bytes

    @property
    def changes(self) -> bool:
        return "c" in self.can


class Editor(NamedTuple):
    """Somebody who saves the file while the job is under way: at operation `Fault.at` and at so many after it."""

    style: str  # one of editors.STYLES
    path: str
    times: int = 1
    fresh: bool = False  # reads the file before each save; else adds to the text of before the job
    steps: bool = False  # one step of the save at a time; else a whole save
    stalls: bool = False  # ends a save that was begun only when the job has ended; else soon


class Done(NamedTuple):
    """How a child ended."""

    signal: int  # 0: it ended by itself
    acks: list[str]  # what it told its caller before it ended
    error: dict[str, str] | None  # type, code, message, hint of what was raised
    operations: int
    saves: int  # of the editor
    held_up: int  # how often the editor was made to wait, by a lease of the pen

    @property
    def finished(self) -> bool:
        """Whether the job came to its end, without a kill and without an error."""
        return not self.signal and self.error is None


@cache
def library() -> str:
    """Compile the injector once a run, into a folder of its own; skips where there is no compiler or no Linux."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not sys.platform.startswith("linux") or not compiler:
        pytest.skip("the fault injector needs Linux and a C compiler")
    target = os.path.join(tempfile.mkdtemp(prefix="mdmem-faults-"), "inject.so")
    command = [compiler, "-O1", "-shared", "-fPIC", "-w", "-o", target, str(HERE / "inject.c"), "-ldl"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return target


def environment() -> dict[str, str]:
    """Give the environment of a process whose file operations can be made to fail."""
    paths = [str(PROJECT), str(TESTS), str(HERE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "LD_PRELOAD": library(), "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip


class Zygote:
    """Warm Python processes, one for each module of jobs, that run jobs in forked children, each under its fault.

    A fork costs more the more its parent has loaded, so each parent loads what its jobs need.
    """

    def __init__(self) -> None:
        self._parents: dict[str, subprocess.Popen[str]] = {}

    def _parent(self, module: str) -> tuple[IO[str], IO[str]]:
        """Return where a module's parent takes orders and where it answers; start it when it is first needed."""
        if module not in self._parents:
            command, pipe = [sys.executable, str(HERE / "zygote.py"), module], subprocess.PIPE
            self._parents[module] = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment(), text=True)
        process = self._parents[module]
        return cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)

    def run(self, job: str, root: Path, fault: Fault = NONE, *, watched: Path | None = None,
            trace: Path | None = None, editor: Editor | None = None) -> Done:  # fmt: skip
        """Run `module:function` on a folder; the operations below `watched` (else the folder) count."""
        order = {
            "job": job, "root": str(root), "fault": fault, "watched": str(watched or root),
            "trace": str(trace) if trace else "", "editor": editor,
        }  # fmt: skip
        orders, answers = self._parent(job.partition(":")[0])
        orders.write(json.dumps(order) + "\n")
        orders.flush()
        answer = answers.readline()
        assert answer, "the zygote died"
        return Done(**json.loads(answer))

    def close(self) -> None:
        for module, process in self._parents.items():
            for stream in self._parent(module):
                stream.close()
            process.wait(30)


class Pool:
    """A zygote for every core of this process."""

    def __init__(self, size: int) -> None:
        self._free: SimpleQueue[Zygote] = SimpleQueue()
        for _ in range(size):
            zygote = Zygote()
            atexit.register(zygote.close)
            self._free.put(zygote)
        self._size = size

    def map(self, do: Callable[[Zygote, Point], Result], points: Iterable[Point]) -> list[Result]:
        """Do something with every point, in order, on all cores at once."""

        def one(point: Point) -> Result:
            zygote = self._free.get()
            try:
                return do(zygote, point)
            finally:
                self._free.put(zygote)

        with ThreadPoolExecutor(self._size) as threads:
            return list(threads.map(one, points))

    def traced(self, job: str, root: Path) -> tuple[Done, list[Call]]:
        """Run a job undisturbed and give its file operations."""
        return self.map(lambda zygote, _: traced(zygote, job, root), [None])[0]


@cache
def pool() -> Pool:
    """Give the zygotes of this run; skips where there is no injector."""
    library()
    beside = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))  # processes of pytest that share the cores
    return Pool(max(1, (os.cpu_count() or 1) // beside))


def traced(zygote: Zygote, job: str, root: Path, *, watched: Path | None = None) -> tuple[Done, list[Call]]:
    """Run a job undisturbed and give its file operations."""
    with tempfile.TemporaryDirectory(prefix="mdmem-trace-") as folder:
        trace = Path(folder, "trace")
        done = zygote.run(job, root, watched=watched, trace=trace)
        return done, read_trace(trace)


def read_trace(path: Path) -> list[Call]:
    """Read what the library wrote down."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [_call(line.split(b"\t")) for line in lines]


def _call(fields: list[bytes]) -> Call:
    number, name, error, can, *numbers = fields[:8]
    path, path2 = (_unescaped(field) for field in fields[8:10])
    inode, flags, offset, size = map(int, numbers)
    return Call(int(number), name.decode(), int(error), can.decode(), inode, flags, offset, size, path, path2,
                bytes.fromhex(fields[10].decode()))  # fmt: skip


def _unescaped(path: bytes) -> str:
    first, *rest = path.split(b"\\x")
    return os.fsdecode(first + b"".join(bytes([int(piece[:2], 16)]) + piece[2:] for piece in rest))


@contextmanager
def fresh(tree: dict[str, bytes], *, real: bool = False) -> Iterator[Path]:
    """Make a folder `memory` with these files, in memory where the system has such a place (`real`: on the disk)."""
    fast = None if real or not os.access("/dev/shm", os.W_OK) else "/dev/shm"
    with tempfile.TemporaryDirectory(prefix="mdmem-faults-", dir=fast) as above:
        root = Path(os.path.realpath(above), "memory")
        plant(root, tree)
        yield root


def plant(root: Path, tree: dict[str, bytes]) -> None:
    """Write files below a folder; a path that ends in `/` is an empty folder."""
    root.mkdir(mode=0o700)
    for path, data in tree.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            place.mkdir(exist_ok=True)
        else:
            place.write_bytes(data)


def harvest(root: Path) -> dict[str, bytes]:
    """Read every file below a folder, as `plant` takes them; empty folders too."""
    found: dict[str, bytes] = {}
    for above, folders, names in os.walk(root):
        here = os.path.relpath(above, root)
        for name in names:
            path = name if here == "." else f"{here}/{name}"
            found[path] = (root / path).read_bytes()
        if not folders and not names and here != ".":
            found[f"{here}/"] = b""
    return found
