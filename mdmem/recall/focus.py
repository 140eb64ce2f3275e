"""Tell what a question is about, and how much of that a line holds.

The words by which a question only asks («live», «go», «多少钱») are left out: an unrelated line shares them as often as
the line that answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mdmem.core.settings.recall import RecallSettings
from mdmem.core.words.related import Related
from mdmem.recall.ordinary import ordinary
from mdmem.recall.question import Question


class Focus:
    """The words that a question is about, with their weights."""

    def __init__(self, question: Question, settings: RecallSettings, related: Sequence[Related] = ()) -> None:
        said, left_out = question.words, ordinary(question, settings.ordinary)
        self.words = {word: question.weights.get(word, 1.0) for word in said if word not in left_out}
        self._related = [one for one in related if one.of in self.words]

    def weight(self, held: Collection[str]) -> float:
        """Return the weight of those words that a line of these terms holds, or that its words answer for."""
        said = frozenset(held)
        shares = {word: 1.0 for word in self.words if word in said}
        for one in self._related:
            if any(map(said.issuperset, one.alternatives)):
                shares[one.of] = max(one.share, shares.get(one.of, 0.0))
        return sum(share * self.words[word] for word, share in shares.items())
