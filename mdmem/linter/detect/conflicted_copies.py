"""The names that sync programs, git and editors give to a copy beside a file, and the name of its original. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from mdmem.text.pattern import pattern

# Additions that only copies have in their names; without it, the name is the original's.
_SURE = (
    # Dropbox, Nextcloud, ownCloud, Obsidian Sync
    pattern(r" \([^()]*(?:conflicted copy|case conflict)[^()]*\)", re.IGNORECASE),
    pattern(r" ?[(（][^()（）]*(?:冲突|衝突)的?(?:副本|文件|檔案)[^()（）]*[)）]"),
    # ownCloud, Seafile, Mergin
    pattern(r" \((?:Conflict [^()]{1,80}|SFConflict [^()]{1,120}|edit conflict, [^()]{1,80})\)", re.IGNORECASE),
    pattern(r"_conflict-[^/]{1,60}-\d{8}-\d{6}"),
    pattern(r"\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"),
    pattern(r"_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+(?=\.)"),
    pattern(r"-(?:DESKTOP|LAPTOP)-[A-Z0-9]{5,}(?=\.)"),
    pattern(r"(?:\.orig|~)\Z"),
)
_NUMBERED = pattern(r" (?:\(\d{1,2}\)|\d{1,2})(?=\.[^.]+\Z)")  # `MEMORY (1).md`, `MEMORY 2.md`: may be intended


def original_of(path: str, *, is_memory: bool, exists: Callable[[str], bool]) -> str:
    """Return the path of which a file is a copy by its name; empty if by no sign it is one.

    Args:
        path: of the file, POSIX.
        is_memory: a template knows the name: a number in it is no sign of a copy.
        exists: whether there is a file; a number is a sign only where its original stands beside.
    """
    folder, slash, name = path.rpartition("/")
    if name.removesuffix(".md").isalnum():  # these additions contain spaces and signs
        return ""
    for shape in _SURE:
        if shape.search(name):
            return folder + slash + shape.sub("", name)
    numbered = folder + slash + _NUMBERED.sub("", name)
    return numbered if numbered != path and not is_memory and exists(numbered) else ""
