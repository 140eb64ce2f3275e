"""The workspace that a command line means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mdmem.doors.usage import wrong
from mdmem.errors import WorkspaceNotFoundError
from mdmem.store.walk import find_root

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def opened(root: str | None, lang: str | None, start: str = ".") -> Workspace:
    """Return the workspace named, or the one found upwards from a folder.

    Raises:
        WorkspaceNotFoundError: there is none.
    """
    from mdmem.workspace import Workspace

    if root:
        if not os.path.isdir(root):
            raise wrong("no-root", kind=WorkspaceNotFoundError, path=root)
        return _kept(Workspace(root, lang=lang))
    found = find_root(start)
    if found is None:
        raise wrong("no-workspace", kind=WorkspaceNotFoundError, more="")
    return _kept(Workspace(found, lang=lang))


_opened: list[Workspace] = []  # by this process; a command line opens one


def _kept(work: Workspace) -> Workspace:
    _opened.append(work)
    return work


def keep_settings() -> None:
    """Keep the settings and templates that were read in the user's cache, so that the next verb parses none."""
    for work in _opened:
        work.config.cache.save(complete=False)
    _opened.clear()
