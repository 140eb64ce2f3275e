"""Reads a settings file without blocking, and names what is in its place if it is no regular file."""

from __future__ import annotations

import os

from mdmem.errors import ConfigError
from mdmem.settings.toml_file import MOST_BYTES
from mdmem.store.files import FileSnapshot, read_snapshot

_HINT = "move it away; settings are read from a regular file only"


def read_settings_file(path: str, shown: str, root: str = "") -> bytes | None:
    """Return the content of a settings file; None if there is none.

    Args:
        path: absolute.
        shown: its path in messages.
        root: the folder out of which no link may lead; empty for the user's own file, which may be a link.

    Raises:
        ConfigError: it is no regular file, a link that leads out or nowhere, too large, or not readable.
    """
    if not _is_there(path, shown):
        return None
    if not root and os.path.exists(path):
        path = os.path.realpath(path)
    seen = read_snapshot(path, root or os.path.dirname(path), MOST_BYTES)
    if seen.type == "regular" and seen.link in ("none", "inside") and seen.size <= MOST_BYTES:
        return seen.data
    if seen.type == "missing" and not _is_there(path, shown):  # removed in between
        return None
    raise _error(seen, shown)


def _is_there(path: str, shown: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:  # settings that are there and not read would let pass what they forbid
        raise _unreadable(shown) from error
    return True


def _unreadable(shown: str) -> ConfigError:
    return ConfigError("cannot be read", path=shown, hint="give yourself the permission to read it")


def _error(seen: FileSnapshot, shown: str) -> ConfigError:
    if seen.link == "outside":
        return ConfigError("is a link that leads out of the memory folder, and is not read", path=shown, hint=_HINT)
    if seen.link == "dangling" or seen.type == "missing":
        return ConfigError("is a link to a file that does not exist", path=shown, hint=_HINT)
    if seen.type == "folder":
        return ConfigError("is a folder, not a file", path=shown, hint=_HINT)
    if seen.type == "unreadable":
        return _unreadable(shown)
    if seen.type != "regular":
        return ConfigError("not a regular file", path=shown, hint=_HINT)
    return ConfigError(
        "has {size} bytes; a settings file has at most {max}", path=shown,
        hint="keep only what differs from the shipped settings", facts={"size": seen.size, "max": MOST_BYTES},
    )  # fmt: skip
