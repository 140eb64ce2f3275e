"""Which sessions may have a chat window at its limit: an open conversation is among the newest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.commit import ChangeRequest, note_texts
from mdmem.entries.edits import add
from mdmem.entries.edits.content import content
from mdmem.entries.gate import Gate
from mdmem.entries.inbox import overflow_to_inbox
from mdmem.entries.kind_files import is_single, kind_file
from mdmem.entries.model import Outcome
from mdmem.entries.show import read_file
from mdmem.errors import ConfigError, ConflictError, TargetError, UnreadableFileError, UsageError
from mdmem.formats.joined_line import plain
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, read_session
from mdmem.formats.session_edits import set_values
from mdmem.formats.template import EntryRule
from mdmem.keeper.condensing.importance import ImportanceScorer
from mdmem.keeper.conversation.messages import sanitized_turns
from mdmem.keeper.conversation.model import (
    ConversationTask,
    TargetSection,
    Window,
    conversation_problems,
    lines_by_part,
    open_session,
    window,
)
from mdmem.keeper.conversation.summary import summarize_stage
from mdmem.keeper.conversation.transcript import chunks
from mdmem.keeper.job import Compaction, chat_prompt
from mdmem.keeper.model import Operation, PlanProblem
from mdmem.messages.catalog import say
from mdmem.sessions.file_names import FOLDERS
from mdmem.sessions.read import latest_sessions, template
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key


def candidate_sessions(config: WorkspaceConfig, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the sessions among some paths; without any, the newest of the workspace."""
    if not paths:
        return latest_sessions(config, limit=config.settings.session.open_among)
    return tuple(path for path in paths if path.partition("/")[0] in FOLDERS)


_KIND, _SECTION = "fastmemo", "pool"  # the section by an alias that both languages know


class ContextPool(NamedTuple):
    """Where the pool stands, and what it takes."""

    path: str
    section: str
    names: tuple[str, ...]  # as an answer may call it
    max_chars: int  # of an entry
    lines: int  # entries that one stage becomes
    lang: str
    access: AccessPolicy


def find_pool(config: WorkspaceConfig, lines: int) -> ContextPool:
    """Find the context pool of a workspace.

    Raises:
        ConfigError: there is no kind of file that has one.
    """
    access = AccessPolicy(config, KEEPER)
    shipped = config.schemas.get(_KIND)
    path = kind_file(config.root, shipped) if shipped and is_single(shipped) else ""
    template = (access.template(path, _document(config, path)) if path else None) or shipped
    name = template.name(_SECTION) if template else None
    spec = template.spec(name) if template and name else None
    if template is None or spec is None:
        raise ConfigError(
            "no memory file has a context pool", hint="the kind `{kind}` has one as shipped", facts={"kind": _KIND}
        )
    names = tuple(alias for alias, section in template.aliases.items() if section == spec.name)
    most = spec.entries.max_chars or len(template.text)
    return ContextPool(path, spec.name, names, most, lines, template.lang or config.lang, access)


def _document(config: WorkspaceConfig, path: str) -> Document | None:
    with suppress(TargetError):
        return parse(read_file(config, path, KEEPER).text.encode())
    return None


def unknown(rules: Sequence[str], document: Document | None) -> tuple[str, ...]:
    """Return the rules that a memory does not hold word for word already, in an entry or in a line made of several."""
    known = [comparison_key(plain(entry.text)) for entry in document.entries] if document else []
    return tuple(rule for rule in rules if not any(_says(rule) in said for said in known))


def marked(rules: Sequence[str], lang: str, max_chars: int, source: str = "") -> list[str]:
    """Write rules as entries of their own; one that is too long becomes several, without losing a word."""
    tag = say(lang, "keeper.tag")
    room = max_chars - len(f" {tag} [source:: {source}]") - 1
    return [sourced(f"{part} {tag}", source) for rule in rules for part in chunks(rule, room)]


def sourced(line: str, source: str) -> str:
    """Write a line as an entry that names the rounds it comes from; what cannot bear the field goes without."""
    if source:
        try:
            return content(line, {"source": source}, EntryRule()).text
        except UsageError:
            pass
    return content(line, {}, EntryRule()).text


def _says(text: str) -> str:
    parts = read_entry(text)
    return comparison_key(parts.body.of(text).strip() or text)


