"""The data a keeper needs to condense a conversation, and the proof that its answer rests on what was said.

The rules and corrections of the user are no part of an answer: they are kept word for word beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from mdmem.core.record import NamedTuple
from mdmem.core.sentences import Splitter
from mdmem.core.session import Turn
from mdmem.core.similarity import tokens
from mdmem.core.template import fold
from mdmem.core.tokens import TokenCounter, count_tokens
from mdmem.keeper.facts import Ground, facts
from mdmem.keeper.lines import lines_of
from mdmem.keeper.meaning import doubts
from mdmem.keeper.plan import Operation, Problem
from mdmem.keeper.talk import Said, rules_said, said, transcript
from mdmem.keeper.verify import says_nothing
from mdmem.keeper.weigh import Weigher

_JOINT = 2  # characters between two sentences of one entry


class Part(NamedTuple):
    """A section that takes what is left of a conversation."""

    name: str
    names: tuple[str, ...]  # as an answer may call it
    lines: int | None  # entries that it takes; None for no limit
    max_chars: int  # of an entry


class _Chat(NamedTuple):
    path: str  # what an answer names: the conversation, or the compact memory
    turns: tuple[Turn, ...]  # what is condensed, without secrets
    parts: tuple[Part, ...]
    weigher: Weigher
    near: float  # share of common words from which two sentences say the same
    unfit: Callable[[str], bool]  # may a text not be written: a secret, hidden text, an order?
    splitter: Splitter
    before: str = ""  # the memory that this conversation is added to
    max_tokens: int | None = None  # of all that is left
    count: TokenCounter = count_tokens


class Chat(_Chat):
    """A conversation on its way into a memory."""

    @cached_property
    def said(self) -> tuple[Said, ...]:
        """What was said, sentence by sentence."""
        return said(self.turns, self.splitter)

    @cached_property
    def rules(self) -> tuple[str, ...]:
        """The rules and corrections among it, word for word."""
        return rules_said(self.said, self.weigher, self.unfit)

    @cached_property
    def weighty(self) -> tuple[str, ...]:
        """The sentences that are important enough to be kept, and fit into an entry (D023); no rules, no questions."""
        least, rules = self.weigher.settings.keep_importance, {*self.rules}
        most = max(part.max_chars for part in self.parts)
        texts = (one.text for one in self.said if len(one.text) <= most and one.text not in rules and not one.asks)
        return tuple(text for text in texts if self.weigher.importance(text) > least)

    def fitting(self, part: Part) -> bool:
        """Tell whether any sentence fits into an entry of a section as a whole."""
        return any(len(one.text) <= part.max_chars and not self.unfit(one.text) for one in self.said)

    @cached_property
    def source(self) -> str:
        """All that an answer may rest on, as a prompt shows it."""
        return "\n\n".join(filter(None, (self.before.strip(), transcript(self.turns))))

    def part(self, title: str) -> Part | None:
        """Give the section that a title names."""
        return next((one for one in self.parts if fold(title) in map(fold, (one.name, *one.names))), None)


def lines_by_part(chat: Chat, operations: Sequence[Operation]) -> dict[str, tuple[str, ...]]:
    """Give the lines that a proved answer has for each section."""
    found = ((chat.part(one.section), one) for one in operations)
    return {part.name: lines_of(one.content) for part, one in found if part}


def problems(chat: Chat, operations: Sequence[Operation]) -> Iterator[Problem]:
    """Find what is wrong with an answer; none is the proof that it may be written."""
    if not operations:
        yield Problem("no-operations")
        return
    named: list[str] = []
    for one in operations:
        if one.path not in ("", chat.path):
            yield Problem("wrong-path", {"path": one.path[:60]})
            continue
        part = chat.part(one.section)
        if part is None:
            yield Problem("no-section", {"section": one.section[:60]})
        elif part.name in named:
            yield Problem("twice", {"section": part.name})
        else:
            yield from _part(chat, part, lines_of(one.content))
        named += [part.name] if part else []
    for part in chat.parts:
        if part.name not in named and (part is chat.parts[0] or chat.weighty or chat.before):
            yield Problem("left-out", {"section": part.name})
    yield from _whole(chat, [line for one in operations for line in lines_of(one.content)])


def _part(chat: Chat, part: Part, lines: Sequence[str]) -> Iterator[Problem]:
    where = {"section": part.name}
    if not lines and not chat.fitting(part):
        return
    if not lines or (says_nothing(lines) and not says_nothing([one.text for one in chat.said])):
        yield Problem("empty", where)
        return
    if part.lines is not None and len(lines) > part.lines:
        yield Problem("too-many", where | {"count": len(lines), "max": part.lines})
        return
    clean: list[str] = []
    ground, entries = Ground(chat.source), [*(one.text for one in chat.said), *chat.before.splitlines()]
    for line in lines:
        if len(line) > part.max_chars:
            yield Problem("entry-too-long", where | {"chars": len(line), "max": part.max_chars})
        elif chat.unfit(line):
            yield Problem("unfit", where)
        elif (found := ground.missing(line)) and not chat.weigher.is_unsure(line):
            yield Problem("invented", where | {"facts": ", ".join(found[:3])})
        else:
            clean.append(line)
    for doubt in doubts(entries, clean, chat.weigher):
        yield Problem(f"meaning-{doubt.kind}", where)


def _whole(chat: Chat, lines: Sequence[str]) -> Iterator[Problem]:
    """Ask whether all of it is small enough, and whether enough of what matters has left a trace (D023)."""
    settings, total = chat.weigher.settings, chat.count("\n".join(lines))
    if chat.max_tokens is not None and total > chat.max_tokens:
        yield Problem("too-many-tokens", {"count": total, "max": chat.max_tokens})
    traces = dict(_traces(chat, " ".join(lines)))
    left = [text for text, is_told in traces.items() if not is_told]
    if len(traces) - len(left) < settings.least_kept * len(traces) and not _is_full(chat, lines, total, left):
        counts = {"section": chat.parts[-1].name, "count": len(traces) - len(left), "all": len(traces)}
        yield Problem("too-little", counts)


def _traces(chat: Chat, told: str) -> Iterator[tuple[str, bool]]:
    """Return each important sentence and whether one of its facts, or words of it, are told.

    Where none is important, any word of the conversation will do.
    """
    words, ground = tokens(told), Ground(told)
    for text in chat.weighty:
        own, found = tokens(text), facts(text)
        yield text, any(map(ground.holds, found)) if found else len(own & words) >= min(2, len(own))
    if not chat.weighty:
        every = tokens(" ".join(one.text for one in chat.said if one.text not in chat.rules))
        yield "", not every or bool(every & words) or not any(map(chat.fitting, chat.parts))


def _is_full(chat: Chat, lines: Sequence[str], total: int, left: Sequence[str]) -> bool:
    """Tell whether most of the room is used, or no sentence that was left out fits into the rest of it."""
    share, used = chat.weigher.settings.full_at, sum(map(len, lines))
    if chat.max_tokens is not None:
        return total > share * chat.max_tokens
    room = sum((one.lines or 1) * one.max_chars for one in chat.parts)
    return used > share * room or not any(used + len(text) + _JOINT <= room for text in left)
