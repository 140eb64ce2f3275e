"""Condense a conversation without a model into a summary of the stage (G041, D021 to D027).

The summary consists of whole sentences of the conversation, the most important chosen first, in the order of time.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.similarity import essence
from mdmem.keeper.chat import Chat, Part
from mdmem.keeper.condense import condense
from mdmem.keeper.facts import facts
from mdmem.keeper.lines import content_of
from mdmem.keeper.plan import Operation
from mdmem.keeper.talk import Said


def gist(chat: Chat) -> tuple[Operation, ...]:
    """Answer as a model would: the sections of a conversation's summary, in its own words."""
    return tuple(Operation(chat.path, part.name, content_of(lines(chat, part, telling(chat)))) for part in chat.parts)


def telling(chat: Chat) -> list[str]:
    """Return the sentences that state something: no questions, no rules, no talk without a fact or an event.

    Where there are none, return the next best.
    """
    rules = set(map(essence, chat.rules))
    own = [one for one in chat.said if essence(one.text) not in rules and any(map(str.isalnum, one.text))]
    answers = [one for one in own if not one.asks]
    best = [one for one in answers if tells(chat, one)] or answers or own or chat.said
    return [without_stop(one.text) for one in best]


def without_stop(text: str) -> str:
    """Return a sentence without its full stop, as it is joined with others."""
    return text.rstrip("。.；; ") or text


def tells(chat: Chat, one: Said) -> bool:
    """Tell whether a sentence is important, or holds a fact."""
    return chat.weigher.importance(one.text) > chat.weigher.least or bool(facts(one.text))


def lines(chat: Chat, part: Part, texts: Sequence[str]) -> tuple[str, ...]:
    """Choose whole sentences for the lines that a section takes; none where no sentence fits into a line."""
    most = part.lines or 1
    fit = [text for text in texts if len(text) <= part.max_chars and not chat.unfit(text)]
    made = condense(fit, lines=most, max_chars=part.max_chars, weigher=chat.weigher, near=chat.near)
    return tuple(line for line in made if len(line) <= part.max_chars and not chat.unfit(line))[:most]
