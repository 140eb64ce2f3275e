"""Reads one file: its text and digest, or its bytes. Writes nothing."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.errors import TargetError, UnreadableFileError
from mdmem.formats.paths import archived_path, normal
from mdmem.messages.catalog import say
from mdmem.store.files import read_snapshot
from mdmem.store.history.versions import VersionStore, fingerprint
from mdmem.store.locks import was_locked
from mdmem.store.root import Root, read

_LOOK_AGAIN = 0.01  # seconds between attempts


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as it was read."""

    path: str
    text: str
    digest: str  # SHA-256 of the bytes: `expect` of a later change
    warning: str = ""  # why the text differs from the file


def read_file(config: WorkspaceConfig, path: str, actor: str) -> FileText:
    """Read a file; see `Workspace.read`."""
    access = AccessPolicy(config, actor)
    path = access.reach(path)
    warning = ""
    if (data := _linked(config, path)) is not None:
        return FileText(path, data.decode("utf-8", "replace"), fingerprint(data))
    with Root(config.root) as root:
        data, exists = _stable(root, path, config)
        if not data and (good := _last_good(root, path) if exists else None):
            data, warning = good, say(access.lang, "pen.stale", path=path)
    if data is None:
        access.missing(path)
    text = data.decode("utf-8", "replace")
    if not warning and text.encode() != data:
        warning = say(access.lang, "pen.not-utf8", path=path)
    return FileText(path, text, fingerprint(data), warning)


def _linked(config: WorkspaceConfig, path: str) -> bytes | None:
    """Return the content of a file to which a link of the workspace leads, if it may be read there."""
    if not config.linked:
        return None
    seen = read_snapshot(os.path.join(config.root, path), config.root, config.most_bytes(path), config.linked)
    return seen.data if seen.link == "linked" and seen.type == "regular" and seen.size == len(seen.data) else None


def read_optional(config: WorkspaceConfig, path: str, actor: str) -> FileText | None:
    """Read a file that may not exist; None if it does not.

    `read_file` waits for a file that is missing, because an editor may be saving it. Here that is done only for a file
    that mdmem has locked before: most optional files never existed.
    """
    path = AccessPolicy(config, actor).reach(path)
    with Root(config.root) as root:
        if not os.path.lexists(os.path.join(config.root, path)) and not was_locked(root, path):
            return None
    try:
        return read_file(config, path, actor)
    except TargetError:
        return None


def current_path(config: WorkspaceConfig, path: str) -> str:
    """Return where a file stands now: its own path, or that in the archive if it has moved there."""
    if os.path.lexists(os.path.join(config.root, path)):
        return path
    moved = archived_path(normal(path))
    return moved if os.path.isfile(os.path.join(config.root, moved)) else path


def live_bytes(config: WorkspaceConfig, path: str, most: int | None = None) -> bytes | None:
    """Return the current content of a file, up to `most` bytes; None if it does not exist.

    Raises:
        UnreadableFileError: not a regular file, too large, or the system refused.
    """
    with Root(config.root) as root:
        try:
            found = read(root.place(path)) if most is None else read(root.place(path), most)
        except FileNotFoundError:
            return None
    return found.data if found else None


def _stable(root: Root, path: str, config: WorkspaceConfig) -> tuple[bytes | None, bool]:
    """Read a file without a lock and return whether it exists; retry while it is missing, empty or unreadable."""
    settings = config.settings
    until = time.monotonic() + settings.store.stable_ms / 1000
    while True:
        version, exists, problem = None, True, None
        try:
            version = read(root.place(path), config.most_bytes(path))
            exists = version is not None
        except FileNotFoundError:
            exists = False
        except UnreadableFileError as error:
            problem = error
        if (version and version.data) or time.monotonic() > until:
            if problem and _last_good(root, path) is None:
                raise problem
            return (version.data if version else None), exists
        time.sleep(_LOOK_AGAIN)


def _last_good(root: Root, path: str) -> bytes | None:
    """Return the newest version of a file in the history."""
    history = VersionStore(root, 0)
    named = (one.after for change in history.log() for one in change.files if one.path == path)
    digest = next(named, None)
    return history.read(digest) if digest else None
