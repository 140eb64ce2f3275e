"""`mdmem merge %O %A %B %L %P`: git's merge driver for memory files.

Exit 0: merged. Exit 1: merged, with git's marks around what collides. Any other exit code leaves `%A` as it was, and
the line that `mdmem git setup` writes lets `git merge-file` do it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from functools import cache

from mdmem.cli.usage import usage_error
from mdmem.errors import ExitCode, UnreadableFileError, WriteError
from mdmem.git.merge_file import GitMerge, merge_file
from mdmem.text.merge import ConflictMarks

_VERSIONS = 5  # %O %A %B %L %P
_MOST_BYTES = 20_000_000  # of a version: git's own merge is for larger files
_LONGEST = 100  # signs of a mark
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def run(versions: Sequence[str], lang: str | None) -> int:
    """Merge three files into the second one; see the module."""
    if len(versions) != _VERSIONS or not versions[3].isdecimal() or not 0 < int(versions[3]) <= _LONGEST:
        raise usage_error("merge-versions")
    base, ours, theirs, size, path = versions
    three = GitMerge(_read(base), _read(ours), _read(theirs), path)
    merged = merge_file(three, ConflictMarks(int(size), shows_base=_shows_base)) if three.is_text else None
    if merged is None:
        return ExitCode.VERIFICATION
    if merged.conflicts:
        _tell(path, len(merged.conflicts), lang)
    _replace(ours, merged.text.encode("utf-8", "surrogateescape"))
    return ExitCode.NOTHING if merged.conflicts else ExitCode.OK


@cache
def _shows_base() -> bool:
    """Return whether git is asked to show the base of a conflict, in `merge.conflictStyle`.

    `zdiff3` differs from `diff3` in lines that both sides share, and an entry is shown whole.
    """
    from mdmem.store.git.repository import conflict_style

    return conflict_style(os.curdir) in ("diff3", "zdiff3")


def _read(name: str) -> bytes:
    """Return the bytes of a file that git made for this merge: git makes no links and no pipes."""
    try:
        with open(os.open(name, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableFileError("not a regular file", path=os.path.basename(name))
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableFileError(
            "could not be read: {reason}", path=os.path.basename(name), facts={"reason": error.strerror}
        ) from error
    if len(data) > _MOST_BYTES:
        raise UnreadableFileError("too large to be merged by entry", path=os.path.basename(name))
    return data


def _replace(name: str, data: bytes) -> None:
    """Replace a file that git made for this merge: it is the old or the new version, wherever this process ends."""
    temporary = f"{name}.{os.getpid()}.mdmem"
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, name)
    except OSError as error:
        raise WriteError(
            "could not be written: {reason}", path=os.path.basename(name), facts={"reason": error.strerror}
        ) from error


def _tell(path: str, conflicts: int, lang: str | None) -> None:
    """Print the number of conflicts to stderr, which git shows."""
    from mdmem.cli.console import safe
    from mdmem.cli.language import current_language
    from mdmem.messages.catalog import say

    print(say(lang or current_language(), "git.conflicts", path=safe(path), count=conflicts), file=sys.stderr)
