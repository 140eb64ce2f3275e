"""Divides a question that asks for several things («the roof and the fence», 帐篷还是炉子), and serves each of them.

A part is the word beside a conjunction. The best line of each part comes before a second line of any.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mdmem.search.question import Question, RankedHit
from mdmem.search.silence import ordinary
from mdmem.search.words.terms import fold, is_stop, line_terms, pieces, terms
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.inline import is_dense
from mdmem.text.pattern import pattern

_BETWEEN = pattern(r"(?i)\b(?:and|or|versus|vs)\b|&|、|还有|以及|或者|还是|和|或")
_PAIR = 2


def parts_of(question: Question, left_out: Collection[str]) -> tuple[frozenset[str], ...]:
    """Return the terms of each thing that a question asks for, without the words left out; none if it asks for one."""
    asked = frozenset(question.words).difference(left_out)
    segments = _BETWEEN.split(fold(question.text))
    found: list[frozenset[str]] = []
    for at, segment in enumerate(segments):
        words = _words(segment, asked)
        if words:
            found.append(words[-1] if at == 0 else words[0])
    distinct = tuple(dict.fromkeys(found))
    return distinct if len(distinct) > 1 else ()


def _words(segment: str, asked: frozenset[str]) -> list[frozenset[str]]:
    """Return the words of a segment with content, each as its terms; of a dense run, its first and last pair."""
    found: list[frozenset[str]] = []
    for match in pieces(segment):
        piece = match.group()
        if is_dense(piece[0]):
            pairs = [one for one in terms(piece) if len(one) == _PAIR and one in asked and not any(map(is_stop, one))]
            found += [frozenset((one,)) for one in pairs]
        else:
            own = frozenset(term for term in terms(piece) if term in asked and not is_stop(term))
            found += [own] if own else []
    return found


def each_part_first(found: Sequence[RankedHit], question: Question, settings: RecallSettings) -> tuple[RankedHit, ...]:
    """Move the best row of each part before the second one of any, among the rows that were compared."""
    parts = parts_of(question, ordinary(question, settings.ordinary))
    if not parts:
        return tuple(found)
    head = list(found[: settings.compared])
    first: list[RankedHit] = []
    missing = list(parts)
    for at, hit in enumerate(head):
        held = line_terms(hit.row.plain) | line_terms(hit.row.who)
        served = [part for part in missing if part <= held]
        if served or not at:
            first.append(hit)
            missing = [part for part in missing if part not in served]
    rest = [hit for hit in head if hit not in first]
    return (*first, *rest, *found[settings.compared :])
