"""What a look and a write cost beside what they must cost. Not a test: run it with `python tests/bench/bench_hands.py`.

Every row has its floor, measured in the same run: a warm lint, a parse by markdown-it-py as it comes, a durable
replacement and a durable line, a slow digest. CPU time, but where the disk is waited for.
`--sessions`, `--changes` and `--kilobytes` say how much there is to look at.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench_lint import WORDS, memory_file

from mdmem.entries.tombstones import PATH, Tombstones
from mdmem.store.history.versions import LOG, OBJECTS, Transaction, WrittenFile, fingerprint
from mdmem.workspace import Workspace

_WRITERS = 8
_TIMES = 7
_LINE = "2026-02-13：主人说周五有重要面试，要提前一天提醒"


def spent(work: Callable[[], object], clock: Callable[[], float] = time.process_time, times: int = _TIMES) -> float:
    """Give the middle of the seconds that some calls took."""
    found = []
    for _ in range(times):
        begin = clock()
        work()
        found.append(clock() - begin)
    return statistics.median(found)


def row(name: str, seconds: float, floor: str, base: float) -> None:
    """Print a row: what it took, what it must take, and how many times that is."""
    print(f"{name:44} {seconds * 1e3:9.2f} ms   {seconds / base:6.2f} × {floor} ({base * 1e3:.2f} ms)")


def folder(top: Path, name: str) -> Path:
    """Make a workspace in Chinese."""
    made = top / name
    made.mkdir()
    (made / "mdmem.toml").write_text('lang = "zh"\n')
    return made


def looks(top: Path, count: int) -> None:
    """Print what status and a kept workspace cost beside a warm lint."""
    root = folder(top, "sessions")
    session = Workspace(root).sessions.start("harbour")
    session.turn("user", _LINE)
    text = (root / session.path).read_text("utf-8")
    for number in range(count):
        day = f"{2020 + number // 336:04d}{number // 28 % 12 + 1:02d}{number % 28 + 1:02d}"
        (root / "sessions" / f"{day}_100000_harbour{number}.md").write_text(text, "utf-8")
    kept = Workspace(root)
    _ = kept.config.settings
    Workspace(root).lint()
    once = spent(lambda: kept.lint(), times=1)
    lint = spent(lambda: Workspace(root).lint())
    row(f"status, {count} sessions", spent(lambda: Workspace(root).status()), "a warm lint", lint)
    row("a kept Workspace, first lint after another's", once, "a warm lint", lint)
    row("a kept Workspace linting again", spent(lambda: kept.lint()), "a warm lint", lint)


def adds(top: Path, kilobytes: int) -> None:
    """Print what an add costs, to a large file, a small one, and one of too many lines."""
    from markdown_it import MarkdownIt

    root = folder(top, "adds")
    text = memory_file(random.Random(5), kilobytes * 700)
    (root / "MEMORY.md").write_text(text, "utf-8")
    bare = spent(lambda: MarkdownIt("commonmark").parse(text))
    name = f"memory_add, a file of {len(text.encode()) // 1000} kB"
    kept = Workspace(root)
    adding(kept)
    row(f"{name}, a kept Workspace", spent(lambda: adding(kept)), "a bare parse", bare)
    row(f"{name}, a new one", spent(lambda: adding(Workspace(root))), "a bare parse", bare)
    lines = folder(top, "lines")
    (lines / "MEMORY.md").write_text("# 🧠 记忆\n\n## 笔记\n\n" + f"- {_LINE}\n" * 10_001, "utf-8")
    row("memory_add, a file of 10,005 lines: refused", spent(lambda: adding(Workspace(lines))), "a bare parse", bare)
    small = folder(top, "small")
    kept = Workspace(small)
    adding(kept)
    replaced = replacing(top)
    base = spent(lambda: durable(replaced), time.perf_counter, 50)
    row("memory_add, a small file, wall", spent(lambda: adding(kept), time.perf_counter, 50), "file and log", base)


def adding(work: Workspace) -> None:
    """Add an entry as an agent does."""
    given = {"path": "MEMORY.md", "section": "笔记", "content": f"{_LINE} {os.urandom(6).hex()}"}
    work.call("memory_add", given, actor="ada")


def replacing(top: Path) -> int:
    """Give a folder, open, with a file and a log."""
    (top / "floor").mkdir(exist_ok=True)
    return os.open(top / "floor", os.O_RDONLY)


def durable(where: int) -> None:
    """Replace a file and add a line to a log, durably: what any pen with a journal must do, and nothing else."""
    for name, flags in (("new", os.O_CREAT | os.O_TRUNC), ("log", os.O_CREAT | os.O_APPEND)):
        descriptor = os.open(name, os.O_WRONLY | flags, 0o600, dir_fd=where)
        os.write(descriptor, f"- {_LINE}\n".encode() * (20 if name == "new" else 1))
        os.fsync(descriptor)
        os.close(descriptor)
        if name == "new":
            os.rename("new", "file", src_dir_fd=where, dst_dir_fd=where)
            os.fsync(where)


def past(top: Path, count: int) -> None:
    """Print what the history costs: the newest changes, and forgetting."""
    root = folder(top, "past")
    work = Workspace(root)
    adding(work)
    lines, before = [], None
    for number in range(count):
        data = f"# 笔记\n\n- {_LINE} {number}\n".encode()
        after = fingerprint(data)
        (root / OBJECTS / after).write_bytes(data)
        name, at = f"20260101T000000-{number:08x}", "2026-01-01T00:00:00+08:00"
        lines.append(Transaction(name, at, "ada", "add", (WrittenFile("NOTES.md", before, after),)).line())
        before = after
    with (root / LOG).open("ab") as log:
        log.write(b"".join(lines))
    one = digest()
    print(f"{f'log(limit=20), {count} changes':44} {spent(lambda: work.history.log(limit=20)) * 1e3:9.2f} ms")

    def forgetting() -> float:
        secret = os.urandom(6).hex()
        work.add("MEMORY.md", [f"2026-01-01：{secret}"], section="笔记")
        return spent(lambda: work.forget(secret), times=1)

    row(f"forget, {count} changes", statistics.median(forgetting() for _ in range(3)), "its 2 slow digests", 2 * one)


def digest() -> float:
    """Give the seconds of the slow digest of a tombstone."""
    return spent(lambda: hashlib.scrypt(b"x", salt=b"1" * 16, n=1 << 14, r=8, p=1, dklen=16))


def tombstones(top: Path) -> None:
    """Print what an agent's add costs where 46 texts were forgotten: slow digests, and the rest."""
    root, chance, one = folder(top, "forgotten"), random.Random(3), digest()
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(3, 12))) for _ in range(46)]
    (root / PATH).parent.mkdir()
    (root / PATH).write_text("# 已忘记\n\n" + "\n".join(Tombstones(None).lines(texts, "2026-01-01")) + "\n", "utf-8")
    work, slow, whole, rest = Workspace(root), hashlib.scrypt, [], []
    digests: list[float] = []

    def timed(password: bytes, **how: Any) -> bytes:
        begin = time.process_time()
        found = slow(password, **how)
        digests.append(time.process_time() - begin)
        return found

    hashlib.scrypt = timed  # type: ignore[assignment]
    for _ in range(12):
        digests.clear()
        text = " ".join(chance.choices(WORDS, k=14))
        adds = partial(work.add, "MEMORY.md", [text], section="笔记", actor="ada")
        whole.append(spent(adds, times=1))
        rest.append(whole[-1] - sum(digests))
    hashlib.scrypt = slow
    row("an agent's add, 46 tombstones", statistics.median(whole), "a slow digest", one)
    print(f"{'  of that, without its slow digests':44} {statistics.median(rest) * 1e3:9.2f} ms")


