"""Every way in which editors and tools save a file, as they do it, down to the system call where they are not here."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Save = Callable[[Path, bytes], None]


def truncate(path: Path, data: bytes) -> None:
    """Write in place, as VS Code, nano and `>` do."""
    path.write_bytes(data)


def rewrite(path: Path, data: bytes) -> None:
    """Write in place without truncating first, then cut."""
    with path.open("r+b") as stream:
        stream.write(data)
        stream.truncate()


def slowly(path: Path, data: bytes) -> None:
    """Truncate, write a piece, write the rest."""
    with path.open("wb", buffering=0) as stream:
        stream.write(data[:3])
        stream.write(data[3:])


def append(path: Path, data: bytes) -> None:
    """Append, as `>>` does; the data is what is there and more."""
    with path.open("ab") as stream:
        stream.write(data[len(path.read_bytes()) :])


def rename_over(path: Path, data: bytes) -> None:
    """Write a temporary and rename it over the file: agents' edit tools, gedit, `sed -i`."""
    aside = path.with_name(f".{path.name}.tmp")
    aside.write_bytes(data)
    aside.replace(path)


def rename_from_elsewhere(path: Path, data: bytes) -> None:
    """Rename a file of another folder over it."""
    aside = path.parent.parent / "elsewhere.tmp"
    aside.write_bytes(data)
    aside.replace(path)


def rename_away(path: Path, data: bytes) -> None:
    """Rename the old one to a backup and write a new one: vim with `backupcopy=no`, Emacs."""
    path.rename(path.with_name(f"{path.name}~"))
    path.write_bytes(data)


def rename_away_and_remove(path: Path, data: bytes) -> None:
    """The same, and the backup is removed."""
    rename_away(path, data)
    path.with_name(f"{path.name}~").unlink()


def emacs(path: Path, data: bytes) -> None:
    """Emacs: a lock that is a link to nowhere, an autosave, a backup, the file, and all but the file away again."""
    lock, autosave = path.with_name(f".#{path.name}"), path.with_name(f"#{path.name}#")
    lock.symlink_to("me@here.1234:1")
    autosave.write_bytes(data)
    rename_away(path, data)
    autosave.unlink()
    lock.unlink()


def unlink_and_make(path: Path, data: bytes) -> None:
    """Remove and make anew, as git does."""
    path.unlink()
    path.write_bytes(data)


def same_size_and_time(path: Path, data: bytes) -> None:
    """Replace by a file that claims to be as old: `cp -p`, `rsync -t`, archives."""
    old = path.stat()
    aside = path.with_name(".aside")
    aside.write_bytes(data)
    os.utime(aside, ns=(old.st_atime_ns, old.st_mtime_ns))
    aside.replace(path)


def _run(*command: str, cwd: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, cwd=cwd, check=True, timeout=60, env=os.environ | {"HOME": str(cwd)}, **quiet)  # type: ignore[call-overload]


def vim(path: Path, data: bytes, *options: str) -> None:
    """Save with vim itself."""
    source = path.parent.parent / "source"
    source.write_bytes(data)
    commands = [*(f"set {option}" for option in options), "%d", f"call setline(1, readfile('{source}'))", "wq"]
    given = [part for command in commands for part in ("-c", command)]
    _run("vim", "-u", "NONE", "-es", *given, str(path), cwd=path.parent)


def vim_by_rename(path: Path, data: bytes) -> None:
    """Vim with a backup that is the old file, renamed."""
    vim(path, data, "backup", "backupcopy=no")


def vim_in_place(path: Path, data: bytes) -> None:
    """Vim with a backup that is a copy."""
    vim(path, data, "backup", "backupcopy=yes")


def sed(path: Path, data: bytes) -> None:
    """`sed -i`."""
    source = path.parent.parent / "source"
    source.write_bytes(data)
    _run("sed", "-i", "-e", f"$r {source}", "-e", "d", str(path), cwd=path.parent)


def git_checkout(path: Path, data: bytes) -> None:
    """`git checkout` of another version."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
    _run(*git, "init", "-q", cwd=path.parent)
    other = path.parent.parent / "other"
    shutil.copyfile(path, other)
    path.write_bytes(data)
    _run(*git, "add", path.name, cwd=path.parent)
    _run(*git, "commit", "-qm", "new", cwd=path.parent)
    shutil.copyfile(other, path)
    _run(*git, "checkout", "-q", "--", path.name, cwd=path.parent)


SAVES: tuple[Save, ...] = (
    truncate, rewrite, slowly, append, rename_over, rename_from_elsewhere, rename_away, rename_away_and_remove,
    emacs, unlink_and_make, same_size_and_time, vim, vim_by_rename, vim_in_place, sed, git_checkout,
)  # fmt: skip
