"""The user's own settings, and which workspaces' settings the user has looked at and trusts.

A cloned workspace brings its mdmem.toml along; what runs a program or sends text away in it is not heard until the
user says so. A mark of trust is for one folder and one content: another version of the file has to be looked at again.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from mdmem.errors import WriteError
from mdmem.store.files import digest, read_bytes

USER_SETTINGS = "~/.config/mdmem/mdmem.toml"  # in messages; XDG_CONFIG_HOME is heard


def config_folder() -> str | None:
    """Return the user's settings folder for mdmem; None where there is no home."""
    if base := os.environ.get("XDG_CONFIG_HOME"):
        return os.path.join(base, "mdmem") if os.path.isabs(base) else None
    if sys.platform == "win32":
        base = os.environ.get("APPDATA")
        return os.path.join(base, "mdmem") if base else None
    home = os.path.expanduser("~")
    return os.path.join(home, ".config", "mdmem") if os.path.isabs(home) else None


def user_settings() -> bytes | None:
    """Read the user's own settings; None where there are none."""
    path = os.path.join(config_folder() or "", "mdmem.toml")
    return read_bytes(path, USER_SETTINGS) if os.path.isabs(path) and os.path.isfile(path) else None


def is_trusted(root: str, settings: bytes) -> bool:
    """Return whether the user trusts this content of a workspace's settings."""
    mark = _mark(root, settings)
    return mark is not None and os.path.isfile(mark)


def trust(root: str, settings: bytes) -> None:
    """Note that the user trusts them.

    Raises:
        WriteError: there is no home, or the system refused.
    """
    mark = _mark(root, settings)
    if mark is None:
        raise WriteError("there is no folder for your settings", hint="set XDG_CONFIG_HOME")
    try:
        os.makedirs(os.path.dirname(mark), mode=0o700, exist_ok=True)
        with open(mark, "wb") as stream:
            stream.write(os.fsencode(os.path.realpath(root)) + b"\n")  # for whoever looks into the folder
    except OSError as error:
        raise WriteError(
            "could not be noted: {reason}", path=os.path.dirname(USER_SETTINGS), facts={"reason": error.strerror}
        ) from error


def revoke_trust(root: str, settings: bytes) -> None:
    """Take the mark away, if there is one."""
    with suppress(OSError):
        os.unlink(_mark(root, settings) or "")


def _mark(root: str, settings: bytes) -> str | None:
    folder = config_folder()
    return os.path.join(folder, "trusted", digest(os.path.realpath(root), settings)) if folder else None
