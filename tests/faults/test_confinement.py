"""Nothing outside the folder is opened, whatever a path says and whoever swaps a link in."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import commands
import pytest
from injector import Call, Done, Pool, Zygote, fresh, harvest, pool, read_trace

SECRET = b"# outside\n\n- not for you\n"


@pytest.fixture(scope="module")
def zygotes() -> Pool:
    return pool()


@pytest.fixture
def memory() -> Iterator[Path]:
    """Give a memory folder with a folder beside it that is nobody's business."""
    with fresh({"MEMORY.md": commands.OLD, "facts/tea.md": b"# tea\n"}) as root:
        outside = root.parent / "outside"
        outside.mkdir()
        (outside / "MEMORY.md").write_bytes(SECRET)
        (outside / "tea.md").write_bytes(SECRET)
        yield root


TOUCHES = {"open", "list", "write", "rename", "link", "unlink", "mkdir"}


def write(zygotes: Pool, root: Path, path: str) -> tuple[Done, list[Call]]:
    """Add an entry to a path, and give every operation outside the folder, wherever it came from."""
    (root.parent / "path").write_text(path, "utf-8", "surrogateescape")

    def run(zygote: Zygote, _: None) -> tuple[Done, list[Call]]:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder, "trace")
            done = zygote.run("commands:append_to", root, watched=root.parent, trace=trace)
            return done, read_trace(trace)

    return zygotes.map(run, [None])[0]


def outside(root: Path, trace: list[Call]) -> list[str]:
    """Give what was opened, made, renamed or removed outside the folder."""
    above, inside, order = str(root.parent), str(root), str(root.parent / "path")
    return [
        f"{call.name} {path.removeprefix(above)}"
        for call in trace for path in (call.path, call.path2)
        if path not in ("", order) and not call.error and call.name in TOUCHES
        and os.path.normpath(path) != inside and not os.path.normpath(path).startswith(f"{inside}/")
    ]  # fmt: skip


LEADS_OUT = [
    "../outside/MEMORY.md", "facts/../../outside/MEMORY.md", "/etc/passwd", "{outside}/MEMORY.md",
    "./../outside/MEMORY.md", "facts/..\\..\\outside", "facts//../../outside/MEMORY.md", "..", "", ".", "facts/..",
    "a\0b", "\0",
]  # fmt: skip


@pytest.mark.parametrize("path", LEADS_OUT)
def test_no_path_leads_out(zygotes: Pool, memory: Path, path: str) -> None:
    before = harvest(memory.parent / "outside")
    given = path.replace("{outside}", str(memory.parent / "outside"))
    done, trace = write(zygotes, memory, given)
    assert outside(memory, trace) == []
    assert harvest(memory.parent / "outside") == before
    if "\\" not in path:  # which is a letter like any other here
        assert done.error, done
        assert done.error["code"], done
        assert str(memory.parent) not in done.error["message"].replace(given, "") + done.error["hint"]


LINKS = {
    "file": ("MEMORY.md", "{outside}/MEMORY.md"),
    "relative file": ("MEMORY.md", "../outside/MEMORY.md"),
    "folder": ("facts", "{outside}"),
    "relative folder": ("facts", "../outside"),
    "folder above itself": ("facts", ".."),
    "link to link": ("facts", "facts2"),
    "circle": ("facts", "facts"),
    "state folder": (".mdmem", "{outside}"),
    "dangling": ("MEMORY.md", "{outside}/new.md"),
}


@pytest.mark.parametrize("name", LINKS)
def test_no_symbolic_link_leads_out(zygotes: Pool, memory: Path, name: str) -> None:
    where, target = LINKS[name]
    place, beside = memory / where, memory.parent / "outside"
    before = harvest(beside)
    if place.is_dir():
        place.rename(memory / "was")
    place.unlink(missing_ok=True)
    place.symlink_to(target.replace("{outside}", str(beside)))
    (memory / "facts2").symlink_to(beside)
    done, trace = write(zygotes, memory, "MEMORY.md" if where in ("MEMORY.md", ".mdmem") else "facts/tea.md")
    assert outside(memory, trace) == []
    assert harvest(beside) == before
    assert done.error, done
    assert done.error["code"], done
    assert str(memory.parent) not in done.error["message"] + done.error["hint"]


