"""Reads the versions of a file that the commits of a repository hold, of its branches and of those of its remotes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mdmem.store.git.program import read
from mdmem.store.git.repository import require_here
from mdmem.store.git.staged_files import object_contents

_LOG = ("log", "--branches", "--remotes", "-m", "--format=", "--raw", "-z", "--no-abbrev", "--no-renames")
_AT_ONCE = 100  # versions


def past_versions(folder: str, path: str) -> Iterator[bytes]:
    """Yield the different versions of a file, given by its path from the folder.

    Raises:
        GitError: there is no repository, git is not installed, or an object is missing.
        RefusedError, UnreadableFileError: the folder's `.git` leads to another place, or to a pipe.
    """
    require_here(folder)
    fields = iter(os.fsdecode(read(folder, *_LOG, "--", path)).split("\0"))
    blobs: dict[str, None] = {}
    for record in fields:
        if record.startswith(":"):
            _, _, old, new, _ = record.split()
            blobs |= dict.fromkeys(name for name in (old, new) if name.strip("0"))
            next(fields)
    names = list(blobs)
    for at in range(0, len(names), _AT_ONCE):
        yield from object_contents(folder, names[at : at + _AT_ONCE]).values()
