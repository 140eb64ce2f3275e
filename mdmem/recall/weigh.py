"""What a memory is worth besides its fit: how recent, how important, how often asked for, who asks (K111, K112).

`relevance × (relevance's weight + weighted rest)`: what fits not at all is not lifted by being new, and lines of a
transcript, which have neither importance nor a count of their own, keep the order of their fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from mdmem.core.settings.recall import RecallSettings
from mdmem.recall.row import Row


def worth(row: Row, settings: RecallSettings, *, today: date, persona: Mapping[str, float]) -> float:
    """Give the factor by which a row's relevance counts; 1 for a line of a story and for the middling memory."""
    weight = persona.get(row.type.casefold(), 1.0)
    if row.story:
        return weight
    asked = row.opened / (row.opened + settings.access_half)
    given = settings.recency * recency(row.date, settings, today) + settings.importance * row.importance
    dull = settings.recency * settings.undated_recency + settings.importance * settings.unrated_importance
    middling = settings.relevance + dull or 1.0  # where the settings count nothing at all, all are alike
    return weight * (settings.relevance + given + settings.access * asked) / middling


def recency(day: str, settings: RecallSettings, today: date) -> float:
    """Give 1 for today, halved with every half-life; what has no date, as the settings say."""
    try:
        age = (today - date.fromisoformat(day[:10])).days
    except ValueError:
        return settings.undated_recency
    return float(0.5 ** (max(0, age) / settings.half_life_days))


def persona_weights(rows: Sequence[str], persona: str) -> Mapping[str, float]:
    """Read a persona's factors from rows like `tech_expert skill 1.2 error 1.2`; an unknown persona has none."""
    for said in (row.split() for row in rows):
        if persona and said and said[0].casefold() == persona.casefold():
            return {kind.casefold(): _number(factor) for kind, factor in zip(said[1::2], said[2::2], strict=False)}
    return {}


def _number(said: str) -> float:
    try:
        return float(said)
    except ValueError:
        return 1.0
