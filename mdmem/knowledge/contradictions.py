"""Find orders in pieces of knowledge of which one forbids what another demands. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from mdmem.formats.template import Template
from mdmem.knowledge.model import Contradiction
from mdmem.search.words.terms import terms
from mdmem.text.document import Document
from mdmem.text.inline import one_line
from mdmem.text.pattern import Pattern, pattern

_SENTENCE = pattern(r"(?<=[。！？!?；;])|(?<=\.)\s+")


class PieceText(NamedTuple):
    """The text of a piece, with its name and precedence."""

    name: str
    precedence: float
    document: Document
    template: Template


class _Order(NamedTuple):
    piece: PieceText
    line: int  # 1-based
    text: str
    forbids: bool
    words: frozenset[str]


def contradictions(pieces: Sequence[PieceText], share: float) -> tuple[Contradiction, ...]:
    """Return the contradictions between pieces; that of higher precedence, or else the earlier one, is the first.

    Two orders are about the same thing if the shorter one shares so many of its words with the other.
    """
    ordered = sorted(pieces, key=lambda one: -one.precedence)
    orders = [list(_orders(one)) for one in ordered]
    found = []
    for own, other in combinations(orders, 2):
        for one in own:
            found += [
                _contradiction(one, that) for that in other if one.forbids != that.forbids and _same(one, that, share)
            ]
    return tuple(found)


def _contradiction(one: _Order, other: _Order) -> Contradiction:
    return Contradiction(one.piece.name, one.line, one.text, other.piece.name, other.line, other.text)


def _same(one: _Order, other: _Order, share: float) -> bool:
    least = min(len(one.words), len(other.words))
    return least > 0 and len(one.words & other.words) >= share * least


def _orders(piece: PieceText) -> Iterator[_Order]:
    always, never = (_marks(piece.template.parts.get(part, ())) for part in ("always", "never"))
    for entry in piece.document.entries:
        for sentence in _SENTENCE.split(one_line(entry.text)):
            forbids, demands = never.search(sentence), always.search(sentence)
            if bool(forbids) != bool(demands):
                words = frozenset(terms((never if forbids else always).sub(" ", sentence)))
                yield _Order(piece, entry.line + 1, sentence.strip(), bool(forbids), words)


@cache
def _marks(words: tuple[str, ...]) -> Pattern:
    one = "|".join(
        rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
    )
    return pattern(one or "(?!)", re.IGNORECASE)