SWAP = """
import ctypes, os, sys
one, other = map(os.fsencode, sys.argv[1:])
while True:  # the folder, then a link that leads out, then the folder again, as fast as it goes
    ctypes.CDLL(None).renameat2(-100, one, -100, other, 2)
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_a_link_swapped_in_during_the_call_leads_nowhere(zygotes: Pool, memory: Path) -> None:
    beside = memory.parent / "outside"
    before = harvest(beside)
    (memory / "link").symlink_to(beside)
    swapping = subprocess.Popen([sys.executable, "-c", SWAP, *(str(memory / n) for n in ("facts", "link"))])
    outcomes = set()
    try:
        for _ in range(150):
            done, trace = write(zygotes, memory, "facts/tea.md")
            outcomes.add(done.error["code"] if done.error else "written")
            assert outside(memory, trace) == []
            assert not done.error or done.error["code"], done
    finally:
        swapping.kill()
        swapping.wait()
    assert harvest(beside) == before
    assert "written" in outcomes
    assert len(outcomes) > 1, "the swap never came in between"


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "socket"])
def test_what_is_no_file_is_refused_and_never_waited_for(zygotes: Pool, memory: Path, kind: str) -> None:
    path = memory / "MEMORY.md"
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    else:
        with contextlib.suppress(PermissionError):
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        if not path.exists():
            pytest.skip("no right to make a device")
    done, _ = write(zygotes, memory, "MEMORY.md")
    assert not done.signal
    assert done.error, done
    assert done.error["code"], done


def test_a_hard_link_elsewhere_keeps_its_text(zygotes: Pool, memory: Path) -> None:
    """A file that has a second name outside gets a file of its own; the other name keeps the old text."""
    other = memory.parent / "outside" / "linked.md"
    other.hardlink_to(memory / "MEMORY.md")
    done, _ = write(zygotes, memory, "MEMORY.md")
    assert other.read_bytes() == commands.OLD
    assert done.finished
    assert b"one more entry" in (memory / "MEMORY.md").read_bytes()


ODD = ["nul.md", "aux", "CON.md", "记忆 🧠.md", "e\u0301.md", "\u202egnp.md", "-rf.md", " .md", "a b.md", "~", "*.md",
       "x" * 250 + ".md", "new\nline.md", "tab\t.md", "\udcff.md", "$(touch x).md", "....md", "．．/x.md"]  # fmt: skip


@pytest.mark.parametrize("name", ODD, ids=range(len(ODD)))
def test_odd_names_are_written_as_they_are_or_refused(zygotes: Pool, memory: Path, name: str) -> None:
    done, trace = write(zygotes, memory, name)
    assert outside(memory, trace) == []
    if done.error:
        assert done.error["code"], done
    else:
        assert (memory / name).read_bytes().decode().count(commands.ENTRY) == 1


def test_mode_owner_and_attributes_survive(zygotes: Pool, memory: Path) -> None:
    path = memory / "MEMORY.md"
    path.chmod(0o2640 if os.geteuid() == 0 else 0o640)
    if os.geteuid() == 0:
        os.chown(path, 1234, 5678)
        path.chmod(0o640)
    with contextlib.suppress(OSError):
        os.setxattr(path, "user.note", b"mine")
    before, attributes = path.stat(), {name: os.getxattr(path, name) for name in os.listxattr(path)}
    done, _ = write(zygotes, memory, "MEMORY.md")
    after = path.stat()
    assert done.finished
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == attributes


def test_every_open_follows_no_link_and_every_new_file_is_new(zygotes: Pool, memory: Path) -> None:
    """The races that no test can win for sure are won by flags: O_NOFOLLOW, and O_EXCL where a file is made."""
    _, trace = write(zygotes, memory, "facts/tea.md")
    opened = [call for call in trace if call.name == "open" and call.path.startswith(f"{memory}/")]
    assert opened
    assert [call.path for call in opened if not call.flags & (os.O_NOFOLLOW | os.O_EXCL)] == []
    shared = (".mdmem/locks/", ".mdmem/history/log", ".mdmem/history/pruned")  # others may have made them first
    made = [
        call
        for call in opened
        if call.flags & os.O_CREAT and not call.path.removeprefix(f"{memory}/").startswith(shared)
    ]
    assert made
    assert [call.path for call in made if not call.flags & os.O_EXCL] == []


def test_what_mdmem_makes_is_for_its_owner_alone(zygotes: Pool, memory: Path) -> None:
    there = set(memory.rglob("*"))
    assert write(zygotes, memory, "sessions/2026/one.md")[0].finished
    made = set(memory.rglob("*")) - there
    modes = {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in made if path.is_dir()} == {0o700}
