"""Score entries by rule and correction markers, importance words and recency.

The word lists are settings (`[keeper]`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

from mdmem.settings.keeper_tables import KeeperSettings
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.wording.directive import Directives


class ImportanceScorer:
    """Scores texts by the settings of one workspace, on one day."""

    def __init__(self, settings: KeeperSettings, today: date) -> None:
        self.settings, self.today = settings, today
        self._kept: dict[str, bool] = {}  # cached by text: several steps ask about the same texts
        self._worth: dict[str, float] = {}  # the same

    def is_kept(self, text: str) -> bool:
        """Return whether a text is a rule or a correction, which must stay word for word."""
        if (cached := self._kept.get(text)) is None:
            cached = self._kept[text] = self._directives.is_rule(text)
        return cached

    def is_lasting(self, text: str) -> bool:
        """Return whether a text says from its beginning that it holds from now on, and for every case."""
        return self._directives.lasts(text)

    def begins_lasting(self, text: str) -> bool:
        """Return whether a text begins with words that say that it holds from now on."""
        return self._directives.begins_lasting(text)

    def is_conditional(self, text: str) -> bool:
        """Return whether a clause begins with words that say when another one holds."""
        return self._directives.is_conditional(text)

    def is_request(self, text: str) -> bool:
        """Return whether a question is a request or a correction."""
        return self._asking.search(text) is not None

    def is_unsure(self, text: str) -> bool:
        """Return whether a text is marked as unsure (F022)."""
        return any(word in text.casefold() for word in self.settings.unsure)

    def importance(self, text: str) -> float:
        """Return the importance of a text by its words, 0 to 1 (D021)."""
        if (cached := self._worth.get(text)) is None:
            found = (level.importance for level in self._levels if level.words.search(text))
            cached = self._worth[text] = next(found, self.least)
        return cached

    def recency(self, day: date | None) -> float:
        """Return 1 for today, halved with every half-life; without a date, `undated_recency`."""
        if day is None:
            return self.settings.undated_recency
        return float(0.5 ** (max(0, (self.today - day).days) / self.settings.half_life_days))

    @cached_property
    def _directives(self) -> Directives:
        return Directives(self.settings)

    @cached_property
    def _asking(self) -> PhrasePattern:
        return any_of((*self.settings.asking, *self.settings.corrections))

    @cached_property
    def _levels(self) -> tuple[ImportanceLevel, ...]:
        rows = [row.split() for row in self.settings.importance if row.strip()]
        return tuple(ImportanceLevel(_number(row[0]), any_of(row[1:])) for row in rows if row[1:])

    @cached_property
    def least(self) -> float:
        """The importance of a text without any of the words."""
        rows = [row.split() for row in self.settings.importance if row.strip()]
        return _number(rows[-1][0]) if rows and not rows[-1][1:] else 0.0


class ImportanceLevel(NamedTuple):
    """One row of the importance table."""

    importance: float
    words: PhrasePattern


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def newest(days: Sequence[date | None]) -> date | None:
    """Return the latest of some days; None if there is none."""
    return max((day for day in days if day), default=None)
