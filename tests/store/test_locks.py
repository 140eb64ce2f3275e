"""The locks of files: one holder at a time, whatever happens to the lock file, and whoever is forked meanwhile."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mdmem.errors import LockedError, WriteError
from mdmem.store.locks import FOLDER, key, locked, was_locked
from mdmem.store.root import Root

PATH = "MEMORY.md"


def is_free(folder: Path) -> bool:
    """Return whether another process can lock the file."""
    child = os.fork()
    if child == 0:
        try:
            with Root(str(folder)) as root, locked(root, [PATH], 0):
                os._exit(0)
        except LockedError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_one_holds_a_lock_and_gives_it_back(tmp_path: Path) -> None:
    with Root(str(tmp_path)) as root:
        with locked(root, [PATH], 0):
            assert not is_free(tmp_path)
            with pytest.raises(LockedError), locked(root, [PATH], 0):
                pass
        assert is_free(tmp_path)


def test_a_forked_child_does_not_unlock_what_its_parent_holds(tmp_path: Path) -> None:
    with Root(str(tmp_path)) as root, locked(root, [PATH], 0):
        held = locked(root, ["USER.md"], 0)
        held.__enter__()
        child = os.fork()
        if child == 0:
            held.__exit__(None, None, None)
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(LockedError), locked(root, ["USER.md"], 0):
            pass
        held.__exit__(None, None, None)
        with locked(root, ["USER.md"], 0):
            pass


def test_a_lock_file_that_was_deleted_while_one_waited_is_no_lock(tmp_path: Path) -> None:
    """A waiting process that gets the lock of a file without a name would not exclude the next one."""
    with Root(str(tmp_path)) as root:
        name = tmp_path / FOLDER / key(PATH)
        with locked(root, [PATH], 0):
            child = os.fork()
            if child == 0:
                with Root(str(tmp_path)) as own, locked(own, [PATH], 5):
                    os._exit(0 if name.exists() else 1)
            time.sleep(0.2)  # until it waits
            name.unlink()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_lock_that_cannot_be_looked_at_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.stat

    def refused(path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        if path == key(PATH):
            raise PermissionError(13, "Permission denied")
        return found(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)

    with Root(str(tmp_path)) as root:
        with locked(root, [PATH], 0):
            pass
        monkeypatch.setattr("mdmem.store.locks.os.stat", refused)
        with pytest.raises(WriteError, match="could not be locked: Permission denied"):
            was_locked(root, PATH)
