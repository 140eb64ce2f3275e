"""Looking never waits and never follows out; making a file is whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mdmem.errors import WriteError
from mdmem.store.files import create, file_size, read_snapshot
from mdmem.store.root import Root, open_file, read

OLD, NEW = "旧\r\n".encode(), "新\r\n".encode()


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def test_what_is_no_file_is_named_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "out").symlink_to("/etc/passwd")
    (tmp_path / "lost").symlink_to("nowhere")
    (tmp_path / "in").symlink_to("fifo")
    seen = {
        name: read_snapshot(str(tmp_path / name), str(tmp_path), 10)[:3]
        for name in ("fifo", "out", "lost", "in", "no", "")
    }
    assert seen == {
        "fifo": ("fifo", 0, "none"),
        "out": ("regular", 0, "outside"),
        "lost": ("missing", 0, "dangling"),
        "in": ("fifo", 0, "inside"),
        "no": ("missing", 0, "none"),
        "": ("folder", seen[""][1], "none"),
    }


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 5000])
def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * size)
    seen = read_snapshot(str(path), str(tmp_path), 10)
    assert (seen.type, seen.size, seen.data) == ("regular", size, b"a" * size if size <= 10 else b"")


@pytest.mark.parametrize("step", ["open", "fsync", "write"])
def test_a_failing_system_call_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(WriteError, match="No space left") as caught:
        create(str(tmp_path / "USER.md"), NEW, "USER.md")
    monkeypatch.undo()
    assert str(tmp_path) not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_a_file_where_a_folder_should_be_is_an_error(memory: Path) -> None:
    with pytest.raises(WriteError, match="could not be created"):
        create(str(memory / "USER.md"), NEW, "USER.md")
    assert memory.read_bytes() == OLD


def test_create_never_touches_what_is_there(memory: Path) -> None:
    assert create(str(memory), NEW, "MEMORY.md") is False
    assert memory.read_bytes() == OLD
    made = memory.parent / "sub" / "USER.md"
    assert create(str(made), NEW, "USER.md") is True
    assert (made.read_bytes(), stat.S_IMODE(made.stat().st_mode)) == (NEW, 0o600)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has leases")
def test_a_reader_waits_for_a_writer_that_holds_a_lease(memory: Path) -> None:
    holder = (
        "import fcntl, os, signal, sys, time\n"
        "descriptor = os.open(sys.argv[1], os.O_RDWR)\n"
        "fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)\n"
        "fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
        "print('held', flush=True)\n"
        "time.sleep(0.3)\n"
    )
    for look in (_opened, _read, _seen):
        with subprocess.Popen([sys.executable, "-c", holder, str(memory)], stdout=subprocess.PIPE) as other:
            assert other.stdout
            assert other.stdout.readline() == b"held\n"
            assert look(memory) == OLD


def _opened(path: Path) -> bytes:
    with Root(str(path.parent)) as root:
        descriptor = open_file(root.place(path.name))
        try:
            return os.pread(descriptor, 100, 0)
        finally:
            os.close(descriptor)


def _read(path: Path) -> bytes:
    with Root(str(path.parent)) as root:
        version = read(root.place(path.name))
    assert version is not None
    return version.data


def _seen(path: Path) -> bytes:
    return read_snapshot(str(path), str(path.parent), 100).data


def test_a_size_that_the_system_does_not_tell_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_bytes(b"four")
    (tmp_path / "folder").mkdir()
    assert [file_size(str(tmp_path), name) for name in ("a.md", "folder", "b.md")] == [4, -1, -1]

    def refused(path: str) -> os.stat_result:
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(os, "stat", refused)
    assert file_size(str(tmp_path), "a.md") == -1
