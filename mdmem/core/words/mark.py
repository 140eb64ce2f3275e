"""Where a text holds what was asked for: what a snippet shows in colour, and why it was found."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mdmem.core.text import Span
from mdmem.core.words.fold import fold
from mdmem.core.words.terms import is_dense, pieces, terms


def marks(text: str, wanted: Collection[str]) -> tuple[Span, ...]:
    """Find the places of a text that hold these terms, neighbours joined."""
    found = sorted((*_words(text, wanted), *_pairs(text, wanted)))
    joined: list[Span] = []
    for span in found:
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(span.end, joined[-1].end))
        else:
            joined.append(span)
    return tuple(joined)


def _words(text: str, wanted: Collection[str]) -> Iterator[Span]:
    for match in pieces(text):
        piece = match.group()
        if not is_dense(fold(piece)[:1] or " ") and any(term in wanted for term in terms(piece)):
            yield Span(*match.span())


def _pairs(text: str, wanted: Collection[str]) -> Iterator[Span]:
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
