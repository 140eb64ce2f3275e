"""Condenses a conversation without a model, into a summary of the stage (G041, D021 to D027).

It is made of the conversation's own sentences, the weightiest chosen first, in the order of time.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.similarity import essence
from mdmem.keeper.chat import Chat, Part
from mdmem.keeper.condense import condense
from mdmem.keeper.facts import facts
from mdmem.keeper.lines import content_of
from mdmem.keeper.plan import Operation
from mdmem.keeper.talk import Said, chunks


def gist(chat: Chat) -> tuple[Operation, ...]:
    """Answer as a model would: the sections of a conversation's summary, in its own words."""
    return tuple(Operation(chat.path, part.name, content_of(lines(chat, part, telling(chat)))) for part in chat.parts)


def telling(chat: Chat) -> list[str]:
    """Give the sentences that tell something: neither questions, nor rules, nor talk without a fact or an event.

    Where there are none, the next best.
    """
    rules = set(map(essence, chat.rules))
    own = [one for one in chat.said if essence(one.text) not in rules and any(map(str.isalnum, one.text))]
    answers = [one for one in own if not one.asks]
    best = [one for one in answers if tells(chat, one)] or answers or own or chat.said
    return [one.text.rstrip("。.；; ") or one.text for one in best]


def tells(chat: Chat, one: Said) -> bool:
    """Tell whether a sentence weighs something, or holds a fact."""
    return chat.weigher.importance(one.text) > chat.weigher.least or bool(facts(one.text))


def lines(chat: Chat, part: Part, texts: Sequence[str]) -> tuple[str, ...]:
    """Condense sentences into the lines that a section takes, without any that may not be written."""
    most = part.lines or 1
    made = condense(texts, lines=most, max_chars=part.max_chars, weigher=chat.weigher, near=chat.near)
    if any(map(chat.unfit, made)):
        fit = [text for text in texts if not chat.unfit(text)]
        made = condense(fit, lines=most, max_chars=part.max_chars, weigher=chat.weigher, near=chat.near)
    made = tuple(line for line in made if len(line) <= part.max_chars)[:most]
    whole = next((text for text in texts if not chat.unfit(text)), "")  # a sentence that no line holds is cut
    return made or chunks(whole, part.max_chars)[:1]
