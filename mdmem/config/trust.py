"""The user's own settings, and the workspaces whose settings the user trusts.

A cloned workspace contains its own mdmem.toml. Settings in it that run a program or send text away are ignored until
the user trusts them. Trust is for one folder and one content of the file: a changed file must be trusted again.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from mdmem.config.settings_file import read_settings_file
from mdmem.errors import WriteError
from mdmem.messages.folders import templates_folder, xdg_folder
from mdmem.store.files import digest, make_private, read_bytes, read_stored, write_private
from mdmem.store.walk import AGENTS_FOLDER, SETTINGS_FILE

if TYPE_CHECKING:
    from mdmem.settings.boundary import Boundary

IDENTITY_FILE = f"{AGENTS_FOLDER}/identity"  # in a workspace: its random name
_IDENTITY = re.compile(rb"[0-9a-f]{32}")
_MOST_NAME = 64  # bytes of the file
_BOUNDARY = "boundary.toml"  # in the shipped templates
USER_SETTINGS = "~/.config/mdmem/mdmem.toml"  # for messages; XDG_CONFIG_HOME may replace it


def config_folder() -> str | None:
    """Return the user's settings folder for mdmem; None if there is no home folder."""
    return _user_folder("XDG_CONFIG_HOME", "APPDATA", ".config")


def state_folder() -> str | None:
    """Return the user's folder for what mdmem knows of this machine; None if there is no home folder.

    See the XDG Base Directory Specification.
    """
    return _user_folder("XDG_STATE_HOME", "LOCALAPPDATA", os.path.join(".local", "state"))


def _user_folder(variable: str, on_windows: str, otherwise: str) -> str | None:
    if base := xdg_folder(variable):
        return os.path.join(base, "mdmem")
    if sys.platform == "win32":
        base = os.environ.get(on_windows)
        return os.path.join(base, "mdmem") if base else None
    home = os.path.expanduser("~")
    return os.path.join(home, otherwise, "mdmem") if os.path.isabs(home) else None


def folder_identity(root: str) -> str:
    """Return the random name of a folder, by which this machine finds its records; empty if it has none."""
    try:
        return stored_identity(root)
    except OSError:
        return ""


def stored_identity(root: str) -> str:
    """Return what `folder_identity` does; raises OSError if the name is there and cannot be read."""
    found = (read_stored(os.path.join(root, IDENTITY_FILE), _MOST_NAME) or b"").strip()
    return found.decode() if _IDENTITY.fullmatch(found) else ""


def user_settings() -> bytes | None:
    """Read the user's own settings; None if there are none. Raises ConfigError."""
    path = os.path.join(config_folder() or "", "mdmem.toml")
    return read_settings_file(path, USER_SETTINGS) if os.path.isabs(path) else None


def shipped_settings() -> bytes:
    """Read the settings that mdmem brings along, which hold where nobody sets others."""
    return read_bytes(os.path.join(templates_folder(), SETTINGS_FILE), SETTINGS_FILE)


@cache
def shipped_boundary() -> Boundary:
    """Return what a workspace may set before it is trusted; the table is read on first use."""
    from mdmem.settings.boundary import read_boundary  # loads TOML

    return read_boundary(read_bytes(os.path.join(templates_folder(), _BOUNDARY), _BOUNDARY), _BOUNDARY)


def is_trusted(root: str, settings: bytes) -> bool:
    """Return whether the user trusts this content of a workspace's settings."""
    mark = _mark(root, settings)
    return mark is not None and os.path.isfile(mark)


def trust(root: str, settings: bytes) -> None:
    """Record that the user trusts this content of a workspace's settings.

    Raises:
        WriteError: there is no home folder, or the system refused.
    """
    mark = _mark(root, settings)
    if mark is None:
        raise WriteError("there is no folder for your settings", hint="set XDG_CONFIG_HOME")
    for_people = os.fsencode(os.path.realpath(root)) + b"\n"  # who look into the folder
    folder = os.path.dirname(mark)
    write_private(mark, for_people, folder, os.path.dirname(USER_SETTINGS))
    with suppress(OSError), os.scandir(folder) as marks:
        for one in marks:  # those of earlier versions too
            make_private(one.path)


def revoke_trust(root: str, settings: bytes) -> None:
    """Remove the mark of trust, if there is one."""
    with suppress(OSError):
        os.unlink(_mark(root, settings) or "")


def _mark(root: str, settings: bytes) -> str | None:
    folder = config_folder()
    return os.path.join(folder, "trusted", digest(os.path.realpath(root), settings)) if folder else None
