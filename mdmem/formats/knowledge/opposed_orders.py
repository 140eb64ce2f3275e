"""Find orders in pieces of knowledge of which one forbids what another demands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from mdmem.formats.template import Template
from mdmem.text.document import Document, Entry
from mdmem.text.inline import one_line
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.similarity import tokens

_SHARE = "same_order"  # the number of the template
_LOOKS, _COMPARED = 20, 100  # orders compared with one, for one word and in all: keeps the search linear
_SENTENCE = pattern(r"(?<=[。！？!?；;])|(?<=\.)\s+")


class PieceOrder(NamedTuple):
    """A sentence of a piece that demands or forbids something."""

    piece: str
    entry: Entry
    text: str
    forbids: bool
    words: frozenset[str]

    @property
    def line(self) -> int:
        """The line of its entry, counted from 1."""
        return self.entry.line + 1


def read_orders(piece: str, document: Document, template: Template) -> Iterator[PieceOrder]:
    """Yield the orders of a piece, by the words in the template that mark one."""
    always, never = (_marks(template.parts.get(part, ())) for part in ("always", "never"))
    for entry in document.entries:
        for sentence in _SENTENCE.split(one_line(entry.text)):
            forbids, demands = never.search(sentence), always.search(sentence)
            if bool(forbids) != bool(demands):
                words = tokens((never if forbids else always).sub(" ", sentence))
                yield PieceOrder(piece, entry, sentence.strip(), bool(forbids), words)


def precedence_of(document: Document) -> float:
    """Return the precedence in the front matter of a piece: where two disagree, the higher one holds."""
    front = document.front_matter
    value = front.values.get("precedence") if front else None
    try:
        return float(str(value)) if value not in (None, "") else 0.0
    except ValueError:
        return 0.0


def same_share(template: Template) -> float:
    """Return the share of the words of an order that another one about the same thing has too."""
    return template.numbers.get(_SHARE, 1.0)


def opposed(
    orders: Sequence[PieceOrder], share: float, *, across: bool = False
) -> Iterator[tuple[PieceOrder, PieceOrder]]:
    """Yield orders that contradict an earlier one: (earlier, later), one pair for each later order.

    Two orders are about the same thing if the shorter one shares so many of its words with the other. It then shares
    one of its rarest ones, by which the pairs are found.

    Args:
        orders: in the order of their precedence.
        share: the share of words.
        across: only pairs of different pieces.
    """
    counts = Counter(word for one in orders for word in one.words)
    whole: dict[tuple[bool, str], list[int]] = {}  # the earlier orders by each of their words
    first: dict[tuple[bool, str], list[int]] = {}  # those by their rarest words only
    for number, later in enumerate(orders):
        words = sorted(later.words, key=lambda word: (counts[word], word))
        rarest = words[: int(len(words) * (1 - share) + 1e-9) + 1]
        looks = [(whole, word) for word in rarest] + [(first, word) for word in words]
        seen = dict.fromkeys(at for index, word in looks for at in index.get((not later.forbids, word), ()))
        compared = (orders[at] for at in islice(seen, _COMPARED))
        found = (one for one in compared if _same(one, later, share) and not (across and one.piece == later.piece))
        if earlier := next(found, None):
            yield earlier, later
        for index, own in ((whole, words), (first, rarest)):
            for word in own:
                known = index.setdefault((later.forbids, word), [])
                if len(known) < _LOOKS:
                    known.append(number)


def _same(one: PieceOrder, other: PieceOrder, share: float) -> bool:
    least = min(len(one.words), len(other.words))
    return least > 0 and len(one.words & other.words) >= share * least


@cache
def _marks(words: tuple[str, ...]) -> Pattern:
    one = "|".join(
        rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
    )
    return pattern(one or "(?!)", re.IGNORECASE)
