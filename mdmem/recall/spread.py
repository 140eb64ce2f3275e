"""What a row holds of a question's terms, and what the lines around it add to that.

An answer often stands beside the line that holds the question's words. So each term counts in the row that holds it
and, for less, in the rows around; of several places around a row only the best counts, so that one word said in five
lines is not five words.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from mdmem.core.pattern import pattern
from mdmem.core.settings.recall import RecallSettings
from mdmem.recall.row import Row

_FURTHEST = 10  # lines, however little the share fades
Terms = dict[int, float]  # the number of each term that counts for a row, and how much
_MARK = pattern(r"[?？]")
_CAPTION = pattern(r"\[image:[^\]]*\]")
_SENTENCE = pattern(r"[^.!?。！？]+[.!?。！？]*")


def spread(rows: Sequence[Row], settings: RecallSettings) -> list[float]:
    """Return what the rows around each row add to its own terms, each term as much as its best place gives."""
    near = [dict(row.held) for row in rows]
    places = {(row.path, row.place): index for index, row in enumerate(rows) if row.story}
    steps = _steps(settings)
    for row in rows:
        if not (row.story and row.held):
            continue
        spoken = bool(row.who) and row.length <= settings.short_terms
        trust = 1.0 if spoken else settings.unspoken
        for step, share in steps:
            there = places.get((row.path, row.place + step))
            if there is None:
                continue
            answers = step == 1 and spoken and rows[there].who != row.who and _MARK.search(row.text)
            _lend(near[there], row.held, max(share, settings.answer) if answers else share * trust)
    return [sum(terms.values()) - sum(score for _, score in row.held) for terms, row in zip(near, rows, strict=True)]


def _steps(settings: RecallSettings) -> list[tuple[int, float]]:
    """Return the distances at which a row lends, those behind it first, with the share that it lends there."""
    steps = []
    for way, first in ((1, settings.after), (-1, settings.before)):
        reach = min(_FURTHEST, ceil(round(first / settings.fade, 6))) if settings.fade else 1
        steps += [(way * (step + 1), first - step * settings.fade) for step in range(reach)]
    return steps


def _lend(terms: Terms, held: Sequence[tuple[int, float]], share: float) -> None:
    for term, score in held:
        if share * score > terms.get(term, 0.0):
            terms[term] = share * score


def asking(text: str) -> float:
    """Return the share of a line that stands in questions, captions left out."""
    if not _MARK.search(text):
        return 0.0
    sentences = [sentence.strip() for sentence in _SENTENCE.findall(_CAPTION.sub("", text))]
    asked = sum(len(sentence) for sentence in sentences if _MARK.search(sentence))
    return asked / (sum(map(len, sentences)) or 1)
