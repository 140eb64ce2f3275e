"""From candidates to an order: relevance, worth, the newer value first, the same thing once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from mdmem.core.settings.recall import RecallSettings
from mdmem.core.similarity import near_duplicates
from mdmem.core.words import terms
from mdmem.core.words.related import Related
from mdmem.recall.focus import Focus
from mdmem.recall.newest import newest_first
from mdmem.recall.question import Question
from mdmem.recall.relevance import Shares, relevance
from mdmem.recall.row import Found, Row
from mdmem.recall.weigh import persona_weights, worth


def rank(
    rows: Sequence[Row],
    question: Question,
    settings: RecallSettings,
    *,
    today: date,
    limit: int,
    persona: str = "",
    related: Sequence[Related] = (),
) -> tuple[Found, ...]:
    """Order candidates, the best first; the same candidates in any order give the same answer."""
    rows = sorted(rows, key=_place)
    weights = persona_weights(settings.persona, persona)
    fit, shares = relevance(rows, question, settings)
    scores = [score * worth(row, settings, today=today, persona=weights) for row, score in zip(rows, fit, strict=True)]
    order = sorted((index for index, score in enumerate(scores) if score > 0), key=lambda index: -scores[index])
    order = order[: max(limit, settings.compared)]
    head, rest = order[: settings.compared], order[settings.compared :]
    _focused(rows, scores, head, Focus(question, settings, related), settings)
    order = sorted(head, key=lambda index: -scores[index]) + rest
    given = newest_first([rows[index] for index in order], [scores[index] for index in order], question, settings)
    best = max(given, default=0.0)
    found = [
        Found(rows[index], round(score / best, 6), _why(shares, index, newest=score > scores[index]))
        for index, score in zip(order, given, strict=True)
    ]
    found.sort(key=lambda one: -one.score)
    return _once(found, settings)[:limit]


def _focused(
    rows: Sequence[Row], scores: list[float], head: Sequence[int], focus: Focus, settings: RecallSettings
) -> None:
    """Take from the scores of lines that hold little of what the question is about, as compared with the best."""
    if all(rows[index].story for index in head):
        return
    held = [focus.weight(terms(f"{rows[index].subject} {rows[index].plain}")) for index in head]
    best = max(held, default=0.0) or 1.0
    for index, weight in zip(head, held, strict=True):
        if not rows[index].story:
            scores[index] *= 1 - settings.focus * (1 - weight / best)


def _place(row: Row) -> tuple[str, int, int]:
    return row.path, row.place, row.line


def _why(shares: Shares, index: int, *, newest: bool) -> tuple[str, ...]:
    told = sorted((-share[index], way) for way, share in shares.items() if share[index] > 0)
    return (*(("newest",) if newest else ()), *(way for _, way in told))


def _once(found: Sequence[Found], settings: RecallSettings) -> tuple[Found, ...]:
    """Put what says nearly the same as a better one behind the others that were compared."""
    head = found[: settings.compared]
    again = {later for later, _ in near_duplicates([one.row.plain for one in head], settings.alike)}
    kept = [one for index, one in enumerate(head) if index not in again]
    said = [one for index, one in enumerate(head) if index in again]
    return (*kept, *said, *found[settings.compared :])
