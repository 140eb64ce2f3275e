"""Makes session files of imported conversations: turns with their own times, secrets masked, long ones in parts."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.session import FOLDERS, UNKNOWN
from mdmem.formats.session_edits import session_text, speaker, turn_text
from mdmem.importers.model import ImportedEpisode, ImportedSession
from mdmem.importers.origins import up_to
from mdmem.messages.catalog import say
from mdmem.sessions.known_secrets import KnownSecrets
from mdmem.sessions.read import template
from mdmem.sessions.record_line import read_record
from mdmem.sessions.sanitize import sanitize_turn, time_of
from mdmem.sessions.service import slug
from mdmem.sessions.tool_turns import tool_turns
from mdmem.text.inline import one_line
from mdmem.text.yaml.post import FrontValue

_NEAR = 1000  # bytes before a cut in which the end of a word is looked for
_ROOM = 0.9  # share of the largest readable file that a session may fill


class MadeSession(NamedTuple):
    """The files of a conversation, and what is to be told of it."""

    files: Mapping[str, str]
    masked: bool  # a secret was
    reason: str = ""  # why there is no file


class SessionMaker:
    """Makes the texts of sessions; remembers the names that it has given."""

    def __init__(self, config: WorkspaceConfig, actor: str, *, dry_run: bool) -> None:
        self._config, self._actor, self._dry_run = config, actor, dry_run
        self._schema = template(config)
        self._names = set[str]()
        self.masked = 0  # secrets
        self._known = KnownSecrets(config.root)  # of the conversation that is made
        self._most = int(config.settings.lint.max_bytes * _ROOM)

    def clean(self, text: str) -> str:
        """Return a text with its secrets masked and forgotten texts struck; `masked` counts the secrets."""
        if not text:
            return ""
        clean = sanitize_turn(self._config, text, self._actor, self._known)
        self.masked += clean.secrets
        return clean.text

    def make(self, given: ImportedSession) -> MadeSession:
        """Return the files of a conversation: one, or more if it is longer than a file may be."""
        begun = _moment(given.started) or next(filter(None, (_moment(_at(turn)) for turn in given.turns)), None)
        started = begun or dt.datetime.fromisoformat(self._config.day)
        self._known = KnownSecrets(self._config.root)
        pieces, before, last = list[tuple[int, str]](), self.masked, started
        number, open_calls = 0, dict[str, str]()
        for turn in given.turns:
            try:
                said, open_calls = self._said(turn, open_calls)
            except MdmemError as error:
                said = [("system", str(error))]
            number = max(1, number + any(role == "user" for role, _ in said))
            last = _moment(_at(turn)) or last
            time = time_of(self._config, last, started.date())
            for role, text in said:
                for piece in _cut(text, self._most):
                    pieces.append((number, turn_text(number, speaker(role, self._schema), time, piece, self._schema)))
        if not pieces:
            return MadeSession({}, masked=False, reason=say(self._config.lang, "import.no-messages"))
        files = dict(self._parts(given, pieces, started, last))
        return MadeSession(files, masked=self.masked > before)

    def _said(
        self, turn: Mapping[str, Any], open_calls: Mapping[str, str]
    ) -> tuple[list[tuple[str, str]], dict[str, str]]:
        """Return the turns that one line gives: role and text."""
        line = read_record(turn)
        text = self.clean(line.text)
        said = [(line.role, text)] if text.strip() else []
        if self._dry_run:
            parts = (*(f"{one.name} {one.input}" for one in line.calls), *(one.content for one in line.results))
            return [*said, *(("tool", self.clean(part)) for part in parts)], dict(open_calls)
        if not (line.calls or line.results):
            return said, dict(open_calls)
        made = tool_turns(
            self._config, line.calls, line.results, open_calls,
            agent=self._actor, at=_moment(line.at), known=self._known,
        )  # fmt: skip
        self.masked += made.secrets
        runs = [("tool", one) for one in (*made.results, *made.runs)]
        return [*said, *runs], dict(made.open_calls)

    def _parts(
        self, given: ImportedSession, pieces: list[tuple[int, str]], started: dt.datetime, last: dt.datetime
    ) -> Iterator[tuple[str, str]]:
        settings, title = self._config.settings.session, one_line(self.clean(given.title)).strip() or given.agent
        stamp = f"{started:%Y%m%d_%H%M%S}"
        values: dict[str, FrontValue] = {
            "agent": given.agent, "task": title[: settings.task_chars], "started": f"{started:%Y-%m-%d %H:%M}",
            "ended": f"{last:%Y-%m-%d %H:%M}", "outcome": UNKNOWN,
            **({"entities": [one_line(self.clean(given.project))]} if given.project else {}),
            "extracted_through": given.extracted, "condensed_through": 0,
            "origin": up_to(given.origin, given.turns, given.before),
        }  # fmt: skip
        for part, texts in enumerate(_divided([text for _, text in pieces], self._most), 1):
            head = session_text(self._schema, stamp, values, title)
            yield self._path(stamp, title), head + "".join(texts)
            values["task"] = f"{title[: settings.task_chars]} ({part + 1})"

    def head(self, given: ImportedEpisode) -> tuple[str, str]:
        """Return path and text of a session without turns, for an episode whose conversation is not there."""
        settings = self._config.settings.session
        started = _moment(given.started) or dt.datetime.fromisoformat(self._config.day)
        ended = _moment(given.ended) or started
        title = one_line(given.goal or given.summary).strip()
        stamp = f"{started:%Y%m%d_%H%M%S}"
        values: dict[str, str | int] = {
            "agent": "main", "task": title[: settings.task_chars], "started": f"{started:%Y-%m-%d %H:%M}",
            "ended": f"{ended:%Y-%m-%d %H:%M}", "outcome": given.outcome or UNKNOWN, "extracted_through": 0,
            "condensed_through": 0, "origin": given.origin,
        }  # fmt: skip
        return self._path(stamp, title), session_text(self._schema, stamp, values, given.goal)

    def _path(self, stamp: str, title: str) -> str:
        name = (
            self._config.whose.place(FOLDERS[0]) + f"/{stamp}_{slug(title, self._config.settings.session.slug_chars)}"
        )
        paths = (f"{name}.md" if number == 1 else f"{name}-{number}.md" for number in count(1))
        path = next(
            path for path in paths
            if path not in self._names and not os.path.lexists(os.path.join(self._config.root, path))
        )  # fmt: skip
        self._names.add(path)
        return path


def _cut(text: str, most: int) -> Iterator[str]:
    """Yield the pieces of a message that is larger than a file may be, cut behind a line or a word if one is near."""
    data = text.encode("utf-8", "replace")
    while len(data) > most:
        end = max(data.rfind(b"\n", most // 2, most), data.rfind(b" ", most - _NEAR, most)) + 1 or most
        while data[end] & 0xC0 == 0x80:  # inside of a character
            end -= 1
        yield data[:end].decode()
        data = data[end:]
    yield data.decode()


def _divided(texts: list[str], most: int) -> Iterator[list[str]]:
    part, size = list[str](), 0
    for text in texts:
        length = len(text.encode("utf-8", "replace"))
        if part and size + length > most:
            yield part
            part, size = [], 0
        part.append(text)
        size += length
    if part:
        yield part


def _at(turn: Mapping[str, Any]) -> str:
    value = turn.get("timestamp") or turn.get("time")
    return value if isinstance(value, str) else ""


def _moment(text: str) -> dt.datetime | None:
    with suppress(ValueError):
        return dt.datetime.fromisoformat(text).replace(tzinfo=None) if text else None
    return None
