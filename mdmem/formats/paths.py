"""Checks paths: outside the workspace, not for memory tools, or not portable as the name of a new file.

Names are compared as the most lenient file system does: a name that macOS or Windows reads as `.git` is `.git` here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from mdmem.text.pattern import pattern

_DRIVE = pattern(r"[A-Za-z]:")
_SHORT = pattern(r"(?:git|mdmem|hg|svn)~\d+\Z")  # the 8.3 names of such folders on Windows
_RESERVED = pattern(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?\Z")
_SIGNS = frozenset('<>:"|?*\\')  # invalid in names on Windows; a colon opens another stream of the file
_CLOSED = (".mdmem", ".git", ".hg", ".svn")  # regardless of the settings
PROMPTS = "prompts"  # folder of the user's own prompts
IDENTITY = "identity"  # folder in which another system keeps its identity files, with prompts and personas (K185)
PROMPT_ENDS = (".md", ".txt")  # older systems use the second one (F025)
_OURS = ("templates", PROMPTS)  # the user's versions of our files, at the root
_FILES = ("mdmem.toml", "archive/forgotten.md")
_ARCHIVE = "archive/"
_LONGEST = 255  # bytes of a name on common file systems, and of a path in system calls of Windows and Linux
_WHOLE = 1024  # bytes of a path


KNOWLEDGE = "knowledge"  # folder of the pieces of knowledge
VERSIONS = "versions"  # the folder of a piece's saved versions, in the folder of its name


def normal(path: str) -> str:
    """Return the normal form of a path: POSIX, from the root, without `.` and empty parts."""
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def archived_path(path: str) -> str:
    """Return where a file of this normal path stands once it has moved to the archive; references to it still hold."""
    inner = within_user(path)
    return path if inner.startswith(_ARCHIVE) else user_place(user_of(path), _ARCHIVE + inner)


def escapes_root(path: str) -> bool:
    """Return whether a path leaves the workspace or is invalid (X3); any `..` counts."""
    parts = path.replace("\\", "/").split("/")
    absolute = parts[0] in ("", "~") or _DRIVE.match(path)
    return bool(absolute or ".." in parts or not normal(path) or "\0" in path)


def is_closed(path: str) -> bool:
    """Return whether a path leads into the state of mdmem or of a version control, whatever the settings say."""
    parts = [fold_name(part) for part in path.replace("\\", "/").split("/")]
    return any(part in _CLOSED or _SHORT.match(part) for part in parts)


def is_foreign(path: str, skip_folders: Sequence[str] = ()) -> bool:
    """Return whether memory tools must not use a normal path: state, settings, templates, folders of other tools."""
    parts = [fold_name(part) for part in path.replace("\\", "/").split("/")]
    tools = set(map(fold_name, skip_folders))
    return (
        is_closed(path)
        or any(part in tools for part in parts)
        or parts[0] in _OURS
        or parts[:2] == [IDENTITY, PROMPTS]
        or parts[-1] == _FILES[0]
        or within_user("/".join(parts)) in _FILES
    )


def is_unportable(path: str, names: Sequence[str]) -> str:
    """Return why a new file cannot have this normal path, else an empty text. `names` are shell patterns of file names.

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


@lru_cache(maxsize=1024)  # the names of folders are folded for each path
def fold_name(part: str) -> str:
    """Fold a name as file systems compare it: case, width, invisible characters, trailing dots and spaces."""
    seen = "".join(char for char in part if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold().rstrip(". ").partition(":")[0]


def _look_alike(path: str) -> bool:
    """Return whether a path contains a character that resembles a separator: a full-width slash or dot."""
    return any(not char.isascii() and unicodedata.normalize("NFKC", char) in ("/", "\\", ".", "..") for char in path)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def is_saved_version(path: str) -> bool:
    """Return whether a normal path is a saved version of a piece of knowledge, which holds no longer."""
    folders = within_user(path).split("/")[:-1]
    return folders[:1] == [KNOWLEDGE] and folders[-1:] == [VERSIONS] and len(folders) > 2


def is_owner_name(name: str) -> bool:
    """Return whether a name of an agent or user can be the name of a folder of its own."""
    return bool(name) and name.isprintable() and not set(name) & set("/\\ ") and not name.startswith(".")


USERS = "users"  # the folder with a folder of each user who has a name
OWNED = ("user", "both")  # owners of kinds of which each user has files


def user_place(user: str, path: str) -> str:
    """Return where a user's own file of this name stands; without a user, the path itself."""
    return f"{USERS}/{user}/{path}" if user else path


def user_of(path: str) -> str:
    """Return the user in whose folder a normal path lies; empty for a path outside of these folders."""
    parts = path.split("/", 2)
    return parts[1] if len(parts) == 3 and fold_name(parts[0]) == USERS else ""


def within_user(path: str) -> str:
    """Return a normal path as it reads from its user's folder: `inbox.md` for `users/ann/inbox.md`."""
    return path.split("/", 2)[2] if user_of(path) else path
