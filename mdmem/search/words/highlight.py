"""Finds the matching words of a text, for highlighting and for the reasons of a hit."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from mdmem.search.words.terms import fold, pieces, terms
from mdmem.text.inline import is_dense
from mdmem.text.spans import Span


def marks(text: str, wanted: AbstractSet[str]) -> tuple[Span, ...]:
    """Return the spans of a text that match these terms, adjacent ones joined."""
    found = sorted((*_words(text, wanted), *_pairs(text, wanted)))
    joined: list[Span] = []
    for span in found:
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return tuple(joined)


def _words(text: str, wanted: AbstractSet[str]) -> Iterator[Span]:
    for match in pieces(text):
        if not wanted.isdisjoint(_mark_terms(match.group())):
            yield Span(*match.span())


@lru_cache(maxsize=50_000)
def _mark_terms(piece: str) -> frozenset[str]:
    """Return the terms of a word; none for dense scripts, which `_pairs` handles."""
    return frozenset() if is_dense(fold(piece)[:1] or " ") else frozenset(terms(piece))


def _pairs(text: str, wanted: AbstractSet[str]) -> Iterator[Span]:
    """Yield matching pairs of dense characters; single ones only if no pair covers them."""
    if text.isascii():
        return
    single = [fold(char).casefold() for char in text]
    found = [Span(at, at + 2) for at in range(len(text) - 1) if single[at] + single[at + 1] in wanted]
    pairs = {char for span in found for char in single[span.start : span.end]}
    yield from (span for span in found if is_dense(single[span.start]))
    yield from (
        Span(at, at + 1)
        for at, char in enumerate(single)
        if len(char) == 1 and char in wanted and is_dense(char) and char not in pairs
    )