_THROUGH = "condensed_through"


class ChatWindowJob(Compaction):
    """The older rounds of one open session, as they were read."""

    def __init__(self, config: WorkspaceConfig, session: Session, seen: Window, pool: ContextPool, gate: Gate) -> None:
        self.config, self.session, self.seen, self.pool, self.path = config, session, seen, pool, session.path
        settings = config.settings
        room = pool.max_chars - len(self._dated("")) - len(f" [source:: {self._source}]")
        self.chat = ConversationTask(
            path=self.path,
            turns=sanitized_turns(seen.turns),
            parts=(TargetSection(pool.section, pool.names, pool.lines, room),),
            weigher=ImportanceScorer(settings.keeper, dt.date.fromisoformat(config.day)).of_talk(),
            near=settings.lint.near_duplicate,
            unfit=lambda text: not gate.is_allowed(pool.path, f"- {text}\n"),
            splitter=Splitter(config.settings.sentences),
            before=" · ".join(filter(None, (session.task, session.started))),
        )

    def prompt(self) -> str:
        """Return what a model is asked."""
        return chat_prompt(self.config, self.chat, self.pool.lang)

    def answer(self) -> Sequence[Operation]:
        """Answer by rule."""
        return summarize_stage(self.chat)

    def problems(self, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
        """Find what is wrong with an answer."""
        return conversation_problems(self.chat, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer, the rules beside it, and how far the session is condensed now."""
        lang, pool = self.config.lang, self.pool
        commit = ChangeRequest(
            self.config, "compact", KEEPER, say(lang, "keeper.reason", backend=backend), dry_run=dry_run
        )
        span = {"first": self.seen.first, "last": self.seen.last}
        told = lines_by_part(self.chat, operations)[pool.section] or (say(pool.lang, "keeper.no-sentence", **span),)
        said = [self._dated(line) for line in told]
        count = 0

        def change(files: DraftFiles) -> Edits:
            nonlocal count
            session = commit.document(files, self.path)
            self._same(session)
            memory = files[pool.path]
            rules = marked(unknown(self.chat.rules, memory), pool.lang, pool.max_chars, self._source)
            lines = [*rules, *(sourced(line, self._source) for line in said)]
            intent = add(memory, commit.template(pool.path, memory), lines, section=pool.section)
            commit.note(pool.path, *intent.notes)
            full = next((note for note in intent.notes if note.kind == "full"), None)
            count = len(lines) - (len(note_texts(full)) if full else 0)
            more = overflow_to_inbox(commit, files, pool.path, pool.section, full) if full else {}
            return {self.path: set_values(session, {_THROUGH: self.seen.last}), pool.path: intent.edits, **more}

        commit.run(change)
        facts = {**span, "count": count, "section": pool.section}
        return commit.outcome(say(lang, "keeper.condensed", path=self.path, to=pool.path, **facts), pool.path)

    def _same(self, document: Document) -> None:
        """See to it that the rounds still are what was condensed; newer ones may have come.

        Raises:
            ConflictError: they are not.
        """
        now = window(read_session(document, self.path, template(self.config)), template(self.config))
        said = [(turn.number, turn.role, turn.text) for turn in self.seen.turns]
        if [(turn.number, turn.role, turn.text) for turn in now.turns][: len(said)] != said:
            raise ConflictError(say(self.config.lang, "keeper.moved-on"), path=self.path)

    @property
    def _source(self) -> str:
        return f"chat:{self.session.id}#{self.seen.first}-{self.seen.last}"

    def _dated(self, line: str) -> str:
        day = (self.session.started[:10] or self.config.day) + say(self.pool.lang, "punctuation.colon")
        return line if line.startswith(day[:10]) else day + line


def read_window(config: WorkspaceConfig, path: str) -> ChatWindowJob | None:
    """Read what may be condensed of a session; None where there is nothing, or the session is over.

    Raises:
        UnreadableFileError, TargetError: it cannot be read.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    schema = template(config)
    session = open_session(parse(found.text.encode()), path, schema)
    seen = window(session, schema, token_counter(config.settings.tokens)) if session else None
    if session is None or seen is None or not seen.turns:
        return None
    pool = find_pool(config, int(schema.numbers.get("condense_to", 1)))
    return ChatWindowJob(config, session, seen, pool, Gate(pool.access))
