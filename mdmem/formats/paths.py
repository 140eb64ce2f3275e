"""Which paths mean a memory file: what leaves the workspace, what belongs to others, what a new file may be called.

Names are compared as the kindest file system would: a name that macOS or Windows takes for `.git` is `.git` here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase

from mdmem.text.pattern import pattern

_DRIVE = pattern(r"[A-Za-z]:")
_SHORT = pattern(r"(?:git|mdmem|hg|svn)~\d+\Z")  # what Windows calls `.git` where it keeps old names
_RESERVED = pattern(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?\Z")
_SIGNS = frozenset('<>:"|?*\\')  # no name on Windows; a colon opens another stream of the file
_CLOSED = (".mdmem", ".git", ".hg", ".svn")  # whatever the settings say
_OURS = ("templates", "prompts")  # the user's own versions of ours, at the root
_FILES = ("mdmem.toml", "archive/forgotten.md")
_LONGEST = 255  # bytes of a name, on every file system in use; and a path of Windows' and of Linux' calls
_WHOLE = 1024  # bytes of a path


def normal(path: str) -> str:
    """Return a path in its one spelling: POSIX, from the root, without `.` and empty parts."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def escapes_root(path: str) -> bool:
    """Return whether a path leads out of the workspace, or nowhere (X3); `..` does, even where it would come back."""
    parts = path.replace("\\", "/").split("/")
    absolute = parts[0] in ("", "~") or _DRIVE.match(path)
    return bool(absolute or ".." in parts or not normal(path) or "\0" in path)


def is_foreign(path: str, skip_folders: Sequence[str] = ()) -> bool:
    """Return whether a normal path names what no memory tool touches: state, settings, schemas, other tools' folders."""
    parts = [fold_name(part) for part in path.replace("\\", "/").split("/")]
    tools = {*_CLOSED, *map(fold_name, skip_folders)}
    return (
        any(part in tools or _SHORT.match(part) for part in parts)
        or parts[0] in _OURS
        or parts[-1] == _FILES[0]
        or "/".join(parts) in _FILES
    )


def is_unportable(path: str, names: Sequence[str]) -> str:
    """Say why no new file may have this normal path; empty where it may. `names` are shell patterns of file names.

    Returns one of `long`, `character`, `unicode`, `reserved`, `ending`, `hidden`, `name`.
    """
    parts = path.split("/")
    if len(_bytes(path)) > _WHOLE or any(len(_bytes(part)) > _LONGEST for part in parts):
        return "long"
    if any(char in _SIGNS or not (char.isprintable() or char == "\u3000") for char in path):
        return "character"
    if unicodedata.normalize("NFC", path) != path or _look_alike(path):
        return "unicode"
    for part in parts:
        if _RESERVED.match(part.lower()):
            return "reserved"
        if part != part.strip() or part.endswith("."):
            return "ending"
    if any(part.startswith(".") for part in parts):
        return "hidden"
    return "" if any(fnmatchcase(parts[-1], name) for name in names) else "name"


def fold_name(part: str) -> str:
    """Return a name as a file system may compare it: case, width, unseen characters, ending dots and spaces."""
    seen = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold().rstrip(". ").partition(":")[0]


def _look_alike(path: str) -> bool:
    """Return whether a sign reads as one that parts a path: a full-width slash or dot."""
    return any(not char.isascii() and unicodedata.normalize("NFKC", char) in ("/", "\\", ".", "..") for char in path)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def is_owner_name(name: str) -> bool:
    """Return whether a name of an agent or user can be the name of a folder of its own."""
    return bool(name) and name.isprintable() and not set(name) & set("/\\ ") and not name.startswith(".")
