"""Rank the newest of several lines about one thing first, or the oldest if the question asks for the past.

Lines are about one thing if subject and predicate are the same, or if they hold the same words of the question, or,
where it asks something, its rarest word that more than one line holds: what it is about. Which other words they share
does not count: an update is often a paraphrase, and unrelated lines share sentence patterns. The newest of such lines
also comes before a line without a date that holds no more of the question: what changed is what is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mdmem.core.settings.recall import RecallSettings
from mdmem.core.words import is_dense, terms
from mdmem.recall.ordinary import ordinary
from mdmem.recall.question import Question
from mdmem.recall.row import Row


def newest_first(
    rows: Sequence[Row], scores: Sequence[float], question: Question, settings: RecallSettings
) -> list[float]:
    """Redistribute the scores of each group by date, the best score to the newest row; rows come best first."""
    given = list(scores)
    if question.days:
        return given
    same = _Same(rows[: settings.compared], question, settings)
    for group in same.groups():
        by_date = sorted(group, key=lambda index: (not rows[index].old, rows[index].date, -index))
        if not question.past:
            by_date.reverse()
        _give(given, by_date)
        _give(given, [by_date[0], *sorted(same.behind(group), key=lambda index: -given[index])])
    return given


def _give(scores: list[float], order: Sequence[int]) -> None:
    """Reassign the scores of these rows in this order, the best to the first."""
    best = sorted((scores[index] for index in order), reverse=True)
    for index, score in zip(order, best, strict=True):
        scores[index] = score


class _Same:
    """Decides which lines are about one thing, by the words of the question that they hold."""

    def __init__(self, rows: Sequence[Row], question: Question, settings: RecallSettings) -> None:
        self._rows, self._settings = rows, settings
        about = frozenset(question.words) - ordinary(question, settings.ordinary) or frozenset(question.words)
        self._held = [about.intersection(terms(row.plain)) for row in rows]
        # an update may part two characters that the question has side by side
        self._weights = {
            word: question.weights.get(word, 1.0) for word in sorted(about) if len(word) == 1 or not is_dense(word[0])
        }
        self._all = self._weight(about)
        self._topic = self._read_topic(question)

    def groups(self) -> Iterator[list[int]]:
        """Return the row numbers of each thing that several rows are about."""
        left = list(range(len(self._rows)))
        while left:
            first, *rest = left
            group = [first, *(other for other in rest if self._thing(first, other))]
            left = [index for index in rest if index not in group]
            if len(group) > 1:
                yield group

    def behind(self, group: Sequence[int]) -> list[int]:
        """Return the rows before which a group comes: without a date, holding no more of the question than it does.

        Where two lines of different days tell of a thing, it is the one that changed and is asked for.
        """
        most = max(self._weight(self._held[index]) for index in group)
        return [
            index
            for index, row in enumerate(self._rows)
            if not (row.date or row.story or index in group) and self._weight(self._held[index]) <= most
        ]

    def _read_topic(self, question: Question) -> str:
        """Return the rarest word of the question that several lines hold: what it is about, if it asks something."""
        if not question.text.rstrip().endswith(("?", "？")):
            return ""
        counts = Counter(word for one in self._held for word in one)
        several = [word for word, count in counts.items() if count > 1]
        return max(several, key=lambda word: (question.weights.get(word, 1.0), word), default="")

    def _thing(self, first: int, second: int) -> bool:
        """Return True if two lines are about one thing."""
        one, other, here, there = self._rows[first], self._rows[second], self._held[first], self._held[second]
        if one.predicate and other.predicate:
            return (one.subject, one.predicate) == (other.subject, other.predicate)
        common = self._weight(here & there)
        if one.who != other.who or not common or not (one.date and other.date):
            return False
        if one.story or other.story:  # most lines of a story tell what happened, which nothing supersedes
            return not one.who and one.path != other.path and common >= self._settings.same_story * self._all
        return common >= self._settings.same * self._weight(here | there) or self._topic in here & there

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._weights.get(word, 0.0) for word in sorted(words))
