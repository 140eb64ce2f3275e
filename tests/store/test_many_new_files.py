"""A change of many files waits once for editors and for the disk, and is made whole or not at all."""

from __future__ import annotations

import errno
import os
import resource
import signal
from itertools import count
from pathlib import Path
from threading import Event, Thread
from unittest.mock import patch

import commands
import pytest
from forms import each
from processes import process

from mdmem.errors import WriteError
from mdmem.store import transaction
from mdmem.store.locks import locked
from mdmem.store.pen import Pen
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import Edit

WAIT = 0.03  # seconds for a file that mdmem never wrote: a tenth of `[store] stable_ms`
SETTINGS = commands.SETTINGS.replace(store=commands.SETTINGS.store._replace(stable_ms=300))


class CountedClock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self, wakes: dict[int, Path] | None = None) -> None:
        self.slept, self._calls, self._saves = 0.0, 0, wakes or {}

    def monotonic(self) -> float:
        return self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self._calls += 1
        if self._calls in self._saves:
            self._saves[self._calls].write_text("- by the editor\n", "utf-8")


def commit(root: Path, names: list[str]) -> None:
    pen = Pen(str(root), SETTINGS, lambda *_: None, lambda: commands.NOW)
    pen.commit(lambda files: made(files, names), actor="a", reason="r", paths=names)


def made(files: DraftFiles, names: list[str]) -> Edits:
    documents = {name: files[name] for name in names}
    ends = {name: len(one.text) if one else 0 for name, one in documents.items()}
    return {name: (Edit.replace(end, end, f"- by the pen in {name}\n"),) for name, end in ends.items()}


@pytest.mark.parametrize("files", [1, 40])
def test_the_wait_does_not_grow_with_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    clock = CountedClock()
    monkeypatch.setattr(transaction, "time", clock)
    names = [f"facts/{number:02}.md" for number in range(files)]
    commit(tmp_path, names)
    assert all((tmp_path / name).exists() for name in names)
    assert WAIT <= clock.slept < 2 * WAIT


def test_an_editor_that_saves_one_of_them_meanwhile_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a.md", "b.md", "c.md"]
    monkeypatch.setattr(transaction, "time", CountedClock({2: tmp_path / "c.md"}))
    commit(tmp_path, names)
    assert [(tmp_path / name).read_text("utf-8") for name in names] == [
        "- by the pen in a.md\n",
        "- by the pen in b.md\n",
        "- by the editor\n- by the pen in c.md\n",
    ]


COUNT = 40  # more than the files from which on the waits for the disk overlap
NAMES = [f"facts/{number:02}.md" for number in range(COUNT)]


def left(root: Path) -> list[str]:
    """Return the memory files, and what a change leaves beside them and in the journal."""
    folders = (root / "facts", root / ".mdmem" / "journal")
    return sorted(path.name for folder in folders if folder.exists() for path in folder.iterdir())


@pytest.mark.parametrize("call", [3, COUNT, COUNT + 20, 3 * COUNT])
def test_a_disk_that_refuses_one_of_them_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "00.md").write_text("- old\n", "utf-8")
    calls, fsync = count(1), os.fsync

    def refuse(descriptor: int) -> None:
        if next(calls) == call:
            raise OSError(errno.EIO, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(WriteError):
        commit(tmp_path, NAMES)
    monkeypatch.undo()
    assert left(tmp_path) == ["00.md"]
    assert (tmp_path / "facts" / "00.md").read_text("utf-8") == "- old\n"
    commit(tmp_path, NAMES)
    assert left(tmp_path) == sorted(f"{number:02}.md" for number in range(COUNT))


def die(root: str, call: int) -> None:
    """Make the change in a process that is killed when it asks for the disk for the n-th time."""
    calls, fsync = count(1), os.fsync

    def kill(descriptor: int) -> None:
        if next(calls) == call:
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(descriptor)

    with patch("os.fsync", kill):
        commit(Path(root), NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("call", each(2, [2, 20, COUNT, COUNT + 30, 3 * COUNT, 4 * COUNT, 5 * COUNT]))
def test_a_kill_leaves_all_or_none(tmp_path: Path, call: int) -> None:
    killed = process(die, str(tmp_path), call)
    killed.start()
    killed.join()
    Pen(str(tmp_path), SETTINGS, lambda *_: None, lambda: commands.NOW).recover()
    whole = sorted(f"{number:02}.md" for number in range(COUNT))
    assert left(tmp_path) in ([], whole)
    assert killed.exitcode == -signal.SIGKILL or left(tmp_path) == whole


def may_open_few() -> int:
    """Lower the number of files that this process may open, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = min(soft, 256)
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
    return few


def commit_with_few(root: str, files: int) -> None:
    """Make a change of many files in a process that may open few."""
    few = may_open_few()
    commit(Path(root), [f"facts/{number:03}.md" for number in range(files)])
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == few


@pytest.mark.slow
def test_more_files_than_a_process_may_open_at_first(tmp_path: Path) -> None:
    many_files = process(commit_with_few, str(tmp_path), 400)
    many_files.start()
    many_files.join()
    assert many_files.exitcode == 0
    assert len(left(tmp_path)) == 400


def change_twice_at_once(root: str, files: int) -> None:
    """Make two changes of many files in a process that may open few; the first ends while the second has its locks."""
    few = may_open_few()
    first, second = ([f"{part}/{number:03}.md" for number in range(files)] for part in ("a", "b"))
    locked_too, done = Event(), Event()

    def change() -> None:
        with Root(root) as place, locked(place, second, 10):
            locked_too.set()
            assert done.wait(10)

    other = Thread(target=change)
    with Root(root) as place, locked(place, first, 10):
        other.start()
        assert locked_too.wait(10)
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(few)]  # more than fit beside the locks of the second
    for descriptor in opened:
        os.close(descriptor)
    done.set()
    other.join()
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == few


@pytest.mark.slow
def test_a_change_that_ends_leaves_another_thread_its_open_files(tmp_path: Path) -> None:
    both = process(change_twice_at_once, str(tmp_path), 200)
    both.start()
    both.join()
    assert both.exitcode == 0
