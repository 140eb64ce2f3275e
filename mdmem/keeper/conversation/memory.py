"""Condense a program's messages into the compact memory of a context: state and key events (D015 to D028, D043)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.archive import archive, no_longer_said
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import add, replace_section
from mdmem.entries.gate import Gate
from mdmem.entries.model import Outcome
from mdmem.errors import ConflictError, TargetError
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.formats.template import Template
from mdmem.generation.model import Operation, PlanProblem, content_of
from mdmem.generation.prompt import prompt
from mdmem.keeper.conversation.model import (
    CHAT,
    ConversationTask,
    TargetSection,
    chat_values,
    conversation_problems,
    lines_by_part,
)
from mdmem.keeper.conversation.pool import missing_rules, rule_entries
from mdmem.keeper.conversation.summary import Numbers, PreviousMemory, summarize_context
from mdmem.keeper.job import Compaction, only_archived
from mdmem.messages.catalog import say
from mdmem.sessions.sanitize import remembered_turns
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.tokens import TokenCounter
from mdmem.wording.importance import ImportanceScorer

_GAPS = pattern(r"\n(?:[ \t]*\n){2,}")
_STATE, _EVENTS = "state", "events"  # aliases of the sections in the shipped templates of both languages


class CompactMemory(NamedTuple):
    """A compact memory, as read from its file."""

    path: str
    document: Document | None  # None if there is no file yet, or none is written
    template: Template
    write: bool  # False if it is only returned, and lives as long as the context (D019)


class ContextMemoryJob(Compaction):
    """The job of condensing a context; `text` is the compact memory of the last proved answer."""

    def __init__(
        self, config: WorkspaceConfig, memory: CompactMemory, turns: Sequence[Turn], count: TokenCounter
    ) -> None:
        self.config, self.memory, self.path, self.text = config, memory, memory.path, ""
        template, numbers, gate = memory.template, memory.template.numbers, Gate(AccessPolicy(config, KEEPER))
        keeper = config.settings.keeper
        least = numbers.get("keep_importance", keeper.keep_importance)
        self._entry_chars = int(numbers.get("entry_chars", len(template.text)))
        self.chat = ConversationTask(
            path=memory.path,
            turns=remembered_turns(config, turns),
            parts=tuple(TargetSection(name, _aliases(template, name), None, self._entry_chars) for name in self._names),
            scorer=ImportanceScorer(keeper._replace(keep_importance=least), config.today),
            near=config.settings.lint.near_duplicate,
            unfit=lambda text: not gate.is_allowed(memory.path, f"- {text}\n"),
            splitter=Splitter(config.settings.sentences),
            before=_text_for_model(memory.document) if memory.document else "",
            max_tokens=int(numbers.get("compact_to_tokens", 0)) or None,
            count=count,
        )

    def prompt(self) -> str:
        """Return the prompt for a model."""
        lang = self.memory.template.lang or self.config.lang
        return prompt(self.config, CHAT, lang, chat_values(self.chat))

    def answer(self) -> Sequence[Operation]:
        """Return the answer of the built-in rules."""
        state = [text for text in self._previous_entries[0] if not self.chat.scorer.is_kept(text)]
        previous = PreviousMemory(state[0] if state else "", self._previous_entries[1])
        template_numbers = self.memory.template.numbers
        numbers = Numbers(int(template_numbers.get("keep_rounds", 1)), template_numbers.get("recent_share", 1.0))
        return summarize_context(self.chat, previous, numbers)

    def problems(self, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
        """Yield the problems of an answer."""
        return conversation_problems(self.chat, operations)

    def write(self, operations: Sequence[Operation], backend: str, *, dry_run: bool) -> Outcome | None:
        """Set `text` from a proved answer, and write it if a file is kept."""
        lang, path, previous = self.config.lang, self.path, self.memory.document
        old = previous or parse(self.memory.template.text.encode())
        after = parse(self._rewritten(old, lines_by_part(self.chat, operations)).encode())
        self.text = _text_for_model(after)
        message = say(lang, "keeper.made-memory", path=path, count=self.chat.count(self.text))
        if not self.memory.write:
            return Outcome("done", message)
        commit = ChangeRequest(self.config, "compact", KEEPER, say(lang, "keeper.reason", backend=backend),
                        confirm=True, whole=True, dry_run=dry_run)  # fmt: skip
        texts = {one_line(one.text) for one in after.entries}
        gone = [one for one in previous.entries if one_line(one.text) not in texts] if previous else []
        note = only_archived(commit, no_longer_said(gone, after.text))
        commit.reason += note

        def change(files: DraftFiles) -> Edits:
            now = files[path]
            if (now.text if now else None) != (previous.text if previous else None):
                raise ConflictError(say(lang, "keeper.moved-on"), path=path)
            kept = archive(commit, files, path, previous, gone, "compacted") if previous else {}
            return {path: smallest(now.text if now else "", after.text), **kept}

        commit.run(change)
        return commit.outcome(message + note, path)

    @property
    def _names(self) -> tuple[str, str]:
        name = self.memory.template.name
        return name(_STATE) or _STATE, name(_EVENTS) or _EVENTS

    @cached_property
    def _previous_entries(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The entries of the two sections, each as one line."""
        return self._entries(self._names[0]), self._entries(self._names[1])

    def _entries(self, name: str) -> tuple[str, ...]:
        document, template = self.memory.document, self.memory.template
        found: list[Entry] = []
        for section in document.sections if document else ():
            if template.name(section.title) == name:
                found += section.entries
        return tuple(one_line(one.text) for one in found if one.text.strip())

    def _rewritten(self, document: Document, lines: dict[str, tuple[str, ...]]) -> str:
        """Return the memory with both sections rewritten: the rules first, word for word, then the answer."""
        template, (state, events) = self.memory.template, self._names
        rules = [text for text in self._previous_entries[0] if self.chat.scorer.is_kept(text)]
        rules += rule_entries(
            missing_rules(self.chat.rules, document), template.lang or self.config.lang, self._entry_chars
        )
        text = document.text
        for name, texts in ((state, (*rules, *lines.get(state, ()))), (events, lines.get(events, ()))):
            if texts:
                now = parse(text.encode("utf-8", "surrogateescape"))
                text = apply_edits(text, _section(now, template, name, tuple(dict.fromkeys(texts))))
        return text


def _section(document: Document, template: Template, name: str, lines: tuple[str, ...]) -> Sequence[Edit]:
    """Return the edits that give a section these entries; a missing section is created."""
    try:
        return replace_section(document, template, name, content_of(lines)).edits
    except TargetError:
        return add(document, template, lines, section=name).edits


def _aliases(template: Template, name: str) -> tuple[str, ...]:
    return tuple(alias for alias, section in template.aliases.items() if section == name)


def _text_for_model(document: Document) -> str:
    """Return a memory as shown to a model, without the comments of the template."""
    text = apply_edits(document.text, [Edit.delete(one.span) for one in document.comments])
    bare = parse(text.encode("utf-8", "surrogateescape"))
    return _GAPS.sub("\n\n", bare.text[bare.start :]).strip() + "\n"
