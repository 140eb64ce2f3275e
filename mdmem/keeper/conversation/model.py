"""The task of condensing a conversation, and the proof of an answer to it.

The rules and corrections of the user are not part of an answer. They are kept word for word beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mdmem.formats.joined_line import Originals
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.formats.template import fold
from mdmem.generation.model import Operation, PlanProblem, lines_of
from mdmem.generation.proof import is_empty_answer, line_problem, meaning_problems, named_sections
from mdmem.keeper.condensing.condense import distinct
from mdmem.text.similarity import comparison_key, tokens
from mdmem.text.spans import LINE_END
from mdmem.text.tokens import TokenCounter, count_tokens
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import FactSource, facts
from mdmem.wording.transcript import Sentence, sentences, stated_rules, transcript

CHAT = "context_compact"  # the name of the prompt
_SEPARATOR = 2  # characters between two sentences of one entry


class TargetSection(NamedTuple):
    """A section that takes the summary of a conversation."""

    name: str
    names: tuple[str, ...]  # other names that an answer may use
    lines: int | None  # the most entries; None for no limit
    max_chars: int  # of an entry


class _ConversationFields(NamedTuple):
    path: str  # the file that an answer names: the conversation, or the compact memory
    turns: tuple[Turn, ...]  # the turns to condense, sanitized
    parts: tuple[TargetSection, ...]
    scorer: ImportanceScorer
    near: float  # share of common words at which two sentences count as duplicates
    unfit: Callable[[str], bool]  # whether the gate refuses a text
    splitter: Splitter
    before: str = ""  # the memory that the summary is added to
    max_tokens: int | None = None  # of the whole result; None for no limit
    count: TokenCounter = count_tokens


class ConversationTask(_ConversationFields):
    """The inputs for condensing a conversation."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the conversation."""
        return sentences(self.turns, self.splitter)

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """The rules and corrections of the user, word for word."""
        return stated_rules(self.sentences, self.scorer, self.unfit)

    @cached_property
    def _rule_keys(self) -> frozenset[str]:
        return frozenset(map(comparison_key, self.rules))

    def states_rule(self, text: str) -> bool:
        """Return whether a sentence states one of the rules; of one that is said in two spellings, the last is kept."""
        return comparison_key(text) in self._rule_keys

    @cached_property
    def important(self) -> tuple[str, ...]:
        """The sentences that are important enough and fit into an entry (D023), without rules and questions.

        One that a later sentence repeats or supersedes is not asked for: condensing leaves it out.
        """
        least = self.scorer.settings.keep_importance
        most = max(part.max_chars for part in self.parts)
        texts = [one.text for one in self.sentences if len(one.text) <= most and not one.asks]
        found = [text for text in texts if self.scorer.importance(text) > least and not self.states_rule(text)]
        newest = {unit.text for unit in distinct(texts, self.scorer, self.near)} if found else set()
        return tuple(text for text in found if text in newest or self.scorer.is_kept(text))

    def has_fitting_sentence(self, part: TargetSection) -> bool:
        """Return whether any whole sentence fits into an entry of a section."""
        return any(self.fits(part, one.text) for one in self.sentences)

    def fits(self, part: TargetSection, text: str) -> bool:
        """Return whether a text may be an entry of a section."""
        return len(text) <= part.max_chars and not self.unfit(text)

    @cached_property
    def source(self) -> str:
        """The text that an answer may be based on, as a prompt shows it."""
        return "\n\n".join(filter(None, (self.before.strip(), transcript(self.turns))))

    def part(self, title: str) -> str | None:
        """Return the name of the section that a title means."""
        return next((one.name for one in self.parts if fold(title) in map(fold, (one.name, *one.names))), None)


def lines_by_part(chat: ConversationTask, operations: Sequence[Operation]) -> dict[str, tuple[str, ...]]:
    """Return the lines of a proved answer by section."""
    found = ((chat.part(one.section), one) for one in operations)
    return {name: lines_of(one.content) for name, one in found if name}


