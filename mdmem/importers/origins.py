"""Finds the origins of everything that was imported: in the lines that carry one, in front matter, in the ledger.

A conversation may go on after it was imported, so its origin tells how many messages came, and a digest of the last:
`chatgpt:6a1f#23-0c4d9e77`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UnreadableFileError
from mdmem.formats.paths import within_user
from mdmem.store.root import Root, open_file
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.pattern import pattern

LEDGER = "archive/imports.md"
IMPORTS, ORIGINS = (
    "imports",
    "origins",
)  # its sections, as the templates of all languages know them; the first is its kind
_FIELD = pattern(r"\[origin:: ([^\[\]\s]{3,120})\]")
_KEY = pattern(r"(?m)^origin: [\"']?([^\"'\s]{3,120})")
_EPISODE = pattern(
    r"((?:users/[^/\[\]\s]{1,200}/)?sessions/[^\[\]\s]{1,300}#\d[\d-]{0,20}) \[origin:: ([^\[\]\s]{3,120})\]"
)
_UP_TO = pattern(r"(.+)#(\d{1,9})-([0-9a-f]{8})")
_HEAD = 4096  # bytes of a session or a record in which its front matter mostly ends
_END = b"\n---"  # of the front matter
_HEADED = ("sessions", "attachments")
_LINED = ("facts", "memory", "daily", "archive")


class ImportedUpTo(NamedTuple):
    """How far a conversation was imported."""

    messages: int
    digest: str  # of the last one


class KnownOrigins:
    """The origins of what was imported earlier, how far each conversation was, and where it stands."""

    def __init__(self) -> None:
        self.all = set[str]()
        self.conversations: dict[str, ImportedUpTo] = {}
        self.sessions: dict[str, list[tuple[int, str]]] = {}  # the messages up to which a file goes, and the file
        self.episodes: dict[str, str] = {}  # `path#rounds`

    def add(self, origin: str, path: str = "") -> None:
        """Know one more, as it stands in a file."""
        whole = _UP_TO.fullmatch(origin)
        name, messages = (whole[1], int(whole[2])) if whole else (origin, 0)
        self.all.add(name)
        if path:
            self.sessions.setdefault(name, []).append((messages, path))
        if whole and messages > self.conversations.get(name, _NOTHING).messages:
            self.conversations[name] = ImportedUpTo(messages, whole[3])


_NOTHING = ImportedUpTo(0, "")


def up_to(origin: str, turns: Sequence[Mapping[str, Any]], before: int) -> str:
    """Return the origin of a conversation as its file names it."""
    return f"{origin}#{before + len(turns)}-{turn_digest(turns[-1])}" if turns else origin


def turn_digest(turn: Mapping[str, Any]) -> str:
    """Return a short digest of what a message says, and who says it."""
    said = [turn.get("role"), turn.get("text", turn.get("content"))]
    return blake2b(json.dumps(said, default=str).encode(), digest_size=4).hexdigest()


def origins(config: WorkspaceConfig) -> KnownOrigins:
    """Return the origins of what was imported earlier."""
    found = KnownOrigins()
    with Root(config.root) as root:
        for path in _paths(config):
            inner = within_user(path)
            is_head = inner.partition("/")[0] in _HEADED or inner.startswith("archive/sessions/")
            text = _text(root, path, is_head=is_head)
            for origin in (_KEY if is_head else _FIELD).findall(text):
                found.add(origin, path if is_head else "")
            if inner == LEDGER:
                found.episodes.update((match[2], match[1]) for match in _EPISODE.finditer(text))
    return found


def _paths(config: WorkspaceConfig) -> Iterator[str]:
    """Yield the files of the user, and the shared ones, that may name an origin."""
    for folder, inner, names in os.walk(config.root):
        relative = os.path.relpath(folder, config.root).replace(os.sep, "/")
        inner[:] = [name for name in inner if name != STATE_FOLDER and not name.startswith(".")]
        for name in names:
            path = name if relative == "." else f"{relative}/{name}"
            plain = within_user(path)
            is_kept = plain.partition("/")[0] in (*_HEADED, *_LINED) and "/" in plain and name.endswith(".md")
            named = is_kept or plain == "inbox.md"
            if named and config.whose.sees(path):
                yield path


def _text(root: Root, path: str, *, is_head: bool) -> str:
    """Return the text of a file, or of a head at least the front matter; empty if it cannot be read."""
    try:
        with open(open_file(root.place(path)), "rb") as stream:
            data = stream.read(_HEAD if is_head else -1)
            if is_head and _END not in data:
                data += stream.read()
            return data.decode("utf-8", "replace")
    except (OSError, UnreadableFileError):
        return ""
