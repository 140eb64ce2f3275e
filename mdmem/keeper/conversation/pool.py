"""Condense the chat window of an open session into the context pool of the surface memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.commit import ChangeRequest, note_texts
from mdmem.entries.edits import add
from mdmem.entries.edits.content import content
from mdmem.entries.gate import Gate
from mdmem.entries.inbox.proposals import overflow_to_inbox
from mdmem.entries.kind_files import is_single, kind_file
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_file, read_optional
from mdmem.episodes.fact_links import facts_files_of, with_facts
from mdmem.episodes.stretches import (
    EpisodeStretch,
    condensed_stretches,
    episode_edits,
    read_stretches,
)
from mdmem.errors import ConfigError, ConflictError, UnreadableFileError, UsageError
from mdmem.formats.joined_line import plain
from mdmem.formats.paths import within_user
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import FOLDERS, Session, read_session
from mdmem.formats.session_edits import set_values
from mdmem.formats.template import EntryRule, Template
from mdmem.generation.model import Operation, PlanProblem
from mdmem.generation.prompt import prompt
from mdmem.keeper.conversation.chat_window import Window, open_session, window
from mdmem.keeper.conversation.model import (
    CHAT,
    ConversationTask,
    TargetSection,
    chat_values,
    conversation_problems,
    lines_by_part,
)
from mdmem.keeper.conversation.summary import summarize_stage
from mdmem.keeper.job import Compaction
from mdmem.messages.catalog import say
from mdmem.sessions.read import latest_sessions, template
from mdmem.sessions.sanitize import remembered_turns
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.transcript import chunks


def candidate_sessions(config: WorkspaceConfig, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the sessions among some paths; without paths, the newest sessions of the workspace."""
    if not paths:
        most = config.settings.session.open_among
        return tuple(path for one in config.everyone() for path in latest_sessions(one, limit=most))
    return tuple(path for path in paths if within_user(path).partition("/")[0] in FOLDERS)


_KIND, _SECTION = "fastmemo", "pool"  # an alias of the section in both languages


class ContextPool(NamedTuple):
    """The location of the context pool, and its limits."""

    path: str
    section: str
    names: tuple[str, ...]  # other names that an answer may use
    max_chars: int  # of an entry
    lines: int  # entries per condensed stage
    lang: str
    access: AccessPolicy


def find_pool(config: WorkspaceConfig, lines: int) -> ContextPool:
    """Return the context pool of a workspace.

    Raises:
        ConfigError: no kind of file has one.
    """
    access = AccessPolicy(config, KEEPER)
    shipped = config.schemas.get(_KIND)
    path = kind_file(config.root, shipped) if shipped and is_single(shipped) else ""
    template = (access.template(path, _document(config, path)) if path else None) or shipped
    name = template.name(_SECTION) if template else None
    spec = template.spec(name) if template and name else None
    if template is None or spec is None:
        raise ConfigError(
            "no memory file has a context pool", hint="the shipped kind `{kind}` has one", facts={"kind": _KIND}
        )
    names = tuple(alias for alias, section in template.aliases.items() if section == spec.name)
    most = spec.entries.max_chars or len(template.text)
    return ContextPool(path, spec.name, names, most, lines, template.lang or config.lang, access)


def _document(config: WorkspaceConfig, path: str) -> Document | None:
    found = read_optional(config, path, KEEPER)
    return parse(found.text.encode()) if found else None


def missing_rules(rules: Sequence[str], document: Document | None) -> tuple[str, ...]:
    """Return the rules that no entry or joined line of a memory contains word for word."""
    keys = [comparison_key(plain(entry.text)) for entry in document.entries] if document else []
    return tuple(rule for rule in rules if not any(_body_key(rule) in key for key in keys))


def rule_entries(rules: Sequence[str], lang: str, max_chars: int, source: str = "") -> list[str]:
    """Return rules as tagged entries; a rule that is too long is split into several, without losing a word."""
    tag = say(lang, "keeper.tag")
    room = max_chars - len(f" {tag} [source:: {source}]") - 1
    return [with_source(f"{part} {tag}", source) for rule in rules for part in chunks(rule, room)]


def with_source(line: str, source: str) -> str:
    """Return a line as an entry with its source; without the field if the line cannot take one."""
    if source:
        try:
            return content(line, {"source": source}, EntryRule()).text
        except UsageError:
            pass
    return content(line, {}, EntryRule()).text


def _body_key(text: str) -> str:
    parts = read_entry(text)
    return comparison_key(parts.body.of(text).strip() or text)


_THROUGH = "condensed_through"


