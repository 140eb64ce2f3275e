"""Ends a session: what came of it, and what it took, above the turns."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import Literal, NamedTuple, Self

from mdmem.artifacts.read import StoredArtifact
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError, TargetError, UsageError
from mdmem.formats.session import ROLES, last_number, read_session, rounds
from mdmem.formats.session_edits import metadata, set_part, set_values, speaker, tools_of, turn_text
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.sessions.pastes import move_pastes
from mdmem.sessions.read import template
from mdmem.sessions.sanitize import sanitize_turn, time_of
from mdmem.store.files import BackwardReader
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.inline import one_line


def end_session(config: WorkspaceConfig, path: str, response: str, outcome: str, agent: str) -> int:
    """Write the end of a session as one change, and give its rounds; see `OpenSession.end`."""
    now, schema = dt.datetime.now().astimezone(), template(config)
    choices = schema.front_matter["outcome"].choices
    if outcome not in choices:
        hint = say(config.lang, "session.outcome.hint", outcomes=", ".join(choices))
        raise UsageError(say(config.lang, "session.outcome", outcome=outcome), hint=hint)
    count = 0

    def change(files: DraftFiles) -> Edits:
        nonlocal count
        document = files[path]
        if document is None:
            raise TargetError(say(config.lang, "session.none", id=path), hint=say(config.lang, "session.none.hint"))
        own = config.schemas.match(path, document) or schema
        session = read_session(document, path, own)
        count = len(rounds(session.turns))
        told = metadata(own, _minutes(session.started, now), session.turns, tools_of(session.turns))
        edits = set_values(document, {"ended": f"{now:%Y-%m-%d %H:%M}", "outcome": outcome})
        if response:
            edits += set_part(document, own, "response", response)
        return {path: (*edits, *set_part(document, own, "metadata", told))}

    config.pen().commit(change, actor=agent, reason=say(config.lang, "session.reason-end"))
    return count


def _minutes(started: str, now: dt.datetime) -> int:
    """Count the minutes since a session began; 0 where its file does not say."""
    try:
        began = dt.datetime.fromisoformat(started)
    except ValueError:
        return 0
    began = began if began.tzinfo else began.astimezone()
    return max(0, round((now - began).total_seconds() / 60))


class RecordedTurn(NamedTuple):
    """What became of a turn."""

    status: Literal["done", "unchanged"]  # unchanged where no sessions are written
    message: str
    hint: str = ""  # what was masked, is hidden, or was found torn
    path: str = ""
    number: int = 0  # of its round
    role: str = ""


class OpenSession:
    """A session under way; leaving its block ends it, by an exception as `failed`."""

    def __init__(
        self,
        config: WorkspaceConfig,
        path: str,
        agent: str,
        lang: str | None = None,
        begin: Callable[[], str] | None = None,
    ) -> None:
        """Bind to a session.

        Args:
            config: the workspace.
            path: its file; empty for one that is not written, or not yet.
            agent: whose session it is.
            lang: the language of the file.
            begin: creates the file when the first turn is about to be written, and returns its path.
        """
        self.path, self.agent, self._begin = path, agent, begin
        self._config, self._lang = config, config.lang
        self._template = template(config, lang)
        self._pen = config.pen()
        self._ended = False

    @property
    def id(self) -> str:
        """The name of its file, without the ending; empty where no sessions are written."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    def turn(self, role: str, text: str, *, at: str | dt.datetime | None = None) -> RecordedTurn:
        """Add what somebody said; it is on the disk when this returns.

        A user's turn begins a round. Secrets are masked and forgotten words struck before they are written, and told.
        A long paste (code, a log, a table; `[session] paste_lines`, `paste_chars`) is kept as an artifact; the turn
        gets its summary and its pointer. All else is kept as it is.

        Args:
            role: user, assistant, tool or system.
            text: anything.
            at: when; now where it is left out.

        Raises:
            UsageError: no such role, no time, or the session has ended.
            RefusedError: the text is no text: it holds lone surrogates.
            WriteError: the system refused, or the file is full; nothing was added.
            LockedError: another writer held it too long.
            UnreadableFileError: the file is gone.
        """
        if role not in ROLES:
            raise UsageError(self._say("session.role", role=role), hint=self._say("session.role.hint"))
        if self._ended:
            raise UsageError(self._say("session.over", id=self.id), hint=self._say("session.over.hint"))
        if not (self.path or self._begin):
            return RecordedTurn(
                "unchanged", self._say("session.not-written"), self._say("session.not-written.hint"), role=role
            )
        fit = sanitize_turn(self._config, text, self.agent)
        time = time_of(self._config, at, self._day)
        moment = at if isinstance(at, dt.datetime) else None
        moved = move_pastes(self._config, role, fit.text, self.agent, moment)
        number = 0

        def make(tails: Iterator[BackwardReader]) -> bytes:
            nonlocal number
            number = max(1, _last(tails, self._template) + (role == "user"))
            return turn_text(number, speaker(role, self._template), time, moved.text, self._template).encode()

        self._start()
        done = self._pen.append(self.path, make)
        notes = [*fit.notes, *moved.notes, *([self._say("session.torn", id=done.torn.id)] if done.torn else ())]
        joint = say(self._lang, "punctuation.clause")
        message = self._say("session.said", number=number, role=self._say(f"session.{role}"))
        return RecordedTurn("done", message, joint.join(notes), self.path, number, role)

    def tool(self, kept: StoredArtifact, *, at: str | dt.datetime | None = None) -> RecordedTurn:
        """Add a tool's run: name, input, how it ended, the summary, and where the output lies (G030)."""
        given = f" `{kept.input}`" if kept.input else ""
        ended = "" if kept.exit_code is None else f" (exit {kept.exit_code})"
        named = kept.path in "\n".join(kept.summary)
        lines = [f"{one_line(kept.tool)}{given}{ended}", *kept.summary, *(() if named else (kept.path,))]
        return self.turn("tool", "\n".join(lines), at=at)

    def end(self, response: str = "", outcome: str = "success") -> RecordedTurn:
        """End the session: when, how, what came of it, and how long, how many rounds and which tools it took.

        Args:
            response: what came of it, the conclusion first.
            outcome: success, partial, failed, or ongoing for one that another session goes on with.

        Raises:
            UsageError: no such outcome, or it has ended already.
            MdmemError: as the pen refuses.
        """

        if self._ended:
            raise UsageError(self._say("session.over", id=self.id), hint=self._say("session.over.hint"))
        if not (self.path or self._begin):
            return RecordedTurn("unchanged", self._say("session.not-written"), self._say("session.not-written.hint"))
        fit = sanitize_turn(self._config, response, self.agent)
        self._start()
        count = end_session(self._config, self.path, fit.text.strip("\r\n"), outcome, self.agent)
        self._ended = True
        joint = say(self._lang, "punctuation.clause")
        return RecordedTurn(
            "done", self._say("session.ended", id=self.id, rounds=count), joint.join(fit.notes), self.path, count
        )

    def __enter__(self) -> Self:
        """Begin the block that ends the session."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session, if nobody has; of an exception only its class is told."""
        if self._ended:
            return
        if kind is None:
            self.end()
        else:
            with suppress(MdmemError):  # what went wrong in the block matters more
                self.end(kind.__name__, "failed")

    def _start(self) -> None:
        """Create the file, if it has not been created yet."""
        if self._begin and not self.path:
            self.path = self._begin()

    @property
    def _day(self) -> dt.date | None:
        try:
            return dt.datetime.strptime(self.id[:8], "%Y%m%d").date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            return None

    def _say(self, key: str, **facts: object) -> str:
        return say(self._lang, key, **facts)


def _last(tails: Iterator[BackwardReader], schema: Template) -> int:
    """Return the number of the last round, reading the file from its end."""
    for tail in tails:
        number = last_number(tail.data.decode("utf-8", "surrogateescape"), schema, whole=not tail.start)
        if number is not None:
            return number
    return 0
