"""Writes imported episodes into the sessions that they belong to, and links them with the facts that came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

from mdmem.entries.kind_files import files_of
from mdmem.entries.read import live_bytes
from mdmem.episodes.stretches import SECTION, EpisodeAction, EpisodeStretch, read_stretches, stretch_lines
from mdmem.facts.edits import with_fields
from mdmem.facts.read import stem
from mdmem.formats.fact_words import KIND as FACTS
from mdmem.formats.session import part_span, read_session
from mdmem.formats.session_edits import append_part, set_part, set_values
from mdmem.formats.template import Template
from mdmem.importers.conversations import SessionMaker
from mdmem.importers.import_context import ACTOR, ImportContext
from mdmem.importers.model import ImportedEpisode, ImportedFact, ImportedSession, ImportRecord
from mdmem.importers.origins import KnownOrigins
from mdmem.importers.readers.common import numbered
from mdmem.messages.catalog import say
from mdmem.sessions.read import template
from mdmem.store.transaction import Change, DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.entry import without_brackets
from mdmem.text.inline import one_line
from mdmem.text.yaml.post import FrontValue

_RESPONSE = "response"
_ONLY_ROUND = (1, 1)  # of a session without turns


class _Home(NamedTuple):
    """The session that an episode is written to, and its rounds there."""

    path: str
    document: Document
    rounds: tuple[int, int]

    @property
    def place(self) -> str:
        """The session and the rounds: `sessions/x.md#1-2`."""
        first, last = self.rounds
        return f"{self.path}#{first}" if first == last else f"{self.path}#{first}-{last}"


class EpisodeImport:
    """The episodes of one import, and where each conversation and each fact stands."""

    def __init__(self, context: ImportContext, sessions: SessionMaker, known: KnownOrigins) -> None:
        """Bind to an import; `sessions` makes files for episodes without a conversation."""
        self._context, self._config = context, context.config
        self._sessions, self._known = sessions, known
        self._schema = template(context.config)
        self._rounds: dict[str, list[int]] = {}  # of each message of a conversation
        self._linked: dict[str, dict[str, None]] = {}  # episode → facts
        self._facts: dict[str, str] = {}  # fact → `file#id`
        self._successors: dict[str, str] = {}  # fact → the fact that took its place
        self._heads: dict[str, tuple[str, str]] = {}  # episode → path and text of a session of its own

    # --- where things stand

    def see(self, record: ImportRecord) -> None:
        """Remember what a record tells of episodes, whether it is written or known already."""
        if isinstance(record, ImportedSession):
            self._rounds[record.origin] = list(numbered(record.turns))
        elif isinstance(record, ImportedEpisode):
            self._linked.setdefault(record.origin, {}).update(dict.fromkeys(record.linked))
        elif isinstance(record, ImportedFact):
            if record.episode:
                self._linked.setdefault(record.episode, {})[record.origin] = None
            if record.successor:
                self._successors[record.origin] = record.successor

    def wrote_session(self, record: ImportedSession, path: str) -> None:
        """Remember the file of a conversation."""
        self._known.sessions.setdefault(record.origin, []).append((record.before + len(record.turns), path))

    def wrote_fact(self, origin: str, place: str) -> None:
        """Remember the line of a fact, `file#id`."""
        self._facts[origin] = place

    def session_id(self, origin: str) -> str:
        """Return the id of a conversation's session; empty if it has none."""
        found = self._known.sessions.get(origin)
        return stem(max(found)[1]) if found else ""

    def source(self, origin: str) -> str:
        """Return an episode as a fact names it; by its origin if it is not there."""
        place = self._known.episodes.get(origin)
        path, _, rounds = place.rpartition("#") if place else ("", "", "")
        return f"session:{stem(path)}#{rounds}" if path else f"session:{origin}"

    def fact(self, origin: str) -> str:
        """Return the line of a fact, `file#id`; its origin if it is not there."""
        return self._facts.get(origin) or self._earlier.get(origin, origin)

    # --- writing

    def write(self, records: Sequence[ImportedEpisode]) -> None:
        """Write an episode: the head of its session, its line, and a line for each tool run."""
        (given,) = records
        context, commit = self._context, self._context.commit()
        if commit.access.tombstones.holds(given.summary):
            context.tally.tell(given.place, "episode", "refused", context.say("import.forgotten"))
            return
        before = self._sessions.masked
        record = self._clean(given)
        context.tally.masked += self._sessions.masked > before
        for line in _lines(record, _ONLY_ROUND, self._schema.lang):
            if found := commit.gate.unfit("", f"- {line}\n"):
                context.tally.tell(record.place, "episode", "refused", found.message)
                return
        home = _Home("", parse(b""), _ONLY_ROUND)

        def change(files: DraftFiles) -> Edits:
            nonlocal home
            home = self._home(files, record)
            edits = _edits(home.document, self._schema, record, home.rounds)
            if files[home.path] is None:
                edits = (Edit.insert(0, apply_edits(home.document.text, edits)),)
            return {
                home.path: edits,
                **context.ledger(commit, files, [(record.origin, home.place)]),
            }

        if context.dry_run:
            context.tally.done(record, "")
            return
        self._commit(change)
        self._known.episodes[record.origin] = home.place
        context.tally.done(record, home.path)

    def _clean(self, given: ImportedEpisode) -> ImportedEpisode:
        """Return an episode with its secrets masked and forgotten texts struck, each text on one line."""
        clean = self._sessions.clean
        return replace(
            given, summary=one_line(clean(given.summary)).strip(), goal=one_line(clean(given.goal)).strip(),
            entities=tuple(map(clean, given.entities)), tags=tuple(map(clean, given.tags)),
            actions=tuple(self._clean_action(one) for one in given.actions),
            fields={key: clean(value) for key, value in (given.fields or {}).items()},
        )  # fmt: skip

    def _clean_action(self, given: EpisodeAction) -> EpisodeAction:
        texts = (given.tool, given.input, given.result, given.decision)
        tool, said, result, decision = (one_line(self._sessions.clean(one)).strip() for one in texts)
        return replace(given, tool=tool, input=said, result=result, decision=decision)

    def _home(self, files: DraftFiles, record: ImportedEpisode) -> _Home:
        """Return the file of an episode with its rounds there: that of its conversation, else one of its own."""
        numbers, before = self._rounds.get(record.session, []), 0
        for messages, path in sorted(self._known.sessions.get(record.session, ())) if record.rounds else ():
            document = files[path]
            own = _held(document, self._schema, path, record, before) if document else None
            if document and own:
                return _Home(path, document, own)
            before = numbers[messages - 1] if 0 < messages <= len(numbers) else before
        if record.origin not in self._heads:
            self._heads[record.origin] = self._sessions.head(record)
        path, text = self._heads[record.origin]
        return _Home(path, parse(text.encode()), _ONLY_ROUND)

    def _commit(self, change: Change) -> None:
        self._config.pen().commit(change, actor=ACTOR, reason=self._context.reason)

    # --- links

    def link(self) -> None:
        """Name facts in the lines of the episodes that they came of, these in the facts, and successors in facts."""
        lines = self._earlier | self._facts if self._linked or self._successors else {}
        for episode, facts in self._linked.items():
            place = self._known.episodes.get(episode)
            found = [lines[fact] for fact in facts if fact in lines]
            if place and found:
                link = _Link(episode, place.rpartition("#")[0], self.source(episode), tuple(dict.fromkeys(found)))
                self._commit(link.edits)
        pairs = [(lines[one], lines[other]) for one, other in self._successors.items() if {one, other} <= lines.keys()]
        if pairs:
            self._commit(partial(_succeeded, pairs))

    @cached_property
    def _earlier(self) -> dict[str, str]:
        """The facts of earlier imports by their origins, as `file#id`."""
        found = dict[str, str]()
        for path in files_of(self._config, FACTS):
            data = live_bytes(self._config, path, self._config.most_bytes(path)) or b""
            for entry in parse(data).entries if b"[origin:: " in data else ():
                field, ident = entry.parts.field("origin"), entry.parts.id
                if field and ident:
                    found[field.value] = f"{path}#{ident}"
        return found


