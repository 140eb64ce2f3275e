"""Finds the chat at hand and an agent's own sessions: newest names first, and no more files opened than are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from mdmem.core.document import Document
from mdmem.core.session import Session, Turn, read_session
from mdmem.core.template import Template
from mdmem.workspace.config import Config
from mdmem.workspace.packing.ask import Ask, turns_of
from mdmem.workspace.packing.files import MemoryFiles

_FOLDERS = ("sessions", ".sessions")
_OPEN = ("", "ongoing")


class Chat(NamedTuple):
    """The turns of the chat at hand, and how many rounds of it stand in the pool already."""

    turns: tuple[Turn, ...] = ()
    path: str = ""
    condensed: int = 0
    why: str = ""


def chat(config: Config, files: MemoryFiles, ask: Ask) -> Chat:
    """Give the chat that the caller has, else the newest session if it is still open."""
    if ask.rounds is not None:
        return Chat(turns_of(ask.rounds))
    if not config.settings.memory.enabled:
        return Chat(why="off")
    found = next(_newest(config, files, ask.agent), None)
    if found is None or found.outcome not in _OPEN or found.ended:
        return Chat(why="missing")
    return Chat(found.turns, found.path, found.condensed_through)


def own_sessions(config: Config, files: MemoryFiles, agent: str | None, limit: int) -> tuple[tuple[Session, ...], str]:
    """Give an agent's own last sessions that came to an end, oldest first; or why there are none."""
    if not config.settings.memory.enabled:
        return (), "off"
    found: list[Session] = []
    for session in _newest(config, files, agent):
        if session.ended or session.outcome not in _OPEN:
            found.append(session)
        if len(found) == limit:
            break
    return tuple(reversed(found)), ""


def recent_words(config: Config, files: MemoryFiles, ask: Ask) -> tuple[str, ...]:
    """Give the texts of the newest turns: what a query is understood by."""
    return tuple(turn.text for turn in chat(config, files, ask).turns[-6:])


def numbers(config: Config) -> Mapping[str, float]:
    """Give the numbers of sessions."""
    return _template(config).numbers


def titles(config: Config) -> dict[str, str]:
    """Give the words for what was asked and what was answered."""
    template = _template(config)
    return {key: template.name(key) or key for key in ("request", "response")}


def _template(config: Config) -> Template:
    found = config.schemas.get("session")
    assert found is not None
    return found


def _newest(config: Config, files: MemoryFiles, agent: str | None) -> Iterator[Session]:
    names = [(name, f"{folder}/{name}") for folder in _FOLDERS for name in files.root.names(folder)]
    newest = sorted((one for one in names if one[0].endswith(".md")), reverse=True)
    for _, path in newest[:_MOST]:
        document = files.read(path)
        if isinstance(document, Document):
            session = read_session(document, path, _template(config))
            if agent is None or session.agent in ("", agent):
                yield session


_MOST = 50  # files that are opened to find an agent's own; older ones are for recall
