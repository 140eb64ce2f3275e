"""Decide whether anything is known about a question, by how much of it the best lines and the whole memory hold.

A question about unknown people and things shares only common words with the lines that answer it best: no single line
holds much of it, and many of its rare words stand nowhere. Names tell most: an unknown name counts against an answer, a
known speaker or subject for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log, log10

from mdmem.core.pattern import pattern
from mdmem.core.settings.recall import RecallSettings
from mdmem.core.words import is_stop, terms
from mdmem.core.words.related import Related
from mdmem.recall.ordinary import ordinary
from mdmem.recall.question import Question
from mdmem.recall.row import Row, plain

_NAME = pattern(r"(?<=[^\s.!?:] )[A-Z][\w'’-]+")  # a capital inside a sentence
_DIGIT = pattern(r"\d")
_CALENDAR = frozenset(
    terms(
        "January February March April May June July August September October November December"
        " Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    )
)


def share_held(text: str, question: Question) -> float:
    """Return the share of a question's words, by their weights, that a line holds."""
    asked = {word: question.weights.get(word, 1.0) for word in question.words}
    total = sum(asked.values())
    return _weight(asked, terms(plain(text))) / total if total else 0.0


def is_unknown(
    rows: Sequence[Row],
    question: Question,
    known: Collection[str],
    lines: int,
    settings: RecallSettings,
    related: Sequence[Related] = (),
) -> bool:
    """Return True if nothing is known about a question.

    Args:
        rows: what was found, the best first.
        question: its `weights` say how rare each of its words is.
        known: those of its words that any line of the memory holds.
        lines: how many lines the memory has; the more, the more words of any question are known by chance.
        settings: the table `[recall]`.
        related: words that answer for those of the question; a line that holds one counts as far as it does.
    """
    named = question.names(name for row in rows for name in (row.who, row.subject))
    names = {term for name in named for term in terms(name)}
    asked = {word: question.weights.get(word, 1.0) for word in question.words}
    names |= ordinary(question, settings.ordinary)
    if question.days and all(word in names or _DIGIT.search(word) for word in asked):
        return not rows  # it asks for what happened on these days, whatever that is
    asked = {word: weight for word, weight in asked.items() if word not in names} or asked
    total = sum(asked.values())
    if not (rows and total):
        return True
    best = max(_weight(asked, terms(row.plain), related) for row in rows[: settings.judged])
    sure = best / total + settings.known * _weight(asked, known) / total
    sure += settings.evidence * min(best / log(2 * lines + 2), settings.most_evidence)
    sure += settings.named * bool(named) - settings.unknown * _has_unknown_name(question.text, known)
    return sure < settings.silent + settings.silent_more * (log10(max(1, lines)) - 3)


def _weight(asked: dict[str, float], held: Collection[str], related: Sequence[Related] = ()) -> float:
    said = frozenset(held)
    shares = {word: 1.0 for word in asked if word in said}
    for one in related:
        if one.of in asked and any(map(said.issuperset, one.alternatives)):
            shares[one.of] = max(one.share, shares.get(one.of, 0.0))
    return sum(share * asked[word] for word, share in shares.items())


def _has_unknown_name(text: str, known: Collection[str]) -> bool:
    """Return True if a word with a capital inside a sentence stands in no line."""
    for match in _NAME.finditer(text):
        name = [term for term in terms(match.group()) if not is_stop(term)]
        if name and _CALENDAR.isdisjoint(name) and not any(term in known for term in name):
            return True
    return False
