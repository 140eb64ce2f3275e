"""An open session: records turns, moves long pastes to artifacts, and writes the end above the turns."""

# A hook records a turn in a process of its own: what stores artifacts and attachments is imported where it is needed.
from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.forget.struck_names import is_struck
from mdmem.errors import FileFullError, MdmemError, TargetError, UsageError
from mdmem.formats.session import ROLES, UNKNOWN, last_number, read_session, rounds
from mdmem.formats.session_edits import metadata, set_part, set_values, speaker, tools_of, turn_text
from mdmem.formats.template import Template
from mdmem.formats.tool_turn import ToolRun, tool_run_text
from mdmem.linter.detect.secrets import without_overlaps
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.sessions.known_secrets import KnownSecrets
from mdmem.sessions.pasted_text import PastedText, Pastes, move_pastes, move_whole
from mdmem.sessions.read import earlier_part, last_round, parts_of, paths, template
from mdmem.sessions.record_line import RecordLine, read_calls, read_record, read_results, text_value, unknown_end_keys
from mdmem.sessions.sanitize import SanitizedText, sanitize_turn, time_of
from mdmem.sessions.tool_turns import tool_turns
from mdmem.store.files import BackwardReader, file_size
from mdmem.store.pen import RestoredTurns
from mdmem.store.transaction import DraftFiles, Edits

if TYPE_CHECKING:
    from mdmem.artifacts.model import StoredArtifact

_HEADING = 64  # bytes of a turn's heading, with its empty lines
_RESPONSE = 0.5  # share of the room behind the turns that a response may take; the rest is the episode's


def end_session(config: WorkspaceConfig, path: str, response: str, outcome: str, agent: str) -> int:
    """Write the end of a session as one change and return its number of rounds; see `OpenSession.end`."""
    now, schema = dt.datetime.now().astimezone(), template(config)
    outcome, choices = outcome or UNKNOWN, schema.front_matter["outcome"].choices
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
        values = metadata(own, _minutes(session.started, now), session.turns, tools_of(session.turns))
        edits = set_values(document, {"ended": f"{now:%Y-%m-%d %H:%M}", "outcome": outcome})
        if response:
            edits += set_part(document, own, "response", response)
        return {path: (*edits, *set_part(document, own, "metadata", values))}

    config.pen().commit(change, actor=agent, reason=say(config.lang, "session.reason-end"))
    return count


def _minutes(started: str, now: dt.datetime) -> int:
    """Return the minutes since a session began; 0 if its file does not say."""
    try:
        began = dt.datetime.fromisoformat(started)
    except ValueError:
        return 0
    began = began if began.tzinfo else began.astimezone()
    return max(0, round((now - began).total_seconds() / 60))


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """The result of recording a turn."""

    status: Literal["done", "unchanged"]  # unchanged if sessions are not written
    message: str
    hint: str = ""  # what was masked, hidden or torn
    path: str = ""
    number: int = 0  # of the turn's round
    role: str = ""


AfterEnd: TypeAlias = Callable[[str], tuple[str, ...]]
GoOn: TypeAlias = Callable[[str], str]  # from the path of a full file to that of the next one


