"""Packs hits into a block for a model: the best that fit a budget, in order of time, under their dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import log
from typing import NamedTuple

from mdmem.search.excerpt import excerpt
from mdmem.search.question import RankedHit
from mdmem.search.words.terms import line_terms, terms
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.similarity import near_duplicates
from mdmem.text.tokens import TokenCounter

_LONGEST = 8_000  # characters of a line that is packed; more is a pasted log, of which a part is enough
_LOOKS = 8  # parts of it that are searched for a term of the question


class RecallBlock(NamedTuple):
    """A block within its budget."""

    text: str
    found: tuple[RankedHit, ...]  # the hits in it, best first
    tokens: int
    left_out: int  # relevant hits that did not fit


def pack(
    found: Sequence[RankedHit], settings: RecallSettings, *, sought: Collection[str], budget: int, counter: TokenCounter
) -> RecallBlock:
    """Choose the best lines that fit, one by one, and group them by day.

    A line too long for the rest is skipped, because a shorter one may still fit. Long lines are cut to the sentences
    around the sought terms.
    """
    worth_it = _distinct([_bounded(hit, sought) for hit in found if hit.score >= settings.least], settings)
    short = _shortened(worth_it, settings, sought, counter, whole=settings.whole)
    tight = _shortened(worth_it, settings, sought, counter, whole=0)  # for lines that do not fit otherwise
    chosen: dict[int, RankedHit] = {}
    days: set[str] = set()
    left = budget
    for index, forms in enumerate(zip(short, tight, strict=True)):
        for hit in forms:
            cost = counter(_line(hit) + "\n") + (counter(_head(hit) + "\n") if _head(hit) not in days | {""} else 0)
            if cost <= left:
                chosen[index] = hit
                days.add(_head(hit))
                left -= cost
                break
    for index, hit in chosen.items():  # the rest of the budget restores lines that were cut
        more = counter(_line(worth_it[index])) - counter(_line(hit))
        if more <= left:
            chosen[index] = worth_it[index]
            left -= max(0, more)
    packed = list(chosen.values())
    while packed and counter(_text(packed)) > budget:  # a counter need not be additive
        packed.pop()
    text = _text(packed)
    return RecallBlock(text, tuple(packed), counter(text) if text else 0, len(worth_it) - len(packed))


def _bounded(hit: RankedHit, sought: Collection[str]) -> RankedHit:
    """Return a hit with a part of its text, if that is as long as a pasted log: the first part with a sought term."""
    text = hit.row.undated
    if len(text) <= _LONGEST:
        return hit
    parts = [text[start : start + _LONGEST] for start in range(0, _LOOKS * _LONGEST, _LONGEST)]
    part = next((one for one in parts if any(term in sought for term in terms(one))), parts[0])
    return hit._replace(row=hit.row._replace(text=f"{'…' * (part is not parts[0])}{part}…"))


def _distinct(found: Sequence[RankedHit], settings: RecallSettings) -> list[RankedHit]:
    head = list(found[: settings.candidates])
    again = {later for later, _ in near_duplicates([one.row.plain for one in head], settings.alike)}
    return [one for index, one in enumerate(head) if index not in again]


def _shortened(
    found: Sequence[RankedHit], settings: RecallSettings, sought: Collection[str], counter: TokenCounter, *, whole: int
) -> list[RankedHit]:
    """Cut long lines except the first `whole`; a term weighs more the fewer lines contain it."""
    is_long = [counter(one.row.undated) > settings.long_tokens for one in found]
    if not any(is_long):
        return list(found)
    contained = [line_terms(one.row.undated).intersection(sought) for one in found]
    counts = Counter(term for some in contained for term in some)
    weights = {term: log(1 + len(found) / count) for term, count in counts.items()}
    return [
        _cut(one, weights, settings, counter) if long and index >= whole else one
        for index, (one, long) in enumerate(zip(found, is_long, strict=True))
    ]


def _cut(hit: RankedHit, weights: Mapping[str, float], settings: RecallSettings, counter: TokenCounter) -> RankedHit:
    text = excerpt(hit.row.undated, weights, who=hit.row.who, most=settings.cut_tokens, counter=counter)
    return hit._replace(row=hit.row._replace(text=text))


def _text(chosen: Sequence[RankedHit]) -> str:
    lines: list[str] = []
    last = ""
    for hit in sorted(chosen, key=lambda hit: (hit.row.date[:10], hit.row.path, hit.row.ordinal, hit.row.line)):
        if (head := _head(hit)) != last:
            lines.append(head)
            last = head
        lines.append(_line(hit))
    return "\n".join(lines)


def _head(hit: RankedHit) -> str:
    return f"{hit.row.date[:10]}:" if hit.row.date else ""


def _line(hit: RankedHit) -> str:
    return f"- {hit.row.undated}"