def _held(
    document: Document, schema: Template, path: str, record: ImportedEpisode, before: int
) -> tuple[int, int] | None:
    """Return the rounds of an episode as a file numbers them, without those of other episodes; None if it has none."""
    assert record.rounds is not None
    first, last = (number - before for number in record.rounds)
    taken = {number for one in read_stretches(document, schema) for number in range(one.first, one.last + 1)}
    numbers = sorted({turn.number for turn in read_session(document, path, schema).turns} - taken)
    free = [number for number in numbers if first <= number <= last]
    run = [number for at, number in enumerate(free) if number == free[0] + at]
    return (run[0], run[-1]) if run else None


def _edits(document: Document, schema: Template, record: ImportedEpisode, rounds: tuple[int, int]) -> tuple[Edit, ...]:
    """Return the edits that add an episode to a session: the front matter, the response if there is none, its lines."""
    head = document.front_matter.values if document.front_matter else {}
    lines = [f"- {line}" for line in _lines(record, rounds, schema.lang, head)]
    span = part_span(document, schema, _RESPONSE)
    is_open = span is not None and not span.of(document.text).strip()
    return (
        *set_values(document, _head_values(record, head)),
        *(set_part(document, schema, _RESPONSE, record.summary) if is_open else ()),
        *append_part(document, schema, SECTION, lines),
    )


