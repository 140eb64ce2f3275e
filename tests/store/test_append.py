"""Appending to a log: nothing torn passes for whole, no writer and no editor takes a record away."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import commands
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import process

from mdmem.errors import UnreadableFileError, WriteError
from mdmem.store.append import AppendIntent, write_note
from mdmem.store.files import BackwardReader, read_backwards
from mdmem.store.root import Root

LOG = "log.md"
HEAD = b"# Log\n"


def say(root: Path, text: str) -> int:
    return commands.pen(str(root)).append(LOG, lambda _: f"{text}\n".encode()).size


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / LOG).write_bytes(HEAD)
    return tmp_path


def writer(root: str, number: int, each: int) -> None:
    for entry in range(each):
        say(Path(root), f"writer {number} entry {entry} " + "x" * 200)


@pytest.mark.slow
def test_writers_at_once(root: Path) -> None:
    """Four processes, fifty records each: every one is there once, whole, and in its writer's order."""
    writers = [process(writer, str(root), number, 50) for number in range(4)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(120)
    assert [one.exitcode for one in writers] == [0] * 4
    lines = (root / LOG).read_text().splitlines()[1:]
    assert sorted(lines) == sorted(f"writer {n} entry {e} " + "x" * 200 for n in range(4) for e in range(50))
    for number in range(4):
        own = [line for line in lines if line.startswith(f"writer {number} ")]
        assert own == sorted(own, key=lambda line: int(line.split()[3]))


def test_recovery_beside_a_writer(root: Path) -> None:
    """Recovery takes no record from a writer at work, whenever it looks."""
    stop = threading.Event()

    def recover() -> None:
        while not stop.is_set():
            commands.pen(str(root)).recover()

    beside = threading.Thread(target=recover)
    beside.start()
    try:
        for number in range(100):
            say(root, f"### 1 user 10:00 {number}")
    finally:
        stop.set()
        beside.join()
    assert (root / LOG).read_text().splitlines()[1:] == [f"### 1 user 10:00 {number}" for number in range(100)]


def test_an_editor_that_renames_over_it(root: Path) -> None:
    """A record goes into the file that has the name, however often an editor puts another one there."""
    stop = threading.Event()

    def save() -> None:
        while not stop.is_set():
            aside = root / "aside"
            aside.write_bytes((root / LOG).read_bytes())  # as it is: what the editor sees is what it saves
            aside.rename(root / LOG)
            time.sleep(0.001)

    seen = []
    editor = threading.Thread(target=save)
    editor.start()
    try:
        for number in range(100):
            say(root, f"record {number}")
            seen.append(number)
    finally:
        stop.set()
        editor.join()
    text = (root / LOG).read_text()
    assert text.startswith("# Log\n")
    assert set(text.splitlines()) <= {"# Log", *(f"record {number}" for number in seen)}
    # an editor that had loaded the text before a record came may save over that one, and only over that one
    say(root, "last")
    assert (root / LOG).read_text().endswith("last\n")


def test_an_editor_between_open_and_write(root: Path) -> None:
    """An editor that renames over the file while a record is made is not written past."""
    calls = 0

    def make(_: Iterator[BackwardReader]) -> bytes:
        nonlocal calls
        calls += 1
        if calls == 1:
            (root / "aside").write_bytes(b"# Log, edited\n")
            (root / "aside").rename(root / LOG)
        return b"record\n"

    commands.pen(str(root)).append(LOG, make)
    assert (root / LOG).read_bytes() == b"# Log, edited\nrecord\n"
    assert calls == 2


def test_a_file_without_a_final_newline(root: Path) -> None:
    """What a person ended without a newline is whole, and gets one."""
    (root / LOG).write_bytes("# Log\n\n最后一行".encode())
    done = commands.pen(str(root)).append(LOG, lambda _: b"record\n")
    assert done.torn is None
    assert (root / LOG).read_bytes() == "# Log\n\n最后一行\nrecord\n".encode()


@pytest.mark.parametrize("cut", [1, 2, 5, 20, 30])
def test_half_a_record_is_set_aside(root: Path, cut: int) -> None:
    """What a crash left of a record leaves the file, and both versions stand in the history."""
    record = "\n### 2 user 10:01\n\n一二三\n\n四五六\n".encode()
    (root / LOG).write_bytes(HEAD + record[:cut])
    say_note(root, record)
    done = commands.pen(str(root)).append(LOG, lambda _: b"record\n")
    assert done.torn is not None
    assert (root / LOG).read_bytes() == HEAD + b"record\n"
    kept = [path.read_bytes() for path in (root / ".mdmem/history/objects").iterdir()]
    assert HEAD + record[:cut] in kept


@pytest.mark.parametrize("tail", [b"\0" * 4, "中".encode()[:1], "中".encode()[:2], "😀".encode()[:3], b"x\0\0"])
def test_what_a_power_cut_leaves_is_set_aside(root: Path, tail: bytes) -> None:
    """Half a character, or a run of NULs, is no text that a person wrote."""
    (root / LOG).write_bytes(HEAD + tail)
    done = commands.pen(str(root)).append(LOG, lambda _: b"record\n")
    assert done.torn is not None
    assert (root / LOG).read_bytes() == HEAD + (b"x\n" if tail[:1] == b"x" else b"") + b"record\n"


def test_a_note_of_another_text_means_nothing(root: Path) -> None:
    """A person who has edited the file since is not taken for a crash."""
    say_note(root, b"\n### 2 user 10:01\n\nlong\n")
    (root / LOG).write_bytes(HEAD + b"my own words\n")
    assert commands.pen(str(root)).append(LOG, lambda _: b"record\n").torn is None
    assert (root / LOG).read_bytes() == HEAD + b"my own words\nrecord\n"


def say_note(root: Path, record: bytes) -> None:
    found = (root / LOG).stat()
    with Root(str(root)) as opened:
        head = record.lstrip(b"\n").partition(b"\n")[0].decode()
        write_note(opened, AppendIntent(LOG, len(HEAD), len(record), head, (found.st_dev, found.st_ino)))


def test_what_is_no_file(root: Path) -> None:
    """A missing file, a FIFO and a link that leaves are refused, and named without the host's path."""
    os.mkfifo(root / "fifo.md")
    (root / "out.md").symlink_to("/etc/hostname")
    for path in ("gone.md", "no/gone.md", "fifo.md", "out.md", "../x.md"):
        with pytest.raises(UnreadableFileError) as raised:
            commands.pen(str(root)).append(path, lambda _: b"x\n")
        assert str(root) not in str(raised.value)


def test_a_full_file(root: Path) -> None:
    """A file that would grow beyond what a memory may have is left as it is."""
    with pytest.raises(WriteError):
        commands.pen(str(root)).append(LOG, lambda _: b"x" * commands.SETTINGS.lint.max_bytes)
    assert (root / LOG).read_bytes() == HEAD


@given(st.binary(max_size=200), st.integers(1, 9))
def test_tails_are_the_end_of_a_file(data: bytes, first: int) -> None:
    """Each piece is the end of the file, longer than the one before, and the last is the whole."""
    from mdmem.store import files

    descriptor = os.memfd_create("tail") if hasattr(os, "memfd_create") else pytest.skip("no memfd")
    try:
        os.write(descriptor, data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(files, "_FIRST", first)
            found = list(read_backwards(descriptor, len(data)))
    finally:
        os.close(descriptor)
    assert all(data[one.start :] == one.data for one in found)
    assert found[-1] == BackwardReader(data, 0)
    assert sorted({len(one.data) for one in found}) == [len(one.data) for one in found]