class ChatWindowJob(Compaction):
    """The job of condensing the older rounds of one open session."""

    def __init__(
        self, config: WorkspaceConfig, session: Session, chat_window: Window, pool: ContextPool, gate: Gate
    ) -> None:
        self.config, self.session, self.chat_window, self.pool, self.path = (
            config,
            session,
            chat_window,
            pool,
            session.path,
        )
        settings = config.settings
        room = pool.max_chars - len(self._with_date("")) - len(f" [source:: {self._source}]")
        self.chat = ConversationTask(
            path=self.path,
            turns=remembered_turns(config, chat_window.turns),
            parts=(TargetSection(pool.section, pool.names, pool.lines, room),),
            scorer=ImportanceScorer(settings.keeper, config.today),
            near=settings.lint.near_duplicate,
            unfit=lambda text: not gate.is_allowed(pool.path, f"- {text}\n"),
            splitter=Splitter(config.settings.sentences),
            before=" · ".join(filter(None, (session.task, session.started))),
        )

    def prompt(self) -> str:
        """Return the prompt for a model."""
        return prompt(self.config, CHAT, self.pool.lang, chat_values(self.chat))

    def answer(self) -> Sequence[Operation]:
        """Return the answer of the built-in rules."""
        return summarize_stage(self.chat)

    def problems(self, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
        """Yield the problems of an answer."""
        return conversation_problems(self.chat, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Write a proved answer and the rules to the pool, and the last condensed round to the session."""
        lang, pool = self.config.lang, self.pool
        commit = ChangeRequest(
            self.config, "compact", KEEPER, say(lang, "keeper.reason", backend=backend), dry_run=dry_run
        )
        span = {"first": self.chat_window.first, "last": self.chat_window.last}
        answer = lines_by_part(self.chat, operations)[pool.section] or (say(pool.lang, "keeper.no-sentence", **span),)
        dated = [self._with_date(line) for line in answer]
        facts_files, count = facts_files_of(self.config, self.session.id), 0

        def change(files: DraftFiles) -> Edits:
            nonlocal count
            session = commit.document(files, self.path)
            self._check_unchanged(session)
            memory = files[pool.path]
            rules = rule_entries(missing_rules(self.chat.rules, memory), pool.lang, pool.max_chars, self._source)
            lines = [*rules, *(with_source(line, self._source) for line in dated)]
            edit_plan = add(memory, commit.template(pool.path, memory), lines, section=pool.section)
            commit.note(pool.path, *edit_plan.notes)
            full = next((note for note in edit_plan.notes if note.kind == "full"), None)
            count = len(lines) - (len(note_texts(full)) if full else 0)
            more = overflow_to_inbox(commit, files, pool.path, pool.section, full) if full else {}
            schema = commit.template(self.path, session) or template(self.config)
            made = self._stretches(session, schema, answer)
            told, links = with_facts(
                files, facts_files, self.session.id, made, int(schema.numbers.get("linked_facts", 0))
            )
            return {
                self.path: (
                    *set_values(session, {_THROUGH: self.chat_window.last}),
                    *episode_edits(session, schema, told, schema.lang or self.config.lang),
                ),
                pool.path: edit_plan.edits,
                **links,
                **more,
            }

        commit.run(change, paths=(self.path, pool.path, *facts_files))
        facts = {**span, "count": count, "section": pool.section}
        return commit.outcome(say(lang, "keeper.condensed", path=self.path, to=pool.path, **facts), pool.path)

    def _stretches(self, document: Document, schema: Template, answer: Sequence[str]) -> tuple[EpisodeStretch, ...]:
        """Return the stretches that tell the condensed rounds in the session's episode, with the summary as it is."""
        session, known = read_session(document, self.path, schema), read_stretches(document, schema)
        first, last = self.chat_window.first, self.chat_window.last
        return condensed_stretches(session, known, first, last, answer, schema, self.chat.splitter)

    def _check_unchanged(self, document: Document) -> None:
        """Check that the condensed rounds are unchanged; newer rounds may have been added.

        Raises:
            ConflictError: they have changed.
        """
        now = window(read_session(document, self.path, template(self.config)), template(self.config))
        before = [(turn.number, turn.role, turn.text) for turn in self.chat_window.turns]
        if [(turn.number, turn.role, turn.text) for turn in now.turns][: len(before)] != before:
            raise ConflictError(say(self.config.lang, "keeper.moved-on"), path=self.path)

    @property
    def _source(self) -> str:
        return f"chat:{self.session.id}#{self.chat_window.first}-{self.chat_window.last}"

    def _with_date(self, line: str) -> str:
        day = (self.session.started[:10] or self.config.day) + say(self.pool.lang, "punctuation.colon")
        return line if line.startswith(day[:10]) else day + line


def read_window(config: WorkspaceConfig, path: str) -> ChatWindowJob | None:
    """Read the chat window of a session as a job; None if nothing can be condensed or the session has ended.

    Raises:
        UnreadableFileError, TargetError: the session cannot be read.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    schema = template(config)
    session = open_session(parse(found.text.encode()), path, schema)
    chat_window = window(session, schema, token_counter(config.settings.tokens)) if session else None
    if session is None or chat_window is None or not chat_window.turns:
        return None
    pool = find_pool(config, int(schema.numbers.get("condense_to", 1)))
    return ChatWindowJob(config, session, chat_window, pool, Gate(pool.access))