def writers(top: Path, count: int) -> None:
    """Print how many adds a second eight processes make in one file, beside eight that do the least."""
    rates = {}
    for what in ("floor", "add"):
        place = folder(top, f"writers-{what}")
        command = [sys.executable, __file__, "--writer", what, "--folder", str(place), "--count", str(count)]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(_WRITERS)]
        while len(list(place.glob("*.ready"))) < _WRITERS:
            time.sleep(0.01)
        begin = time.perf_counter()
        (place / "go").touch()
        for one in running:
            one.communicate()
        rates[what] = _WRITERS * count / (time.perf_counter() - begin)
    ratio = rates["add"] / rates["floor"]
    name = f"{_WRITERS} writers of one file"
    print(
        f"{name:44} {rates['add']:9.0f} /s   {ratio:6.2f} of {_WRITERS} that only replace it ({rates['floor']:.0f} /s)"
    )


def write(what: str, place: Path, count: int) -> None:
    """Be one of the writers."""
    work, where = Workspace(place), replacing(place)

    def least() -> None:
        lock = os.open(place / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        durable(where)
        os.close(lock)

    do = least if what == "floor" else lambda: adding(work)
    do()
    (place / f"{os.getpid()}.ready").touch()
    while not (place / "go").exists():
        time.sleep(0.001)
    for _ in range(count):
        do()


def main() -> None:
    """Print the table, or be one of the writers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--kilobytes", type=int, default=200)
    parser.add_argument("--count", type=int, default=25, help="adds of each of the eight writers")
    parser.add_argument("--writer", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.writer:
        write(given.writer, given.folder, given.count)
        return
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = f"{name}/cache"
        looks(Path(name), given.sessions)
        adds(Path(name), given.kilobytes)
        past(Path(name), given.changes)
        tombstones(Path(name))
        writers(Path(name), given.count)


if __name__ == "__main__":
    main()
