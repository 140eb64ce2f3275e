"""What was found as text for a model: the best that fits a budget, in the order of time, each line with its date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import NamedTuple

from mdmem.search.excerpt import excerpt
from mdmem.search.question import RankedHit
from mdmem.search.words.terms import terms
from mdmem.settings.tables import RecallSettings
from mdmem.text.similarity import near_duplicates
from mdmem.text.tokens import TokenCounter


class RecallBlock(NamedTuple):
    """A block within its budget."""

    text: str
    found: tuple[RankedHit, ...]  # those whose lines are in it, the best first
    tokens: int
    left_out: int  # how many worth telling did not fit


def pack(
    found: Sequence[RankedHit], settings: RecallSettings, *, sought: Collection[str], budget: int, counter: TokenCounter
) -> RecallBlock:
    """Choose the best lines that fit, one after the other, and set them under their days.

    A line too long for what is left is passed over, for a shorter one may still fit. Of a long line the sentences
    around the terms that were sought are told.
    """
    worth_it = _distinct([one for one in found if one.score >= settings.least], settings)
    short = _shortened(worth_it, settings, sought, counter, whole=settings.whole)
    tight = _shortened(worth_it, settings, sought, counter, whole=0)  # where the best lines do not fit as they are
    chosen: dict[int, RankedHit] = {}
    days: set[str] = set()
    left = budget
    for index, forms in enumerate(zip(short, tight, strict=True)):
        for one in forms:
            cost = counter(_line(one) + "\n") + (counter(_head(one) + "\n") if _head(one) not in days | {""} else 0)
            if cost <= left:
                chosen[index] = one
                days.add(_head(one))
                left -= cost
                break
    for index, one in chosen.items():  # what is left makes cut lines whole again
        more = counter(_line(worth_it[index])) - counter(_line(one))
        if more <= left:
            chosen[index] = worth_it[index]
            left -= max(0, more)
    told = list(chosen.values())
    while told and counter(_text(told)) > budget:  # a counter need not add up
        told.pop()
    text = _text(told)
    return RecallBlock(text, tuple(told), counter(text) if text else 0, len(worth_it) - len(told))


def _distinct(found: Sequence[RankedHit], settings: RecallSettings) -> list[RankedHit]:
    head = list(found[: settings.candidates])
    again = {later for later, _ in near_duplicates([one.row.plain for one in head], settings.alike)}
    return [one for index, one in enumerate(head) if index not in again]


def _shortened(
    found: Sequence[RankedHit], settings: RecallSettings, sought: Collection[str], counter: TokenCounter, *, whole: int
) -> list[RankedHit]:
    """Cut long lines but for so many of the best; a term weighs more the fewer of the lines hold it."""
    is_long = [counter(one.row.said) > settings.long_tokens for one in found]
    if not any(is_long):
        return list(found)
    held = [frozenset(terms(one.row.said)).intersection(sought) for one in found]
    counts = Counter(term for some in held for term in some)
    weights = {term: log(1 + len(found) / count) for term, count in counts.items()}
    return [
        _cut(one, weights, settings, counter) if long and index >= whole else one
        for index, (one, long) in enumerate(zip(found, is_long, strict=True))
    ]


def _cut(one: RankedHit, weights: Mapping[str, float], settings: RecallSettings, counter: TokenCounter) -> RankedHit:
    text = excerpt(one.row.said, weights, who=one.row.who, most=settings.cut_tokens, counter=counter)
    return one._replace(row=one.row._replace(text=text))


def _text(chosen: Sequence[RankedHit]) -> str:
    lines: list[str] = []
    last = ""
    for one in sorted(chosen, key=lambda one: (one.row.date[:10], one.row.path, one.row.place, one.row.line)):
        if (head := _head(one)) != last:
            lines.append(head)
            last = head
        lines.append(_line(one))
    return "\n".join(lines)


def _head(one: RankedHit) -> str:
    return f"{one.row.date[:10]}:" if one.row.date else ""


def _line(one: RankedHit) -> str:
    return f"- {one.row.said}"
