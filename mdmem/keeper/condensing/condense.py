"""Condense entries without a model: choose which of them stay, whole and word for word.

Rules and corrections stay first. Of the rest, what says the same is kept once, in its newest form (D022), the older
value of one thing leaves, and what weighs most gets the room. Within a line the order of time holds (D027).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

from mdmem.formats.joined_line import join, joined_length
from mdmem.keeper.condensing.importance import ImportanceScorer
from mdmem.keeper.condensing.supersede import superseded
from mdmem.keeper.proof.facts import facts
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key, near_duplicates

_JOINT = 2  # characters that at most join two entries
_CROWD = 4  # candidates for a line: the weightiest, until they are so many times as long as its room


class CondenseUnit:
    """An entry that stays whole or leaves whole."""

    def __init__(self, text: str, order: int) -> None:
        self.text, self.order = text, order
        self.copies = 1  # how many entries said so

    @cached_property
    def date(self) -> date | None:
        """The day that it begins with, or else the only one it names."""
        parts = read_entry(self.text)
        if parts.date:
            return parts.date.value
        return parts.dates[0].value if len(parts.dates) == 1 else None

    @cached_property
    def said(self) -> str:
        """What it says, without date, fields, tags and id: what two entries are compared by."""
        return read_entry(self.text).body.of(self.text).strip()

    @cached_property
    def density(self) -> float:
        """How many facts it tells for each character."""
        return len(facts(self.said)) / len(self.said) if self.said else 0.0


def condense(
    texts: Sequence[str], *, lines: int, max_chars: int | None, weigher: ImportanceScorer, near: float
) -> tuple[str, ...]:
    """Return at most so many lines, each of them whole entries joined.

    There are more lines only where the rules and corrections among the texts do not fit into so many.

    Args:
        texts: entries, in the order of the file.
        lines: how many lines may be left.
        max_chars: characters of a line; None for no limit.
        weigher: what is a rule, and what is important.
        near: the share of common words from which two texts say the same.
    """
    kept = verbatim(texts, weigher)
    rows = pack(kept, max_chars)
    rows += [[] for _ in range(lines - len(rows))]
    found = distinct(texts, weigher, near)
    own = _own_worths(found, weigher)
    left = _ranked(found, own, weigher)
    for row in rows:
        room = None if max_chars is None else max_chars + _JOINT - sum(len(text) + _JOINT for text in row)
        chosen = left if room is None else _chosen(left, room, own, weigher)
        left = [unit for unit in left if unit not in chosen]
        row += [unit.text for unit in sorted(chosen, key=lambda unit: unit.order)]
    return tuple(join(row) for row in rows if row)


def distinct(texts: Sequence[str], weigher: ImportanceScorer, near: float) -> list[CondenseUnit]:
    """Return the entries that are no rules, each statement once, without the older values of one thing."""
    free = [CondenseUnit(text, order) for order, text in enumerate(texts) if text and not weigher.is_kept(text)]
    left = _once(free, near)
    gone = superseded([(unit.said, unit.date, unit.order) for unit in left], weigher.settings)
    return [unit for index, unit in enumerate(left) if index not in gone]


def weightiest(texts: Sequence[str], weigher: ImportanceScorer, near: float) -> tuple[int, ...]:
    """Return which texts stay, the weightiest first: rules and corrections, then the rest, each statement once."""
    rules: dict[str, int] = {}
    for index, text in enumerate(texts):
        if weigher.is_kept(text):
            rules.setdefault(comparison_key(text), index)
    found = distinct(texts, weigher, near)
    return (*rules.values(), *(unit.order for unit in _ranked(found, _own_worths(found, weigher), weigher)))


def pack(texts: Iterable[str], max_chars: int | None) -> list[list[str]]:
    """Put each text into the first line that has room for it; one that is too long has a line of its own."""
    rows: list[list[str]] = []
    for text in texts:
        row = next((row for row in rows if max_chars is None or joined_length([*row, text]) <= max_chars), None)
        if row is None:
            rows.append([text])
        else:
            row.append(text)
    return rows


def verbatim(texts: Iterable[str], weigher: ImportanceScorer) -> tuple[str, ...]:
    """Return the rules and corrections among the texts, each once: what must survive word for word."""
    return tuple({comparison_key(text): text for text in texts if text and weigher.is_kept(text)}.values())


def _once(found: list[CondenseUnit], near: float) -> list[CondenseUnit]:
    """Keep what several entries say once, in the newest form; of equally new ones the later."""
    left: dict[str, CondenseUnit] = {}
    for unit in found:
        known = left.get(comparison_key(unit.said))
        unit.copies += known.copies if known else 0
        if known is None or not _older(unit, known):
            left[comparison_key(unit.said)] = unit
        else:
            known.copies += 1
    rest = sorted(left.values(), key=lambda unit: unit.order)
    gone: set[int] = set()
    for later, earlier in near_duplicates([unit.said for unit in rest], near):
        old, new = (later, earlier) if _older(rest[later], rest[earlier]) else (earlier, later)
        rest[new].copies += rest[old].copies
        gone.add(old)
    return [unit for index, unit in enumerate(rest) if index not in gone]


def _older(one: CondenseUnit, other: CondenseUnit) -> bool:
    return bool(one.date and other.date and one.date < other.date)


def _ranked(found: list[CondenseUnit], own: Mapping[int, float], weigher: ImportanceScorer) -> list[CondenseUnit]:
    """Return entries by what they are worth, the best first."""
    worth = _worths(found, own, weigher)
    return sorted(found, key=lambda unit: (-worth[unit.order], -unit.order))


def _own_worths(found: Sequence[CondenseUnit], weigher: ImportanceScorer) -> dict[int, float]:
    """Return by order what each entry is worth by its words, its day, its copies and its facts."""
    weights = weigher.settings

    def worth(unit: CondenseUnit) -> float:
        aged = weights.recency_share * (1 - weigher.recency(unit.date))
        value = weigher.importance(unit.text) * (1 - aged) + weights.copy_worth * (unit.copies - 1)
        return value + weights.fact_worth * unit.density

    return {unit.order: worth(unit) for unit in found}


def _worths(found: Sequence[CondenseUnit], own: Mapping[int, float], weigher: ImportanceScorer) -> dict[int, float]:
    """Return by order what each entry is worth among these: the later ones somewhat more."""
    last, share = max((unit.order for unit in found), default=0) or 1, weigher.settings.order_worth
    return {unit.order: own[unit.order] + share * unit.order / last for unit in found}


def _chosen(
    ranked: Sequence[CondenseUnit], room: int, own: Mapping[int, float], weigher: ImportanceScorer
) -> list[CondenseUnit]:
    """Choose the entries that fill the room best: a knapsack whose items count for their worth in every character."""
    worth = _worths(ranked, own, weigher)
    best: list[tuple[float, tuple[CondenseUnit, ...]]] = [(0.0, ())] * (room + 1)
    crowd = 0
    for unit in ranked:
        size = len(unit.text) + _JOINT
        if size > room or crowd > _CROWD * room:
            continue
        crowd += size
        value = worth[unit.order] * size
        for total in range(room, size - 1, -1):
            before, units = best[total - size]
            if before + value > best[total][0]:
                best[total] = before + value, (*units, unit)
    return list(best[room][1]) if room > 0 else []
