"""Where a tool's path points: below the virtual folder `/memories`, which is the workspace, and nowhere else (X3)."""

from __future__ import annotations

import os

from mdmem.core.pattern import pattern
from mdmem.errors import UsageError
from mdmem.workspace.config import Config
from mdmem.workspace.tools.words import say

TOP = "memories"
_ENCODED = pattern(r"(?i)%(?:00|25|2e|2f|5c)")  # NUL, `%` itself, `.`, `/`, `\`: no honest name spells them so
_DRIVE = pattern(r"[A-Za-z]:")


def place(config: Config, path: str) -> str:
    """Give the POSIX path from the root; `/memories` itself is empty, and a kind's name is its file.

    Raises:
        UsageError: the path leaves the workspace, openly or percent-encoded, or is none.
    """
    hint = say("outside-hint", config.lang)
    if not path.strip() or any(char < " " or char == "\x7f" for char in path):
        raise UsageError(say("bad-path", config.lang), hint=hint)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    absolute = path.startswith("/") and parts[:1] not in ([TOP], [])
    if absolute or ".." in parts or "\\" in path or _DRIVE.match(path) or _ENCODED.search(path):
        raise UsageError(say("outside", config.lang), hint=hint)
    inside = parts[1:] if parts[:1] == [TOP] else parts
    return _kind(config, inside[0]) if len(inside) == 1 else "/".join(inside)


def shown(inside: str) -> str:
    """Write a path as the memory tool's verbs do."""
    return f"/{TOP}/{inside}" if inside else f"/{TOP}"


def is_there(config: Config, inside: str) -> bool:
    """Tell whether something stands at a path, to choose the words of a reply; the pen looks for itself."""
    return os.path.lexists(os.path.join(config.root, inside))


def _kind(config: Config, name: str) -> str:
    """Take `fastmemo` for FASTMEMO.md (F007); a kind that is kept in many files names none of them."""
    template = config.schemas.get(name.lower()) if name.isidentifier() and not is_there(config, name) else None
    file = template.files[0] if template else name
    return name if "*" in file or "/" in file else file