def conversation_problems(chat: ConversationTask, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
    """Yield the problems of an answer; an answer without problems is proved and may be written."""
    parts, named = {part.name: part for part in chat.parts}, set[str]()
    for found in named_sections(operations, (chat.path,), chat.part):
        if isinstance(found, PlanProblem):
            yield found
            continue
        name, operation = found
        named.add(name)
        yield from _part_problems(chat, parts[name], lines_of(operation.content))
    for part in chat.parts:
        if part.name not in named and (part is chat.parts[0] or chat.important or chat.before):
            yield PlanProblem("left-out", {"section": part.name})
    yield from _overall_problems(chat, [line for one in operations for line in lines_of(one.content)])


def _part_problems(chat: ConversationTask, part: TargetSection, lines: Sequence[str]) -> Iterator[PlanProblem]:
    where = {"section": part.name}
    fit = [one.text for one in chat.sentences if not chat.states_rule(one.text) and chat.fits(part, one.text)]
    if not (lines or fit):
        return
    if not lines or (is_empty_answer(lines) and not is_empty_answer(fit)):
        yield PlanProblem("empty", where)
        return
    if part.lines is not None and len(lines) > part.lines:
        yield PlanProblem("too-many", where | {"count": len(lines), "max": part.lines})
        return
    clean: list[str] = []
    source, entries = FactSource(chat.source), [*(one.text for one in chat.sentences), *LINE_END.split(chat.before)]
    originals = Originals(entries)

    def missing(line: str) -> list[str]:
        found = [fact for unit in originals.units(line) for fact in source.missing(unit)]
        return [] if found and chat.scorer.is_unsure(line) else found

    for line in lines:
        if problem := line_problem(line, where, chat.unfit, missing, part.max_chars):
            yield problem
        else:
            clean.append(line)
    yield from meaning_problems(entries, clean, chat.scorer, where)


def _overall_problems(chat: ConversationTask, lines: Sequence[str]) -> Iterator[PlanProblem]:
    """Yield a problem if the answer is too long as a whole, or covers too little of what is important (D023)."""
    settings, total = chat.scorer.settings, chat.count("\n".join(lines))
    if chat.max_tokens is not None and total > chat.max_tokens:
        yield PlanProblem("too-many-tokens", {"count": total, "max": chat.max_tokens})
    traces = dict(_traces(chat, " ".join(lines)))
    left = [text for text, is_covered in traces.items() if not is_covered]
    if len(traces) - len(left) < settings.least_kept * len(traces) and not _is_full(chat, lines, total, left):
        counts = {"section": chat.parts[-1].name, "count": len(traces) - len(left), "all": len(traces)}
        yield PlanProblem("too-little", counts)


def says_something(text: str) -> bool:
    """Return whether a sentence has words, and other ones than «none» or «NULL»."""
    return any(map(str.isalnum, text)) and not is_empty_answer([text])


def _traces(chat: ConversationTask, answer: str) -> Iterator[tuple[str, bool]]:
    """Yield each important sentence, and whether the answer contains one of its facts, or words of it.

    If no sentence is important, any word or sentence of the conversation is enough.
    """
    words, source = tokens(answer), FactSource(answer)
    for text in chat.important:
        own, found = tokens(text), facts(text)
        yield text, any(map(source.holds, found)) if found else len(own & words) >= min(2, len(own))
    if not chat.important:
        stated = [one.text for one in chat.sentences if says_something(one.text)]
        texts = [
            one for one in stated if not chat.states_rule(one) and any(chat.fits(part, one) for part in chat.parts)
        ]
        key = comparison_key(answer)
        every = {word for text in texts for word in tokens(text)}
        yield "", not every or bool(every & words) or any(comparison_key(text) in key for text in texts)


def _is_full(chat: ConversationTask, lines: Sequence[str], total: int, left: Sequence[str]) -> bool:
    """Return whether most of the room is used, or no omitted sentence fits into the rest."""
    share, used = chat.scorer.settings.full_at, sum(map(len, lines))
    if chat.max_tokens is not None:
        return total > share * chat.max_tokens
    room = sum((one.lines or 1) * one.max_chars for one in chat.parts)
    return used > share * room or not any(used + len(text) + _SEPARATOR <= room for text in left)


def chat_values(chat: ConversationTask) -> dict[str, str]:
    """Return the values of a prompt's slots for a conversation."""
    tokens = f", ≤ {chat.max_tokens} tokens" if chat.max_tokens else ""
    return {
        "file": chat.source,
        "path": chat.path,
        "today": chat.scorer.today.isoformat(),
        "max_chars": str(min(part.max_chars for part in chat.parts)),
        "sections": "\n".join(
            f"- {part.name} ({f'≤ {part.lines} ' if part.lines else ''}× ≤ {part.max_chars}{tokens})"
            for part in chat.parts
        ),
        "settled": "—",
        "kept": "\n".join(f"- {text}" for text in chat.rules) or "—",
    }
