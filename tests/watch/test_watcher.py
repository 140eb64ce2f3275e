"""What a watcher tells: each save once, however it is done, and nothing else; the folder may come and go."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path
from threading import Event, Thread, Timer
from unittest.mock import Mock

import pytest

from mdmem.errors import UnreadableFileError
from mdmem.settings.tables import WatchSettings
from mdmem.watch import events
from mdmem.watch.watcher import Batch, WatchedFiles, Watcher, wait_for

from .saves import SAVES, Save

# watchdog warns of a race of its own, which harms nothing, when folders are made quickly
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")]

MANY = 2000  # saves, in some twenty seconds
LONG = 20.0  # seconds; nothing here waits for their end
NEW = b"one\ntwo \xe8\xae\xb0\n"


@pytest.mark.parametrize("save", SAVES, ids=lambda save: save.__name__)
@pytest.mark.parametrize("name", ["MEMORY.md", "memory/2026-02-20.md"])
def test_every_way_of_saving_is_one_change(watcher: Watcher, root: Path, save: Save, name: str) -> None:
    save(root / name, NEW)
    assert watcher.wait(LONG) == Batch(changed=(name,))
    assert (root / name).read_bytes() == NEW
    assert watcher.wait(0.1) == Batch()


def test_new_removed_and_moved_files(watcher: Watcher, root: Path) -> None:
    (root / "USER.md").write_bytes(b"x")
    assert watcher.wait(LONG) == Batch(changed=("USER.md",))
    (root / "USER.md").rename(root / "memory" / "SOUL.md")
    assert watcher.wait(LONG) == Batch(changed=("memory/SOUL.md",), gone=("USER.md",))
    (root / "memory" / "SOUL.md").rename(root.parent / "out.md")
    assert watcher.wait(LONG) == Batch(gone=("memory/SOUL.md",))
    (root.parent / "out.md").rename(root / "SOUL.md")
    assert watcher.wait(LONG) == Batch(changed=("SOUL.md",))
    (root / "SOUL.md").unlink()
    assert watcher.wait(LONG) == Batch(gone=("SOUL.md",))


def test_whole_folders_come_go_and_move(watcher: Watcher, root: Path) -> None:
    deep = root / "agents" / "year" / "notes"
    deep.mkdir(parents=True)
    (deep / "MEMORY.md").write_bytes(b"x")
    assert watcher.wait(LONG) == Batch(changed=("agents/year/notes/MEMORY.md",))
    (root / "agents").rename(root / "others")
    assert watcher.wait(LONG) == Batch(("others/year/notes/MEMORY.md",), ("agents/year/notes/MEMORY.md",))
    (root / "others" / "year" / "notes" / "MEMORY.md").write_bytes(b"xy")
    assert watcher.wait(LONG) == Batch(changed=("others/year/notes/MEMORY.md",))
    shutil.rmtree(root / "others")
    assert watcher.wait(LONG) == Batch(gone=("others/year/notes/MEMORY.md",))


@pytest.mark.thorough
def test_what_is_nobodys_memory_is_silent(watcher: Watcher, root: Path) -> None:
    (root / ".gitignore").write_bytes(b"build/\nnot-this.md\n")
    for folder in (".mdmem/history", ".git", "node_modules/x", "build"):
        (root / folder).mkdir(parents=True)
        (root / folder / "MEMORY.md").write_bytes(b"x")
    for name in ("main.py", ".MEMORY.md.swp", "4913", "MEMORY.md~", ".MEMORY.md.0123.mdmem", "not-this.md"):
        (root / name).write_bytes(b"x")
    (root / ".#MEMORY.md").symlink_to("me@here.1:2")
    (root / "MEMORY.md").read_bytes()
    assert watcher.wait(1.5) == Batch()


def test_a_file_that_is_saved_all_the_time_is_told_of_all_the_same(watcher: Watcher, root: Path) -> None:
    told, saves = Event(), 0

    def write() -> None:
        nonlocal saves
        while not told.wait(0.01) and saves < MANY:
            (root / "MEMORY.md").write_bytes(os.urandom(8))
            saves += 1

    writer = Thread(target=write)
    writer.start()
    assert watcher.wait(LONG) == Batch(changed=("MEMORY.md",))
    told.set()
    writer.join()
    assert saves < MANY, "told of while it was still saved"


def test_many_saves_are_one_batch(watcher: Watcher, root: Path) -> None:
    names = tuple(sorted(f"memory/2026-01-{day:02}.md" for day in range(1, 32)))
    for name in names:
        (root / name).write_bytes(b"x")
    found: set[str] = set()
    while len(found) < len(names):
        batch = watcher.wait(LONG)
        assert batch
        assert not found & {*batch.changed}
        found |= {*batch.changed}
    assert tuple(sorted(found)) == names


@pytest.mark.thorough
def test_a_flood_of_hints_ends_in_one_look(watcher: Watcher, root: Path) -> None:
    for number in range(3000):
        (root / "memory" / f"{number}.md").write_bytes(b"x")
    found: set[str] = set()
    while len(found) < 3000:
        batch = watcher.wait(LONG)
        assert batch is not None
        assert batch.changed, "a file was lost"
        found |= {*batch.changed}


@pytest.mark.parametrize("how", ["removed", "moved away", "replaced at once"])
def test_a_folder_that_goes_is_told_and_one_that_returns_is_watched_again(
    watcher: Watcher, root: Path, files: WatchedFiles, numbers: WatchSettings, how: str
) -> None:
    if how == "removed":
        shutil.rmtree(root)
    else:
        root.rename(root.parent / "away")
    if how == "replaced at once":
        root.mkdir()
    while (batch := watcher.wait(LONG)) is not None:
        assert batch.gone
        assert not batch.changed
    if how != "replaced at once":
        Timer(0.2, root.mkdir).start()
        assert wait_for(str(root), 0.05)
    with Watcher(str(root), files, numbers, poll=watcher.polling) as again:
        (root / "MEMORY.md").write_bytes(b"x")
        assert again.wait(LONG) == Batch(changed=("MEMORY.md",))


def test_a_folder_that_is_not_there_is_an_error(root: Path, files: WatchedFiles, numbers: WatchSettings) -> None:
    with pytest.raises(UnreadableFileError), Watcher(f"{root}/no", files, numbers):
        pass


def test_a_root_that_is_a_link_is_watched_where_it_leads(
    root: Path, files: WatchedFiles, numbers: WatchSettings
) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    with Watcher(str(link), files, numbers) as watcher:
        (root / "MEMORY.md").write_bytes(b"x")
        assert watcher.wait(LONG) == Batch(changed=("MEMORY.md",))


def test_without_events_it_polls(
    root: Path, files: WatchedFiles, numbers: WatchSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def __init__(self) -> None:
            raise OSError(28, "inotify watch limit reached")

    monkeypatch.setattr(events, "Observer", Full)
    with Watcher(str(root), files, numbers) as watcher:
        assert watcher.polling
        (root / "MEMORY.md").write_bytes(b"x")
        assert watcher.wait(LONG) == Batch(changed=("MEMORY.md",))


def test_what_the_events_miss_a_later_look_finds(
    root: Path, files: WatchedFiles, numbers: WatchSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "Observer", Mock)  # it starts, and tells nothing
    with Watcher(str(root), files, numbers._replace(rescan_seconds=1)) as watcher:
        assert not watcher.polling
        (root / "MEMORY.md").write_bytes(b"x")
        assert watcher.wait(LONG) == Batch(changed=("MEMORY.md",))


def test_what_the_events_lost_is_looked_for(tmp_path: Path) -> None:
    hints: list[str | None] = []
    watched = events.Events(str(tmp_path), lambda _: True, frozenset(), hints.append)
    try:
        logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")
    finally:
        watched.stop()
    assert None in hints
