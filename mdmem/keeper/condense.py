"""Many entries become a few lines of one's own words: the summariser that needs no model, and is the same every time.

Rules and corrections come first and word for word. Of the rest, what says the same is said once, in its newest form
(D022); the most important, most recent and most repeated get room first, each at its shortest; what room is left lets
them say more, in the same order. Within a line the order of time holds (D027).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdmem.core.similarity import essence, near_duplicates
from mdmem.keeper.piece import SEPARATOR, Piece, pieces, plain
from mdmem.keeper.weigh import Weigher


def condense(
    texts: Sequence[str], *, lines: int, max_chars: int | None, weigher: Weigher, near: float
) -> tuple[str, ...]:
    """Give at most so many lines that say the most of what the texts say.

    There are more lines only where the rules and corrections among the texts do not fit into so many.

    Args:
        texts: entries, in the order of the file.
        lines: how many lines may be left.
        max_chars: characters of a line; None for no limit.
        weigher: what is a rule, and what is important.
        near: the share of common words from which two texts say the same.
    """
    kept, free = _sorted(texts, weigher, near)
    rows = [list(row) for row in pack([piece.text for piece in kept], max_chars)]
    rows += [[] for _ in range(lines - len(rows))]
    chosen: list[_Place] = []
    for piece in _ranked(free, weigher):
        place = _place(piece, rows, max_chars)
        if place:
            chosen.append(place)
            rows[place.row].append(place.said)
    for place in chosen:
        _lengthen(place, rows, max_chars)
    order = {id(place.piece): place for place in chosen}
    said = [
        [*row[: len(row) - len(own)], *(one.said for one in sorted(own, key=lambda place: place.piece.order))]
        for index, row in enumerate(rows)
        for own in [[place for place in order.values() if place.row == index]]
    ]
    return tuple(SEPARATOR.join(row) for row in said if row)


def pack(texts: Iterable[str], max_chars: int | None) -> list[list[str]]:
    """Put texts into as few lines as they fit into, in order; one that is too long has a line of its own."""
    rows: list[list[str]] = []
    for text in texts:
        if rows and (max_chars is None or _length([*rows[-1], text]) <= max_chars):
            rows[-1].append(text)
        else:
            rows.append([text])
    return rows


def verbatim(texts: Iterable[str], weigher: Weigher) -> tuple[str, ...]:
    """Give the rules and corrections among the texts, each once: what must survive word for word."""
    said = {essence(piece): piece for text in texts for piece in pieces(plain(text)) if weigher.is_kept(piece)}
    return tuple(said.values())


class _Place:
    """A piece that has found room: in which row, and in which of its forms."""

    def __init__(self, piece: Piece, row: int, form: int) -> None:
        self.piece, self.row, self.form = piece, row, form

    @property
    def said(self) -> str:
        return self.piece.forms[self.form]


def _sorted(texts: Sequence[str], weigher: Weigher, near: float) -> tuple[list[Piece], list[Piece]]:
    """Take the texts apart into what must stay word for word and the rest, each said once."""
    said = [piece for text in texts for piece in pieces(plain(text)) if piece]
    kept = [Piece(text, order) for order, text in enumerate(verbatim(texts, weigher))]
    free = [Piece(text, order) for order, text in enumerate(said) if not weigher.is_kept(text)]
    return kept, _once(free, near)


def _once(found: list[Piece], near: float) -> list[Piece]:
    """Say what several pieces say once, in the newest form; of equally new ones the later."""
    left: dict[str, Piece] = {}
    for piece in found:
        known = left.get(essence(piece.said))
        piece.copies += known.copies if known else 0
        if known is None or not _older(piece, known):
            left[essence(piece.said)] = piece
        else:
            known.copies += 1
    rest = sorted(left.values(), key=lambda piece: piece.order)
    gone: set[int] = set()
    for later, earlier in near_duplicates([piece.said for piece in rest], near):
        old, new = (later, earlier) if _older(rest[later], rest[earlier]) else (earlier, later)
        rest[new].copies += rest[old].copies
        gone.add(old)
    return [piece for index, piece in enumerate(rest) if index not in gone]


def _older(one: Piece, other: Piece) -> bool:
    return bool(one.date and other.date and one.date < other.date)


def _ranked(found: list[Piece], weigher: Weigher) -> list[Piece]:
    last = max((piece.order for piece in found), default=0) or 1
    weights = weigher.settings

    def worth(piece: Piece) -> tuple[float, int]:
        aged = weights.recency_share * (1 - weigher.recency(piece.date))
        value = weigher.importance(piece.text) * (1 - aged) + weights.copy_worth * (piece.copies - 1)
        value += weights.fact_worth * piece.density + weights.order_worth * piece.order / last
        return -value, -piece.order

    return sorted(found, key=worth)


def _place(piece: Piece, rows: list[list[str]], max_chars: int | None) -> _Place | None:
    """Find room for a piece in its shortest form."""
    shortest = min(range(len(piece.forms)), key=lambda form: len(piece.forms[form]), default=-1)
    if shortest < 0:
        return None
    for index, row in enumerate(rows):
        if max_chars is None or _length([*row, piece.forms[shortest]]) <= max_chars:
            return _Place(piece, index, shortest)
    return None


def _lengthen(place: _Place, rows: list[list[str]], max_chars: int | None) -> None:
    """Let a piece say as much as there is room for in its row."""
    row = rows[place.row]
    at = row.index(place.said)
    for form, said in enumerate(place.piece.forms[: place.form]):
        if max_chars is None or _length([*row[:at], said, *row[at + 1 :]]) <= max_chars:
            place.form, row[at] = form, said
            return


def _length(row: Sequence[str]) -> int:
    return sum(map(len, row)) + len(SEPARATOR) * max(0, len(row) - 1)