class OpenSession(TypedCalls):
    """A session under way. Leaving its block ends it; an exception ends it as `failed`."""

    def __init__(
        self,
        config: WorkspaceConfig,
        path: str,
        agent: str,
        lang: str | None = None,
        begin: Callable[[], str] | None = None,
        after: AfterEnd | None = None,
        go_on: GoOn | None = None,
        known: KnownSecrets | None = None,
        pastes: Pastes | None = None,
    ) -> None:
        """Bind to a session.

        Args:
            config: the workspace.
            path: its file; empty if it is not written, or not yet.
            agent: the agent whose session it is.
            lang: the language of the file.
            begin: creates the file before the first turn is written, and returns its path.
            after: what follows the end of the session; it gets the path, and returns sentences about what it did.
            go_on: begins the file in which the session goes on when its own is full.
            known: the secrets of its request; None reads those of its earlier turns.
            pastes: the pastes of its request, which its first turn may repeat.
        """
        self.path, self.agent, self._begin, self._after = path, agent, begin, after
        self._go_on = go_on
        self._config, self._lang = config, config.lang
        self._template = template(config, lang)
        self._pen = config.pen()
        self._ended = False
        self._pastes: Pastes = pastes or {}
        self._known = known or KnownSecrets(config.root, path)
        self._known.save(path, config.settings.session.secret_days)
        self._open_calls: dict[str, str] = {}  # id → tool of each call whose result is not recorded yet

    @property
    def id(self) -> str:
        """Return the name of the session's file without its ending; empty if sessions are not written."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    def turn(
        self,
        role: str,
        text: str,
        *,
        at: str | dt.datetime | None = None,
        tool_calls: Sequence[Mapping[str, Any]] | str = (),
        tool_results: Sequence[Mapping[str, Any]] | str = (),
    ) -> RecordedTurn:
        """Add a turn and the tool runs that belong to it; all of it is on disk when this returns.

        A user's turn begins a round. Secrets are masked and forgotten texts removed before the turn is written; the
        hint lists both. A long paste (code, a log, a table; `[session] paste_lines`, `paste_chars`) is stored as an
        artifact, and the turn gets its summary and its pointer. Control characters are left out; all other text is
        written unchanged.

        Each call becomes a tool turn with its input and its result. A result of more than `[session] result_lines`
        lines is stored as an artifact, and the turn gets its summary. A result of an earlier call is a turn of its own.

        Args:
            role: user, assistant, tool or system.
            text: any text.
            at: the time of the turn; default now.
            tool_calls: `{"name", "input", "id"}` for each call; `arguments` as a string of JSON is accepted too.
            tool_results: `{"tool_use_id", "content", "is_error"}` for each result.

        Raises:
            UsageError: unknown role, invalid time, unreadable calls or results, or the session has ended.
            RefusedError: the text holds lone surrogates.
            WriteError: the system refused, or the disk is full; nothing was added.
            LockedError: another writer held the lock too long.
            UnreadableFileError: the file is missing.
        """
        unknown: list[str] = []
        calls, results = read_calls(tool_calls, unknown), read_results(tool_results, unknown)
        return self._add(RecordLine(role, text, "", calls, results, tuple(unknown)), at)

    def record(self, given: Mapping[str, Any]) -> RecordedTurn:
        """Add what an object of a program says, as `mdmem session record` does for each line.

        The hint names the keys and the blocks that are unknown and were not recorded.

        Args:
            given: `role`, `text` or `content` (a text, or blocks), `tool_calls`, `tool_results`, `timestamp`; or `end`
                and `outcome`, which end the session.

        Raises:
            MdmemError: as `turn` and `end` raise.
        """
        if "end" not in given:
            return self._add(read_record(given), None)
        done = self.end(text_value(given, "end"), text_value(given, "outcome", ""))
        joint = say(self._lang, "punctuation.clause")
        return replace(done, hint=joint.join(filter(None, (done.hint, *self._unknown(unknown_end_keys(given))))))

    def _add(self, line: RecordLine, at: str | dt.datetime | None) -> RecordedTurn:
        role = line.role
        if role not in ROLES:
            raise UsageError(self._say("session.role", role=role), hint=self._say("session.role.hint"))
        if self._ended:
            raise UsageError(self._say("session.over", id=self.id), hint=self._say("session.over.hint"))
        if not (self.path or self._begin):
            return RecordedTurn(
                "unchanged", self._say("session.not-written"), self._say("session.not-written.hint"), role=role
            )
        time = time_of(self._config, at or line.at or None, self._day)
        moment = at if isinstance(at, dt.datetime) else None
        has_text = bool(line.text) or not (line.calls or line.results) or (role == "assistant" and bool(line.calls))
        fit = sanitize_turn(self._config, line.text, self.agent, self._known)
        fit = self._public(fit) if role == "user" and self._config.settings.session.private == "drop" else fit
        tools = tool_turns(
            self._config, line.calls, line.results, self._open_calls, agent=self.agent, at=moment, known=self._known
        )  # fmt: skip
        moved = move_pastes(self._config, role, fit.text, self.agent, moment, self._pastes)
        turns = [("tool", text) for text in tools.results]
        turns += [(role, moved.text)] if has_text else []
        turns += [("tool", text) for text in tools.runs]
        number, notes = self._append(turns, time, moment)
        self._known.save(self.path, self._config.settings.session.secret_days)
        self._open_calls = dict(tools.open_calls)
        outbound = self._record_outbound(line, fit.text)
        notes = (*fit.notes, *moved.notes, *tools.notes, *notes, *outbound, *self._unknown(line.unknown))
        joint = say(self._lang, "punctuation.clause")
        message = self._message(number, role if has_text else "", len(turns) - has_text)
        return RecordedTurn("done", message, joint.join(dict.fromkeys(notes)), self.path, number, role)

    def _public(self, fit: SanitizedText) -> SanitizedText:
        """Return a text without what is said in confidence, and a note about it."""
        from mdmem.formats.sentences import Splitter
        from mdmem.sessions.confidences import confidences, without_private

        settings = self._config.settings
        text = without_private(fit.text, Splitter(settings.sentences), confidences(settings.keeper))
        if text == fit.text:
            return fit
        return fit._replace(
            text=text.strip() or self._say("session.dropped"), notes=(*fit.notes, self._say("session.private"))
        )

    def _record_outbound(self, line: RecordLine, sentence: str) -> tuple[str, ...]:
        """Record the files that the tools of a turn made or sent (K070); a call with an error made none."""
        failed = {result.call for result in line.results if result.ok is False}
        calls = [call for call in line.calls if not (call.id and call.id in failed)]
        if not calls:
            return ()
        from mdmem.attachments.outbound import record_outbound

        outcomes = [
            one
            for call in calls
            for one in record_outbound(self._config, call.name, call.input, sentence, self.id, actor=self.agent)
        ]
        return tuple(self._say("attachment.outbound", path=one.path) for one in outcomes if one.status == "done")

    def _append(
        self, turns: Sequence[tuple[str, str]], time: str, at: dt.datetime | None
    ) -> tuple[int, tuple[str, ...]]:
        """Append turns as one record; return the number of the round, and notes for the caller."""
        number = 0

        def make(tails: Iterator[BackwardReader]) -> bytes:
            nonlocal number
            number, texts = _last(tails, self._template), list[str]()
            number = number or self._rounds_before()
            for role, text in turns:
                number = max(1, number + (role == "user"))
                texts.append(turn_text(number, speaker(role, self._template), time, text, self._template))
            return "".join(texts).encode()

        self._start()
        notes: tuple[str, ...] = ()
        try:
            done = self._pen.append(self.path, make, mirrored=True)
        except FileFullError:
            turns, notes = self._shortened(turns, at)
            if not notes or self._is_full(turns):
                notes += self._next_file()
            done = self._pen.append(self.path, make, mirrored=True)
        torn = (self._say("session.torn", id=done.torn.id),) if done.torn else ()
        return number, (*notes, *torn, *self._back(done.back))

    def _next_file(self) -> tuple[str, ...]:
        """Go on in another file, and end the full one: nothing else is added to it."""
        if self._go_on is None:
            return ()
        full, self.path = self.path, self._go_on(self.path)
        with suppress(MdmemError):  # it may have ended already; what is said now matters more
            end_session(self._config, full, self._say("session.goes-on", id=self.id), "ongoing", self.agent)
        return (self._say("session.went-on", id=self.id),)

    def _is_full(self, turns: Sequence[tuple[str, str]]) -> bool:
        """Return whether the file has no room for turns."""
        size = file_size(self._config.root, self.path) + sum(map(_bytes, turns))
        return size > self._config.settings.lint.max_bytes

    def _shortened(
        self, turns: Sequence[tuple[str, str]], at: dt.datetime | None
    ) -> tuple[Sequence[tuple[str, str]], tuple[str, ...]]:
        """Return turns that fit into a file; texts that are too long for half of one become artifacts, as pastes do."""
        most = self._config.settings.lint.max_bytes // 2
        if sum(map(_bytes, turns)) <= most:
            return turns, ()
        moved = [
            move_whole(self._config, text, self.agent, at)
            if _bytes((role, text)) * len(turns) > most
            else PastedText(text)
            for role, text in turns
        ]
        notes = tuple(note for one in moved for note in one.notes)
        return [(role, one.text) for (role, _), one in zip(turns, moved, strict=True)], notes

    def _rounds_before(self) -> int:
        """Return the last round of the file that this one continues; 0 if it continues none."""
        earlier = earlier_part(self._config, self.path)
        return last_round(self._config, earlier) if earlier else 0

    def _back(self, back: RestoredTurns | None) -> tuple[str, ...]:
        """Return the notes about restored turns."""
        return (self._say("session.brought-back", turns=back.turns, id=back.transaction.id),) if back else ()

    def _message(self, number: int, role: str, runs: int) -> str:
        """Return the message about what was recorded."""
        if not role:
            return self._say("session.said-tools", number=number, tools=runs)
        who = self._say(f"session.{role}")
        if not runs:
            return self._say("session.said", number=number, role=who)
        return self._say("session.said-with-tools", number=number, role=who, tools=runs)

    def _unknown(self, keys: Sequence[str]) -> tuple[str, ...]:
        return (self._say("session.unknown", keys=", ".join(f"`{key}`" for key in keys)),) if keys else ()

    def masked(self, text: str) -> str:
        """Return a text in which the secrets that were found earlier in the session are masked, and nothing else."""
        return mask(text, tuple(without_overlaps(self._known.find(text))))

    def tool(self, kept: StoredArtifact, *, at: str | dt.datetime | None = None) -> RecordedTurn:
        """Add a tool run as a turn: name, input, exit code, summary, and the path of its output (G030)."""
        run = ToolRun(kept.tool, kept.input, None, kept.exit_code, "\n".join(kept.summary), kept.path)
        return self.turn("tool", tool_run_text(run), at=at)

    def end(self, response: str = "", outcome: str = "") -> RecordedTurn:
        """End the session: write the end time, the outcome, the response, the duration, the rounds and the tools used.

        Then the scratchpad is updated, and what matters is proposed for MEMORY.md; the hint says so.

        Args:
            response: the result, conclusion first.
            outcome: success, partial, failed, or ongoing if another session continues it; empty for what its episode
                tells: a model's answer that is proved, else the last runs of tools and the words of the last turns.

        Raises:
            UsageError: unknown outcome, or the session has already ended.
            MdmemError: the pen refuses the change.
        """

        if self._ended:
            raise UsageError(self._say("session.over", id=self.id), hint=self._say("session.over.hint"))
        if not (self.path or self._begin):
            return RecordedTurn("unchanged", self._say("session.not-written"), self._say("session.not-written.hint"))
        fit = sanitize_turn(self._config, response, self.agent, self._known)
        self._start()
        notes = self._back(self._pen.bring_back(self.path))
        moved = self._fitting(fit.text.strip("\r\n"))
        count = end_session(self._config, self.path, moved.text, outcome, self.agent)
        self._ended = True
        joint = say(self._lang, "punctuation.clause")
        return RecordedTurn(
            "done",
            self._say("session.ended", id=self.id, rounds=count),
            joint.join(dict.fromkeys((*fit.notes, *moved.notes, *notes, *self._followed()))),
            self.path,
            count,
        )

    def _followed(self) -> Iterator[str]:
        """Run the journey after the end, for each file of the session; the end is written by now, whatever fails."""
        if self._after is None:
            return
        parts: tuple[str, ...] = (self.path,)
        try:
            parts = parts_of(self._config, self.path)
        except MdmemError as error:
            yield str(in_language(error, self._lang))
        for path in parts:
            yield from self._after(path)

    def _fitting(self, response: str) -> PastedText:
        """Return a response that leaves room for the episode in the file; a longer one becomes an artifact."""
        room = self._config.most_bytes(self.path) - file_size(self._config.root, self.path)
        if len(response.encode("utf-8", "surrogateescape")) > room * _RESPONSE:
            return move_whole(self._config, response, self.agent, None)
        return PastedText(response)

    def __enter__(self) -> Self:
        """Return the session; leaving the block ends it."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session if it is still open; of an exception, write only the class name."""
        if self._ended:
            return
        if kind is None:
            self.end()
        else:
            with suppress(MdmemError):  # the error in the block matters more
                self.end(kind.__name__, "failed")

    def _start(self) -> None:
        """Create the file if it does not exist yet; follow it if a forgotten text was taken out of its name."""
        if self._begin and not self.path:
            self.path = self._begin()
        elif not os.path.lexists(os.path.join(self._config.root, self.path)):
            found = [path for path in paths(self._config) if is_struck(self.id, path.rpartition("/")[2][: -len(".md")])]
            self.path = found[0] if len(found) == 1 else self.path

    @property
    def _day(self) -> dt.date | None:
        try:
            return dt.date.fromisoformat(self.id[:8])
        except ValueError:
            return None

    def _say(self, key: str, **facts: object) -> str:
        return say(self._lang, key, **facts)


def _bytes(turn: tuple[str, str]) -> int:
    """Return about how many bytes a turn takes in a file."""
    return len(turn[1].encode("utf-8", "surrogateescape")) + _HEADING


def _last(tails: Iterator[BackwardReader], schema: Template) -> int:
    """Return the number of the last round, reading the file from its end."""
    for tail in tails:
        number = last_number(tail.data.decode("utf-8", "surrogateescape"), schema, whole=not tail.start)
        if number is not None:
            return number
    return 0
