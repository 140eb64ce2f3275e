"""Condense entries without a model: choose which of them stay, each one whole and word for word.

Rules and corrections always stay. Of the rest, repeated statements stay once, in their newest form (D022), and older
values of one thing leave. The most important entries get the remaining room. A line keeps the order of time (D027).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

from mdmem.formats.joined_line import join, joined_length
from mdmem.keeper.condensing.supersede import superseded
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key, near_duplicates
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import facts

_SEPARATOR = 2  # the most characters that join two entries
_CANDIDATE_FACTOR = 4  # limit of the candidates for a line, as a multiple of its room


class CondenseUnit:
    """An entry that stays whole or leaves whole."""

    def __init__(self, text: str, order: int) -> None:
        self.text, self.order = text, order
        self.copies = 1  # how many entries say the same

    @cached_property
    def date(self) -> date | None:
        """The leading date, or else the only date in the text."""
        parts = read_entry(self.text)
        if parts.date:
            return parts.date.value
        return parts.dates[0].value if len(parts.dates) == 1 else None

    @cached_property
    def body(self) -> str:
        """The text without date, fields, tags and id, for comparisons."""
        return read_entry(self.text).body.of(self.text).strip()

    @cached_property
    def density(self) -> float:
        """The number of facts per character."""
        return len(facts(self.body)) / len(self.body) if self.body else 0.0


def condense(
    texts: Sequence[str], *, lines: int, max_chars: int | None, scorer: ImportanceScorer, near: float
) -> tuple[str, ...]:
    """Return at most `lines` lines, each made of whole entries; more only if the rules and corrections need them.

    Args:
        texts: entries, in the order of the file.
        lines: how many lines may be left.
        max_chars: characters of a line; None for no limit.
        scorer: recognises rules and scores importance.
        near: share of common words at which two texts count as duplicates.
    """
    kept = verbatim(texts, scorer)
    rows = pack(kept, max_chars)
    rows += [[] for _ in range(lines - len(rows))]
    found = distinct(texts, scorer, near)
    own = _own_scores(found, scorer)
    left = _ranked(found, own, scorer)
    for row in rows:
        room = None if max_chars is None else max_chars + _SEPARATOR - sum(len(text) + _SEPARATOR for text in row)
        chosen = left if room is None else _chosen(left, room, own, scorer)
        left = [unit for unit in left if unit not in chosen]
        row += [unit.text for unit in sorted(chosen, key=lambda unit: unit.order)]
    return tuple(join(row) for row in rows if row)


def distinct(texts: Sequence[str], scorer: ImportanceScorer, near: float) -> list[CondenseUnit]:
    """Return the entries that are not rules, without repeated statements and older values of one thing."""
    free = [CondenseUnit(text, order) for order, text in enumerate(texts) if text and not scorer.is_kept(text)]
    left = _without_repeats(free, near)
    gone = superseded([(unit.body, unit.date, unit.order) for unit in left], scorer.settings)
    return [unit for index, unit in enumerate(left) if index not in gone]


def most_important(texts: Sequence[str], scorer: ImportanceScorer, near: float) -> tuple[int, ...]:
    """Return the indices of texts by importance: rules and corrections first, then the rest without repetitions."""
    rules: dict[str, int] = {}
    for index, text in enumerate(texts):
        if scorer.is_kept(text):
            rules.setdefault(comparison_key(text), index)
    found = distinct(texts, scorer, near)
    return (*rules.values(), *(unit.order for unit in _ranked(found, _own_scores(found, scorer), scorer)))


def pack(texts: Iterable[str], max_chars: int | None) -> list[list[str]]:
    """Put each text into the first line with room for it; a text that is too long gets its own line."""
    rows: list[list[str]] = []
    for text in texts:
        row = next((row for row in rows if max_chars is None or joined_length([*row, text]) <= max_chars), None)
        if row is None:
            rows.append([text])
        else:
            row.append(text)
    return rows


def verbatim(texts: Iterable[str], scorer: ImportanceScorer) -> tuple[str, ...]:
    """Return the rules and corrections among the texts, each once; they must stay word for word."""
    return tuple({comparison_key(text): text for text in texts if text and scorer.is_kept(text)}.values())


def _without_repeats(found: list[CondenseUnit], near: float) -> list[CondenseUnit]:
    """Remove repeated statements: keep the newest entry, or the later one of the same date."""
    left: dict[str, CondenseUnit] = {}
    for unit in found:
        existing = left.get(comparison_key(unit.body))
        unit.copies += existing.copies if existing else 0
        if existing is None or not _older(unit, existing):
            left[comparison_key(unit.body)] = unit
        else:
            existing.copies += 1
    rest = sorted(left.values(), key=lambda unit: unit.order)
    gone: set[int] = set()
    for later, earlier in near_duplicates([unit.body for unit in rest], near):
        old, new = (later, earlier) if _older(rest[later], rest[earlier]) else (earlier, later)
        rest[new].copies += rest[old].copies
        gone.add(old)
    return [unit for index, unit in enumerate(rest) if index not in gone]


def _older(unit: CondenseUnit, other: CondenseUnit) -> bool:
    return bool(unit.date and other.date and unit.date < other.date)


def _ranked(found: list[CondenseUnit], own: Mapping[int, float], scorer: ImportanceScorer) -> list[CondenseUnit]:
    """Return entries by score, the highest first."""
    score = _scores(found, own, scorer)
    return sorted(found, key=lambda unit: (-score[unit.order], -unit.order))


def _own_scores(found: Sequence[CondenseUnit], scorer: ImportanceScorer) -> dict[int, float]:
    """Return the score of each entry from its words, day, copies and facts, by its order."""
    weights = scorer.settings

    def score(unit: CondenseUnit) -> float:
        aged = weights.recency_share * (1 - scorer.recency(unit.date))
        value = scorer.importance(unit.text) * (1 - aged) + weights.copy_weight * (unit.copies - 1)
        return value + weights.fact_weight * unit.density

    return {unit.order: score(unit) for unit in found}


def _scores(found: Sequence[CondenseUnit], own: Mapping[int, float], scorer: ImportanceScorer) -> dict[int, float]:
    """Return the score of each entry among these, by its order; later entries score slightly more."""
    last, share = max((unit.order for unit in found), default=0) or 1, scorer.settings.order_weight
    return {unit.order: own[unit.order] + share * unit.order / last for unit in found}


def _chosen(
    ranked: Sequence[CondenseUnit], room: int, own: Mapping[int, float], scorer: ImportanceScorer
) -> list[CondenseUnit]:
    """Choose the entries that fill the room best: a knapsack with score × characters as the value of an entry."""
    score = _scores(ranked, own, scorer)
    best: list[tuple[float, tuple[CondenseUnit, ...]]] = [(0.0, ())] * (room + 1)
    considered = 0
    for unit in ranked:
        size = len(unit.text) + _SEPARATOR
        if size > room or considered > _CANDIDATE_FACTOR * room:
            continue
        considered += size
        value = score[unit.order] * size
        for total in range(room, size - 1, -1):
            before, units = best[total - size]
            if before + value > best[total][0]:
                best[total] = before + value, (*units, unit)
    return list(best[room][1]) if room > 0 else []
