"""Decides whether the memory knows anything about a question; finds words without topic («time», «live», «多少钱»)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log, log10

from mdmem.search.question import USER, Candidate, Question, plain
from mdmem.search.words.related_words import Related
from mdmem.search.words.terms import is_stop, line_terms, terms
from mdmem.search.words.word_list import WordList, word_list
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.pattern import pattern


def ordinary(question: Question, rows: Sequence[str]) -> frozenset[str]:
    """Return the terms of a question that occur in it only as part of the words of these rows."""
    words, own = word_list(tuple(rows)), terms(question.text)
    found = {term for term in (*question.words, *own) if words.holds(term)}
    if not question.text.isascii():
        found |= {*own} - {*terms(words.without(question.text))}
    return frozenset(found)


_NAME = pattern(r"(?<=[^\s.!?:] )[A-Z][\w'’-]+")  # a capital inside a sentence
_DIGIT = pattern(r"\d")
_CALENDAR = WordList(
    [
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
    ]
)


def share_contained(text: str, question: Question) -> float:
    """Return the weighted share of a question's words that a line contains."""
    asked = {word: question.weights.get(word, 1.0) for word in question.words}
    total = sum(asked.values())
    return _weight(asked, line_terms(plain(text))) / total if total else 0.0


def is_unknown(
    rows: Sequence[Candidate],
    question: Question,
    known: Collection[str],
    lines: int,
    settings: RecallSettings,
    related: Sequence[Related] = (),
) -> bool:
    """Return True if nothing is known about a question.

    Args:
        rows: the results, best first.
        question: with the inverse document frequency of its words in `weights`.
        known: those of its words that occur in any line of the memory.
        lines: the number of lines of the memory; in a larger one, more words occur by chance.
        settings: the table `[recall]`.
        related: related terms; a line with one counts by its share.
    """
    named = question.names(name for row in rows for name in (row.who, row.subject))
    names = {term for name in named for term in terms(name)}
    asked = {word: question.weights.get(word, 1.0) for word in question.words}
    names |= ordinary(question, settings.ordinary)
    if question.days and all(word in names or _DIGIT.search(word) for word in asked):
        return not rows  # it asks for all events of these days
    asked = {word: weight for word, weight in asked.items() if word not in names} or asked
    total = sum(asked.values())
    if not (rows and total):
        return True
    best = max(_weight(asked, line_terms(row.plain), related) for row in rows[: settings.checked])
    sure = best / total + settings.known * _weight(asked, known) / total
    sure += settings.evidence * min(best / log(2 * lines + 2), settings.most_evidence)
    sure += settings.named * (bool(named) + _is_stated(rows[: settings.checked], question, named))
    sure -= settings.unknown * _has_unknown_name(question.text, known)
    return sure < settings.unknown_below + settings.unknown_below_growth * (log10(max(1, lines)) - 3)


def _is_stated(rows: Sequence[Candidate], question: Question, named: Collection[str]) -> bool:
    """Return True if a fact tells of the property that the question names, and of whom it asks."""
    asked = (row for row in rows if row.who in named or (question.mine and row.who == USER))
    return bool(question.names(row.predicate for row in asked if row.predicate))


def _weight(asked: dict[str, float], held: Collection[str], related: Sequence[Related] = ()) -> float:
    contained = frozenset(held)
    shares = {word: 1.0 for word in asked if word in contained}
    for extra in related:
        if extra.of in asked and extra.is_in(contained):
            shares[extra.of] = max(extra.share, shares.get(extra.of, 0.0))
    return sum(share * asked[word] for word, share in shares.items())


def _has_unknown_name(text: str, known: Collection[str]) -> bool:
    """Return True if a capitalized word inside a sentence occurs in no line."""
    for match in _NAME.finditer(text):
        name = [term for term in terms(match.group()) if not is_stop(term)]
        if name and not any(_CALENDAR.holds(term) or term in known for term in name):
            return True
    return False