def _head_values(record: ImportedEpisode, head: Mapping[str, object]) -> dict[str, FrontValue]:
    """Return the keys of the front matter that an episode sets: what is there stays, lists are joined."""
    values: dict[str, FrontValue] = {"source": record.source}
    if record.outcome:
        values["outcome"] = record.outcome
    if record.goal and not head.get("goal"):
        values["goal"] = record.goal
    known = head.get("importance")
    if record.importance is not None and not (isinstance(known, int | float) and known >= record.importance):
        values["importance"] = record.importance
    for key, more in (("entities", record.entities), ("tags", record.tags)):
        held = head.get(key)
        joined = tuple(dict.fromkeys((*(map(str, held) if isinstance(held, list) else ()), *more)))
        if joined:
            values[key] = joined
    return values


def _lines(
    record: ImportedEpisode, rounds: tuple[int, int], lang: str, head: Mapping[str, object] | None = None
) -> Iterator[str]:
    """Yield the line of an episode and those of its tool runs; the first has what the front matter does not say."""
    summary = record.summary or say(lang, "episode.only-tools", count=len(record.actions))
    stretch = EpisodeStretch(*rounds, summary, record.outcome, record.source, (), record.actions)
    first, *others = stretch_lines(stretch, lang)
    known, own = head or {}, dict[str, str]()
    if not record.is_alone:
        importance = "" if record.importance is None else f"{record.importance:g}"
        own = {"goal": record.goal, "importance": importance, "entities": ", ".join(record.entities),
               "tags": ", ".join(record.tags)}  # fmt: skip
    for key, at in (("started", record.started), ("ended", record.ended)):
        minute = at.replace("T", " ")[:16]
        own[key] = "" if str(known.get(key, ""))[:16] == minute else minute
    own |= record.fields or {}
    fields = {key: without_brackets(one_line(value)).strip() for key, value in own.items()}
    yield with_fields(first, {key: value for key, value in fields.items() if value} | {"origin": record.origin})
    yield from others


class _Link(NamedTuple):
    """An episode, and the facts that came of it."""

    origin: str
    path: str
    source: str  # the episode as a fact names it
    facts: tuple[str, ...]

    def edits(self, files: DraftFiles) -> Edits:
        """Return the edits that name each in the other; what is linked already is left as it is."""
        session = _entry(files[self.path], "origin", self.origin)
        if session is None:
            return {}
        found: dict[str, list[Edit]] = {}
        named = list[str]()
        for fact in self.facts:
            path, line = _line(files, fact)
            if line is None:
                continue
            named += [] if f"[facts:: {fact}]" in session.text else [f" [facts:: {fact}]"]
            known = line.parts.field("episode")
            if known is None or known.value == f"session:{self.origin}":
                new = with_fields(line.text, {"episode": self.source})
                found.setdefault(path, []).append(Edit(line.text_span, new))
        if named:
            found[self.path] = [Edit.insert(session.text_span.end, "".join(named))]
        return dict(found)


def _succeeded(pairs: Sequence[tuple[str, str]], files: DraftFiles) -> Edits:
    """Return the edits by which superseded facts name the fact that took their place, unless they name one."""
    found: dict[str, list[Edit]] = {}
    for fact, successor in pairs:
        path, line = _line(files, fact)
        other, _, ident = successor.rpartition("#")
        if line and line.parts.field("superseded") and not line.parts.field("superseded_by"):
            new = with_fields(line.text, {"superseded_by": ident if other == path else successor})
            found.setdefault(path, []).append(Edit(line.text_span, new))
    return dict(found)


def _line(files: DraftFiles, fact: str) -> tuple[str, Entry | None]:
    """Return the file and the entry of a fact, `file#id`."""
    path, _, ident = fact.rpartition("#")
    document = files[path]
    return path, next((one for one in document.entries if one.parts.id == ident), None) if document else None


def _entry(document: Document | None, key: str, value: str) -> Entry | None:
    entries = document.entries if document else ()
    return next((one for one in entries if (field := one.parts.field(key)) and field.value == value), None)
