"""Rank the newest of several lines about one thing first, or the oldest if the question asks for the past.

Lines are about one thing if subject and predicate are the same, or if they hold the same words of the question, or,
where it asks something, its rarest word that more than one line holds: what it is about. Which other words they share
does not count: an update is often a paraphrase, and unrelated lines share sentence patterns.
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
    for group in _groups(rows[: settings.compared], question, settings):
        by_date = sorted(group, key=lambda index: (not rows[index].old, rows[index].date, -index))
        if not question.past:
            by_date.reverse()
        for index, score in zip(by_date, sorted((given[index] for index in group), reverse=True), strict=True):
            given[index] = score
    return given


def _groups(rows: Sequence[Row], question: Question, settings: RecallSettings) -> Iterator[list[int]]:
    same = _Same(question, settings)
    held = [same.asked.intersection(terms(row.plain)) for row in rows]
    same.read_topic(held)
    left = list(range(len(rows)))
    while left:
        first, *rest = left
        group = [
            first,
            *(other for other in rest if same.thing(rows[first], rows[other], held[first], held[other])),
        ]
        left = [index for index in rest if index not in group]
        if len(group) > 1:
            yield group


class _Same:
    """Decides whether two lines are about one thing, by the words of the question."""

    def __init__(self, question: Question, settings: RecallSettings) -> None:
        self._settings, self._weights = settings, question.weights
        # an update may part two characters that the question has side by side
        words = frozenset(word for word in question.words if len(word) == 1 or not is_dense(word[0]))
        self.asked = words - ordinary(question, settings.ordinary) or words
        self._all = self._weight(self.asked)
        self._topic, self._asks = "", question.text.rstrip().endswith(("?", "？"))

    def read_topic(self, held: Sequence[frozenset[str]]) -> None:
        """Note the rarest word of the question that several of these lines hold: what it is about."""
        counts = Counter(word for one in held for word in one)
        several = [word for word, count in counts.items() if count > 1 and self._asks]
        self._topic = max(several, key=lambda word: (self._weights.get(word, 1.0), word), default="")

    def thing(self, one: Row, other: Row, here: frozenset[str], there: frozenset[str]) -> bool:
        """Return True if two lines, of which these question words are known, are about one thing."""
        if one.predicate and other.predicate:
            return (one.subject, one.predicate) == (other.subject, other.predicate)
        common = self._weight(here & there)
        if one.who != other.who or not common or not (one.date and other.date):
            return False
        if one.story or other.story:  # most lines of a story tell what happened, which nothing supersedes
            return not one.who and one.path != other.path and common >= self._settings.same_story * self._all
        return common >= self._settings.same * self._weight(here | there) or self._topic in here & there

    def _weight(self, words: frozenset[str]) -> float:
        return sum(self._weights.get(word, 1.0) for word in sorted(words))
