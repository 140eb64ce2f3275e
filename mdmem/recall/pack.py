"""What was found as text for a model: the best that fits a budget, in the order of time, each line with its date."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.record import NamedTuple
from mdmem.core.settings.recall import RecallSettings
from mdmem.core.similarity import near_duplicates
from mdmem.core.tokens import TokenCounter
from mdmem.recall.row import Found


class Packed(NamedTuple):
    """A block within its budget."""

    text: str
    found: tuple[Found, ...]  # those whose lines are in it, the best first
    tokens: int
    left_out: int  # how many worth telling did not fit


def pack(found: Sequence[Found], settings: RecallSettings, *, budget: int, counter: TokenCounter) -> Packed:
    """Choose the best lines that fit, one after the other, and set them under their days.

    A line too long for what is left is passed over, for a shorter one may still fit.
    """
    worth_it = _distinct([one for one in found if one.score >= settings.least], settings)
    chosen: list[Found] = []
    days: set[str] = set()
    used = 0
    for one in worth_it:
        cost = counter(_line(one) + "\n") + (counter(_head(one) + "\n") if _head(one) not in days | {""} else 0)
        if used + cost <= budget:
            chosen.append(one)
            days.add(_head(one))
            used += cost
    while chosen and counter(_text(chosen)) > budget:  # a counter need not add up
        chosen.pop()
    text = _text(chosen)
    return Packed(text, tuple(chosen), counter(text) if text else 0, len(worth_it) - len(chosen))


def _distinct(found: Sequence[Found], settings: RecallSettings) -> list[Found]:
    head = list(found[: settings.candidates])
    again = {later for later, _ in near_duplicates([one.row.plain for one in head], settings.alike)}
    return [one for index, one in enumerate(head) if index not in again]


def _text(chosen: Sequence[Found]) -> str:
    lines: list[str] = []
    last = ""
    for one in sorted(chosen, key=lambda one: (one.row.date[:10], one.row.path, one.row.place, one.row.line)):
        if (head := _head(one)) != last:
            lines.append(head)
            last = head
        lines.append(_line(one))
    return "\n".join(lines)


def _head(one: Found) -> str:
    return f"{one.row.date[:10]}:" if one.row.date else ""


def _line(one: Found) -> str:
    return f"- {one.row.said}"
