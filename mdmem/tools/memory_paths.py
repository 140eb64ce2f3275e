"""Where a tool's path points: below the virtual folder `/memories`, which is the host, and nowhere else (X3)."""

from __future__ import annotations

import time

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import path_exists
from mdmem.entries.kind_files import file_of, files_of
from mdmem.errors import MemoryOffError, RefusedError, TargetError
from mdmem.formats.artifact import FOLDER
from mdmem.formats.paths import escapes_root, normal
from mdmem.messages.catalog import say
from mdmem.store.root import Root
from mdmem.text.pattern import pattern

TOP = "memories"
_LOOK_AGAIN = 0.01  # seconds
_ENCODED = pattern(r"(?i)%(?:00|25|2e|2f|5c)")  # NUL, `%` itself, `.`, `/`, `\`: no honest name spells them so


def memory_path(config: WorkspaceConfig, path: str, *, evidence: bool = False, folder: bool = False) -> str:
    """Return the POSIX path from the root; `/memories` itself is empty, and the name of a kind is its file.

    Below `/memories` and with a slash at its end, a path is what it says. With `folder`, the name of a kind of several
    files means the folder that is called so.

    Raises:
        RefusedError: the path leaves the host, openly or percent-encoded, or is none; or it is a tool's output
            and this tool is none of those that look at `evidence`.
        TargetError: it names a kind of several files.
    """
    first, _, rest = path.removeprefix("/").partition("/")
    inside = rest if first == TOP else path
    controls = any(char < " " or char == "\x7f" for char in path)
    away = escapes_root(inside) if normal(inside) or first != TOP else False
    if controls or away or "\\" in path or _ENCODED.search(path) or not path.strip():
        raise RefusedError(say(config.lang, "pen.outside"), hint=say(config.lang, "pen.outside.hint"))
    literal = first == TOP or path.endswith("/")
    inside = _resolved(config, normal(inside), literal=literal, folder=folder)
    if not evidence and inside.startswith(f"{FOLDER}/"):
        raise RefusedError(say(config.lang, "pen.evidence", path=inside), hint=say(config.lang, "pen.evidence.hint"))
    return inside


def _resolved(config: WorkspaceConfig, name: str, *, literal: bool, folder: bool) -> str:
    if literal and path_exists(config, name):
        return name
    if literal or folder:
        found = files_of(config, name)
        return found[0] if len(found) == 1 else name
    return file_of(config, name)


def places(config: WorkspaceConfig, path: str) -> tuple[str, ...]:
    """Return the paths that are meant: all files of a kind of several, else the one path."""
    found = files_of(config, path)
    return found if len(found) > 1 else (memory_path(config, path),)


def existing_path(config: WorkspaceConfig, path: str, *, folder: bool = False) -> str:
    """Return the path of something that is there.

    Raises:
        TargetError: nothing is.
    """
    inside = memory_path(config, path, folder=folder)
    if not comes_back(config, inside):
        raise TargetError(say(config.lang, "pen.missing", path=inside), hint=say(config.lang, "pen.missing.hint"))
    return inside


def virtual_path(inside: str) -> str:
    """Write a path as the memory tool's verbs do."""
    return f"/{TOP}/{inside}" if inside else f"/{TOP}"


def comes_back(config: WorkspaceConfig, inside: str) -> bool:
    """Return True if a path exists, at once or when the editor that renamed it has saved."""
    until = time.monotonic() + config.settings.store.stable_ms / 1000
    while not path_exists(config, inside):
        with Root(config.root) as root:
            if time.monotonic() > until or not root.is_set_aside(inside):
                return False
        time.sleep(_LOOK_AGAIN)
    return True


def require_memory(config: WorkspaceConfig) -> None:
    """Refuse to list and to check while memory is switched off; a single file is the pen's to refuse (P038).

    Raises:
        MemoryOffError: it is.
    """
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
