"""Resolves the paths of tools: below the virtual folder `/memories`, which is the workspace, and nowhere else (X3)."""

from __future__ import annotations

import time

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy, path_exists
from mdmem.entries.kind_files import file_of, files_of
from mdmem.errors import MemoryOffError, RefusedError
from mdmem.formats.artifact import FOLDER
from mdmem.formats.paths import escapes_root, normal, within_user
from mdmem.messages.catalog import say
from mdmem.store.root import Root
from mdmem.text.pattern import pattern

TOP = "memories"
_RETRY = 0.01  # seconds
_ENCODED = pattern(r"(?i)%(?:00|25|2e|2f|5c)")  # NUL, `%` itself, `.`, `/`, `\`: encoded only to evade the checks


def memory_path(config: WorkspaceConfig, path: str, *, evidence: bool = False, folder: bool = False) -> str:
    """Return the POSIX path from the root; `/memories` itself is empty, and the name of a kind is its file.

    A path below `/memories` or with a slash at its end is taken literally. With `folder`, the name of a kind of several
    files is the folder of this name.

    Raises:
        RefusedError: the path leaves the workspace, openly or percent-encoded, or is empty; or it is an artifact and
            `evidence` is False.
        TargetError: it names a kind of several files.
    """
    first, _, rest = path.removeprefix("/").partition("/")
    inside = rest if first == TOP else path
    controls = any(char < " " or char == "\x7f" for char in path)
    escapes = escapes_root(inside) if normal(inside) or first != TOP else False
    if controls or escapes or "\\" in path or _ENCODED.search(path) or not path.strip():
        raise RefusedError(say(config.lang, "pen.outside"), hint=say(config.lang, "pen.outside.hint"))
    literal = first == TOP or path.endswith("/")
    inside = config.whose.meant(_resolved(config, normal(inside), literal=literal, folder=folder))
    if not evidence and within_user(inside).startswith(f"{FOLDER}/"):
        raise RefusedError(say(config.lang, "pen.evidence", path=inside), hint=say(config.lang, "pen.evidence.hint"))
    return inside


def _resolved(config: WorkspaceConfig, name: str, *, literal: bool, folder: bool) -> str:
    if literal and path_exists(config, name):
        return name
    if literal or folder:
        files = files_of(config, name)
        return files[0] if len(files) == 1 else name
    return file_of(config, name)


def existing_path(config: WorkspaceConfig, path: str, *, folder: bool = False) -> str:
    """Return the path of an existing file or folder.

    Raises:
        TargetError: it does not exist.
    """
    inside = memory_path(config, path, folder=folder)
    if not exists_or_returns(config, inside):
        AccessPolicy(config, "agent").missing(inside)
    return inside


def virtual_path(inside: str) -> str:
    """Return a path as the memory tool writes it."""
    return f"/{TOP}/{inside}" if inside else f"/{TOP}"


def exists_or_returns(config: WorkspaceConfig, inside: str) -> bool:
    """Return True if a path exists, now or when the editor that renamed it has saved."""
    until = time.monotonic() + config.settings.store.stable_ms / 1000
    while not path_exists(config, inside):
        with Root(config.root) as root:
            if time.monotonic() > until or not root.is_set_aside(inside):
                return False
        time.sleep(_RETRY)
    return True


def require_memory(config: WorkspaceConfig) -> None:
    """Refuse to list and to check if memory is switched off; the pen refuses single files (P038).

    Raises:
        MemoryOffError: memory is switched off.
    """
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
