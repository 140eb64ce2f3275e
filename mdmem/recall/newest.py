"""Of two lines that say different values of one thing, the newer comes first; the older, if the question asks for it.

One thing it is if subject and predicate are the same, or if the lines are the same but for one place, or nearly so
where the question itself asks for what holds now. Every way of comparing words likes the old value as much as the new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.core.settings.recall import RecallSettings
from mdmem.core.similarity import tokens
from mdmem.recall.question import Question
from mdmem.recall.row import Row


def newest_first(
    rows: Sequence[Row], scores: Sequence[float], question: Question, settings: RecallSettings
) -> list[float]:
    """Hand out the scores of each such group by date, the best to the newest; rows come best first."""
    given = list(scores)
    if question.days:
        return given
    for group in _groups(rows, question, settings):
        by_date = sorted(group, key=lambda index: (not rows[index].old, rows[index].date, -index))
        if not question.past:
            by_date.reverse()
        for index, score in zip(by_date, sorted((given[index] for index in group), reverse=True), strict=True):
            given[index] = score
    return given


def _groups(rows: Sequence[Row], question: Question, settings: RecallSettings) -> Iterator[list[int]]:
    least = settings.same_now if question.now or question.past else settings.same
    words = [tokens(row.said) for row in rows[: settings.compared]]
    left = list(range(len(words)))
    while left:
        first, *rest = left
        group = [
            first,
            *(other for other in rest if _one_thing(rows[first], rows[other], words[first], words[other], least)),
        ]
        left = [index for index in rest if index not in group]
        if len(group) > 1:
            yield group


def _one_thing(one: Row, other: Row, here: frozenset[str], there: frozenset[str], least: float) -> bool:
    if one.predicate and other.predicate:
        return (one.subject, one.predicate) == (other.subject, other.predicate)
    common = len(here & there)
    return common > 0 and one.who == other.who and common >= least * (len(here) + len(there) - common)
