"""Makes a compact memory of a conversation without a model: its state, and its key events in time's order (D015, D028).

The state is what was asked for and where it stands now. An event is a sentence that weighs enough (D023), said once, in
its newest form; the newest rounds are told in more detail, and where room is short the oldest lines become one (D022).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from mdmem.core.record import NamedTuple
from mdmem.core.similarity import essence, near_duplicates
from mdmem.keeper.chat import Chat, Part
from mdmem.keeper.condense import condense
from mdmem.keeper.gist import tells
from mdmem.keeper.lines import content_of
from mdmem.keeper.piece import SEPARATOR, pieces, plain
from mdmem.keeper.plan import Operation
from mdmem.keeper.talk import Said, chunks


class Known(NamedTuple):
    """What a compact memory holds already, without its rules."""

    task: str = ""  # the first line of the state
    events: tuple[str, ...] = ()


class _Event(NamedTuple):
    line: int  # the line that it stands in: earlier ones of the memory first, then a line for each round
    text: str


def chronicle(chat: Chat, known: Known, keep_rounds: int) -> tuple[Operation, ...]:
    """Answer as a model would: state and key events, in the words of the conversation.

    Args:
        chat: the conversation; its first section takes the state, its second the events.
        known: the memory so far.
        keep_rounds: how many of the newest rounds are told in detail.
    """
    state, events = chat.parts
    rules = set(map(essence, chat.rules))
    fit = [one for one in chat.said if not chat.unfit(one.text)]
    spoken = [one for one in fit if essence(one.text) not in rules and any(map(str.isalnum, one.text))] or fit
    recent = set(sorted({one.number for one in spoken})[-keep_rounds:])
    now = _state(chat, state, spoken, known.task)
    told = _events(chat, spoken, known.events, recent)
    lines = _fitting(chat, events, [one for one in told if one], now)
    made = ((part.name, content_of(tuple(said))) for part, said in ((state, now), (events, lines)) if said)
    return tuple(Operation(chat.path, name, content) for name, content in made)


def _state(chat: Chat, part: Part, spoken: Sequence[Said], task: str) -> list[str]:
    """Say what was asked for first, and what was asked and answered last."""
    asked = [one for one in spoken if one.role == "user"]
    first = [one for one in asked if one.number == asked[0].number] if asked and not task else []
    last = {role: [one.number for one in spoken if one.role == role] for role in ("user", "assistant")}
    ends = [[one for one in spoken if one.role == role and one.number == numbers[-1]]
            for role, numbers in last.items() if numbers]  # fmt: skip
    groups = [group for group in (first, *ends) if group]
    made = [task, *(_line(chat, part, [one.text for one in group]) for group in groups)]
    return list(dict.fromkeys(line for line in made if line))


def _events(chat: Chat, spoken: Sequence[Said], known: Sequence[str], recent: set[int]) -> list[str]:
    found = [_Event(index, piece) for index, line in enumerate(known) for piece in pieces(plain(line))
             if any(map(str.isalnum, piece))]  # fmt: skip
    found += [_Event(len(known) + one.number, one.text) for one in spoken if _is_event(chat, one, recent)]
    left = _newest(found, chat.near)
    part = chat.parts[1]
    return [_line(chat, part, [one.text for one in group]) for _, group in groupby(left, key=lambda one: one.line)]


def _is_event(chat: Chat, one: Said, recent: set[int]) -> bool:
    if one.asks:
        return False
    worth = chat.weigher.importance(one.text)
    return worth > chat.weigher.settings.keep_importance or (one.number in recent and tells(chat, one))


def _newest(found: Sequence[_Event], near: float) -> list[_Event]:
    """Keep of what says the same, or nearly, the newest only."""
    last = {essence(one.text): one for one in found}
    left = [one for one in found if last[essence(one.text)] is one]
    gone = {earlier for _, earlier in near_duplicates([one.text for one in left], near)}
    return [one for index, one in enumerate(left) if index not in gone]


def _line(chat: Chat, part: Part, texts: Iterable[str]) -> str:
    """Write sentences as one line, condensed where it would be too long."""
    said = [text.rstrip("。.；; ") or text for text in texts]
    whole = SEPARATOR.join(said)
    if len(whole) <= part.max_chars:
        return whole
    made = condense(said, lines=1, max_chars=part.max_chars, weigher=chat.weigher, near=chat.near)
    return next((line for line in made if len(line) <= part.max_chars), (*chunks(whole, part.max_chars), "")[0])


def _fitting(chat: Chat, part: Part, lines: list[str], others: Sequence[str]) -> list[str]:
    """Make the oldest lines shorter, two at a time, then leave them out, until all fits."""
    if chat.max_tokens is None:
        return lines
    settings = chat.weigher.settings
    sizes = [chat.count(line) + 1 for line in lines]
    room = chat.max_tokens - chat.count("\n".join(others)) - 1
    at = 0
    while sum(sizes) > room and lines:
        if at + 1 >= len(lines):  # once through: what is left cannot be said shorter
            del lines[0], sizes[0]
            continue
        pair = [piece for line in lines[at : at + 2] for piece in pieces(line)]
        most = min(part.max_chars, round(settings.distil_to * sum(map(len, lines[at : at + 2]))))
        made = condense(pair, lines=1, max_chars=most, weigher=chat.weigher, near=chat.near) if most else ()
        if len(made) == 1 and len(made[0]) <= most and most >= settings.distil_min_chars:
            lines[at : at + 2], sizes[at : at + 2] = made, [chat.count(made[0]) + 1]
        at += 1
    return lines
