"""Installs and removes git's pre-commit hook, which lints the staged files."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Literal

from mdmem.errors import RefusedError, UnreadableFileError, WriteError
from mdmem.store.durable import FolderEntry, discard, fill, rename, rename_new
from mdmem.store.files import open_waiting, require_inside, short_path
from mdmem.store.git import repository
from mdmem.store.root import Root, read_open

_NAME = "pre-commit"
_MOST_BYTES = 1_000_000  # of a hook that is read
_OURS = "# written by `mdmem hook install`"
_HOOK = """\
#!/bin/sh
{ours}; `mdmem hook uninstall` takes it away
# Judges what the commit changes, not the files on disk. To commit all the same: git commit --no-verify
# -P: takes no module out of the repository.
if [ -x {python} ]; then
  exec {python} -P -m mdmem lint --staged --fail-on error
fi
exec mdmem lint --staged --fail-on error
"""


def install_hook(folder: str) -> bool:
    """Write the hook of the repository that contains a folder; see `Workspace.install_hook`.

    A link that leads out of the repository is refused, and so is a folder elsewhere that the repository's own
    configuration names, and a repository elsewhere that does not name this checkout; where the user's configuration
    names the folder, a link that leads out of the folder around it.
    """
    with _opened(folder, make=True) as name:
        state = _state(name) if name else "another"
        if not name or state == "another":
            return False
        temporary = name.sibling(f".{os.urandom(8).hex()}.mdmem")
        data = _HOOK.format(ours=_OURS, python=shlex.quote(sys.executable)).encode()
        try:
            fill(temporary, data, _make_executable)
            (rename if state == "ours" else rename_new)(temporary, name)
        except FileExistsError:  # somebody has just made one
            discard(temporary)
            return False
        except OSError as error:
            discard(temporary)
            raise WriteError("could not be created: {reason}", path=_NAME, facts={"reason": error.strerror}) from error
    return True


def uninstall_hook(folder: str) -> Literal["removed", "none", "another"]:
    """Remove the hook; see `Workspace.uninstall_hook`. A link that leads out is refused, as by `install_hook`."""
    with _opened(folder) as name:
        state = _state(name) if name else "none"
        if not name or state != "ours":
            return "another" if state == "another" else "none"
        os.unlink(name.name, dir_fd=name.folder)
    return "removed"


def has_hook(folder: str) -> bool:
    """Return whether the repository has the hook of mdmem. Raises as `install_hook` does."""
    with _opened(folder) as name:
        return name is not None and _state(name) == "ours"


@contextmanager
def _opened(folder: str, *, make: bool = False) -> Iterator[FolderEntry | None]:
    """Open the folder of the hook, each part of its path below an open folder; None if it is missing."""
    hooks, top = repository.hooks_folder(folder), os.path.abspath(repository.top_of(folder))
    is_inside = hooks.startswith(os.path.join(top, ""))
    named_by = "nobody" if is_inside else repository.hooks_named_by(folder)
    if named_by == "repository":
        raise RefusedError(
            "the configuration of the repository takes its hooks from {folder}, and nothing is written there",
            facts={"folder": short_path(hooks)},
            hint="name a folder inside it: `git config core.hooksPath .githooks`; or take that line out",
        )
    if not is_inside and named_by == "nobody" and not repository.names_its_checkout(folder):
        raise repository.not_named(os.path.dirname(hooks))
    base = top if is_inside else os.path.dirname(hooks)
    require_inside(os.path.join(hooks, _NAME), base)
    if make:
        os.makedirs(base, mode=0o700, exist_ok=True)
    with ExitStack() as stack:
        try:
            root = stack.enter_context(Root(base)) if os.path.isdir(base) else None
            place = root.place(f"{os.path.relpath(hooks, base)}/_", make=make) if root else None
        except FileNotFoundError:
            place = None
        yield place.name.sibling(_NAME) if place else None


def _state(name: FolderEntry) -> Literal["ours", "none", "another"]:
    """Return the owner of the hook file; a link belongs to somebody else."""
    try:
        descriptor = open_waiting(name.name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0), name.folder)
    except FileNotFoundError:
        return "none"
    except OSError:
        return "another"
    try:
        return "ours" if _OURS.encode() in read_open(descriptor, _NAME, _MOST_BYTES).data else "another"
    except UnreadableFileError:
        return "another"
    finally:
        os.close(descriptor)


def _make_executable(descriptor: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IRWXU)
