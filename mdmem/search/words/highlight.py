"""Where a text holds what was asked for: what a snippet shows in colour, and why it was found."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from mdmem.search.words.terms import fold, pieces, terms
from mdmem.text.inline import is_dense
from mdmem.text.spans import Span


def marks(text: str, wanted: AbstractSet[str]) -> tuple[Span, ...]:
    """Find the places of a text that hold these terms, neighbours joined."""
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
    """Return the terms of a word; none of a run of characters, which are looked at by themselves."""
    return frozenset() if is_dense(fold(piece)[:1] or " ") else frozenset(terms(piece))


def _pairs(text: str, wanted: AbstractSet[str]) -> Iterator[Span]:
    """Find pairs of characters; single ones where none of the pairs is there."""
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
