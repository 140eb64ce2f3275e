"""Finds the origins of everything that was imported: in the lines that carry one, in front matter, in the ledger."""

from __future__ import annotations

import os

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.pattern import pattern

LEDGER = "archive/imports.md"
IMPORTS, ORIGINS = (
    "imports",
    "origins",
)  # its sections, as the templates of all languages know them; the first is its kind
_FIELD = pattern(r"\[origin:: ([^\[\]\s]{3,120})\]")
_KEY = pattern(r"(?m)^origin: [\"']?([^\"'\s]{3,120})")
_HEAD = 4096  # bytes of a session or a record in which its front matter stands
_HEADED = ("sessions", "attachments")
_LINED = ("facts", "memory", "daily", "archive")


def origins(config: WorkspaceConfig) -> set[str]:
    """Return the origins of what was imported earlier."""
    found: set[str] = set()
    for folder, inner, names in os.walk(config.root):
        relative = os.path.relpath(folder, config.root).replace(os.sep, "/")
        inner[:] = [name for name in inner if name != STATE_FOLDER and not name.startswith(".")]
        top = relative.partition("/")[0]
        is_head = top in _HEADED or relative.startswith("archive/sessions")
        if relative != "." and top not in (*_HEADED, *_LINED):
            continue
        for name in names:
            if name.endswith(".md") and (relative != "." or name == "inbox.md"):
                text = _text(os.path.join(folder, name), _HEAD if is_head else -1)
                found.update((_KEY if is_head else _FIELD).findall(text))
    return found


def _text(path: str, most: int) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
