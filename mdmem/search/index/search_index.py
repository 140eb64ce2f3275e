"""The texts of rows, read from the files they stand in; a file that moved on since it was indexed answers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

from mdmem.search.index.bm25 import Sums, best_rows, common, extra, heading_scores, listed, shape, term_weight, words
from mdmem.search.index.connection import IndexDatabase
from mdmem.search.index.database import LENGTHS, contents, date, number
from mdmem.search.index.model import Holding, IndexRow, IndexSource, IndexStatus
from mdmem.search.index.piece import KINDS, visible
from mdmem.search.index.row_text import digest as digest_of
from mdmem.search.index.row_text import scalar
from mdmem.search.index.typos import respelled
from mdmem.search.question import Query
from mdmem.search.words.related_words import Related
from mdmem.settings.tables import SearchSettings

_KEPT = 8_000_000  # characters of files that are remembered


class RowTexts:
    """Reads files once, and gives pieces of them."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self._files: dict[str, tuple[bytes, str]] = {}
        self._size = 0

    def get(self, row: IndexRow, digest: bytes) -> str | None:
        """Return what is seen of a row's text, if its file has the content that was indexed."""
        text = self._file(row.path, digest)
        if text is None:
            return None
        piece = text[row.start : row.start + row.size]
        if row.kind == "turn":
            from mdmem.formats.session import unescape

            piece = unescape(piece.partition("\n")[2])
        elif row.kind == "summary":
            piece = scalar(piece)
        elif row.kind == "heading":
            piece = row.title
        return visible(piece).strip()

    def clear(self) -> None:
        """Forget every text."""
        self._files.clear()
        self._size = 0

    def _file(self, path: str, digest: bytes) -> str | None:
        known = self._files.get(path)
        if known and known[0] == digest:
            return known[1]
        data = self._read(path)
        if data is None or digest_of(data) != digest:
            return None
        if self._size > _KEPT:
            self.clear()
        text = data.decode("utf-8", "surrogateescape")
        self._files[path] = (digest, text)
        self._size += len(text)
        return text


_ROW = (
    "SELECT rows.id, files.path, files.kind, files.agent, rows.ordinal, rows.line, rows.start, rows.size, rows.kind,"
    " rows.spot, spots.title, spots.trail, rows.date, rows.speaker, rows.said, files.tags"
    " FROM rows JOIN files ON files.id = rows.file JOIN spots ON spots.id = rows.spot "
)
_PATH, _PLACE, _SPOT, _DAY = 1, 4, 9, 12  # its columns
_NUMBERED = "WHERE rows.id IN ({})"
_UNDER = "WHERE spots.id IN ({}) AND rows.file = spots.file"  # by the file's rows: those of a place have no index
_ORDER = " ORDER BY files.path, rows.ordinal"
_NEWEST = " ORDER BY rows.date DESC, files.path, rows.ordinal LIMIT ?"
_LEAST = 10  # rows that are looked at beyond the limit, for some are left out
_AT_ONCE = 500  # values in one statement
Keep = Callable[[IndexRow], bool]


class SearchIndex:
    """What is known of the words of a workspace's files; made again whenever it is missing or not what it should be."""

    def __init__(self, places: Sequence[str], source: IndexSource, settings: SearchSettings) -> None:
        """Bind to a workspace; nothing is opened yet.

        Args:
            places: where it may lie, the workspace's own first; where none can be written it is kept in memory.
            source: the files.
            settings: the table `[search]`.
        """
        self._held, self._source, self._settings = IndexDatabase(places, source, settings), source, settings
        self._texts = RowTexts(source.read)

    def refresh(self) -> None:
        """Bring the index up to what the files are now; what another process is writing is waited for."""
        self._held.refresh()

    def rebuild(self) -> None:
        """Build the index anew."""
        with self._held.mutex:
            self.forget()
            self.refresh()

    def check(self) -> bool:
        """Return whether the index says what one built anew says; where not, it is built anew."""
        fresh = IndexDatabase((), self._source, self._settings)
        fresh.refresh()
        with self._held.reading(), fresh.reading():
            same = contents(self._held.db) == contents(fresh.db)
        fresh.close()
        if not same:
            self.rebuild()
        return same

    def forget(self) -> None:
        """Remove the index wherever it lies, with every word in it (law 12).

        Raises:
            LockedError: another process has been writing it for too long.
            WriteError: the system refused.
        """
        with self._held.mutex:
            self._texts.clear()
            self._held.remove()

    def match(
        self, query: Query, limit: int, keep: Keep | None = None, related: Sequence[Related] = ()
    ) -> list[IndexRow]:
        """Return the rows that answer a query, the best first, with their texts and scores.

        Args:
            query: any words of it may be in a row; what must be is, what must not is not.
            limit: how many rows.
            related: extra terms, which propose rows too.
            keep: which rows count at all; asked before a text is read (`row.text` is empty then), and again with it.
        """
        with self._held.reading() as lists:
            scores = words(lists, query, self._settings, related)
            spots = {} if query.must else heading_scores(lists, query, self._settings)
            most, crowd = limit + _LEAST, False
            while True:
                held, below = best_rows(scores, most), self._below(spots, most, crowd=crowd)
                rows = self._scored(held, below, scores, spots)
                found = list(islice(self._answers(rows, query, keep), limit))
                if len(found) == limit:
                    return found
                if max(len(held), len(below)) >= most:
                    most *= 8
                elif found or crowd:
                    return found
                else:
                    crowd = True

    def holding(self, rows: Sequence[int], query: Query, related: Sequence[Related] = ()) -> list[Holding]:
        """Return for each row what it holds of a query's terms and of the related ones."""
        with self._held.reading() as lists:
            held: dict[int, list[tuple[int, float]]] = {row: [] for row in rows}
            factors, norms = shape(lists, self._settings), lists.norms
            for term, (given, found) in enumerate([*listed(lists, query), *extra(lists, related)]):
                for row in common(found, held):
                    held[row].append((term, given * factors[norms[row]]))
            return [Holding(tuple(held[row]), LENGTHS[norms[row]]) for row in rows]

    def rarity(self, words: Iterable[str]) -> dict[str, float]:
        """Return for each term how rare it is among the rows; what no row holds is the rarest."""
        with self._held.reading() as lists:
            return {word: term_weight(lists.live, len(lists.rows(word))) for word in words}

    def known(self, words: Iterable[str]) -> frozenset[str]:
        """Return those terms that any row holds."""
        with self._held.reading() as lists:
            return frozenset(word for word in words if lists.rows(word))

    def respelled(self, query: Query) -> Query:
        """Return the query with words that no row holds replaced by those a typo away; unchanged if there are none."""
        with self._held.reading() as lists:
            return respelled(lists, query, self._settings)

    @property
    def lines(self) -> int:
        """How many rows there are."""
        with self._held.reading() as lists:
            return lists.live

    def has_folder(self, folder: str) -> bool:
        """Return True if any indexed file lies below a folder."""
        return any(path.startswith(f"{folder}/") for path in self._held.known)

    def has_kinds(self, kinds: Iterable[str]) -> bool:
        """Return True if any indexed file is of one of these kinds."""
        with self._held.reading() as lists:
            return not lists.kinds.isdisjoint(kinds)

    def around(self, path: str, ordinal: int, reach: int) -> list[IndexRow]:
        """Return a file's rows from `reach` before a row to as many behind it, itself included."""
        where = "WHERE files.path = ? AND rows.ordinal BETWEEN ? AND ?"
        return self._ask(where, (path, ordinal - reach, ordinal + reach))

    def at(self, path: str, ordinals: Sequence[int]) -> list[IndexRow]:
        """Return those rows of a file."""
        return self._ask(f"WHERE files.path = ? AND rows.ordinal IN ({_marks(ordinals)})", (path, *ordinals))

    def by_date(self, since: str, until: str) -> list[IndexRow]:
        """Return the rows of these days, both included, as ISO dates."""
        return self._ask("WHERE rows.date > 0 AND rows.date BETWEEN ? AND ?", (number(since), number(until)))

    def under(self, spots: Sequence[int]) -> list[IndexRow]:
        """Return the rows of places, as `Row.spot` names them."""
        return self._ask(_UNDER.format(_marks(spots)), spots)

    @property
    def too_large(self) -> tuple[str, ...]:
        """The files that are too large to be read, in order, as the last refresh found them."""
        return tuple(sorted(self._source.too_large))

    @property
    def rebuilt(self) -> bool:
        """Whether it was missing, old or changed by others, and has been built here."""
        return self._held.rebuilt

    @property
    def state(self) -> str:
        """What changes when the index does; empty where it is kept nowhere."""
        return self._held.mark

    def said(self) -> set[int]:
        """Return the numbers of what all rows say, save headings, which are places; equal texts share one."""
        with self._held.reading():
            found = self._held.db.execute("SELECT said FROM rows WHERE kind <> ?", (KINDS.index("heading"),))
            return {number for (number,) in found}

    def saying(self, numbers: Sequence[int]) -> list[IndexRow]:
        """Return the rows that say these things."""
        parts = (numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE))
        return [row for part in parts for row in self._ask(f"WHERE rows.said IN ({_marks(part)})", part)]

    def status(self) -> IndexStatus:
        """Tell how the index stands; it is brought up to date first."""
        self.refresh()
        with self._held.reading() as lists:
            text = self._held.db.execute("SELECT coalesce(sum(size), 0) FROM files").fetchone()[0]
            held = self._held
            return IndexStatus(held.place, len(held.known), lists.live, held.size, text, not self.rebuilt)

    def _ask(self, where: str, values: Sequence[object]) -> list[IndexRow]:
        with self._held.reading():
            rows = [_row(found) for found in self._held.db.execute(_ROW + where + _ORDER, values)]
            return list(self._with_texts(rows))

    def _below(self, spots: Sums, most: int, *, crowd: bool) -> list[tuple[Any, ...]]:
        """Fetch so many rows below the places that answer best; of places that answer alike the newest.

        Where a crowd of them answers alike, the words that they hold tell little: it is for when nothing else answers.
        """
        about = best_rows(spots, self._settings.places)
        if len(about) > self._settings.crowd and not crowd:
            least = min(score for _, score in about)
            about = [(spot, score) for spot, score in about if score > least]
        rows: list[tuple[Any, ...]] = []
        for _, alike in groupby(sorted(about, key=itemgetter(1), reverse=True), itemgetter(1)):
            keys = [spot for spot, _ in alike]
            level: list[tuple[Any, ...]] = []
            for at in range(0, len(keys), _AT_ONCE):
                part = keys[at : at + _AT_ONCE]
                level += self._held.db.execute(_ROW + _UNDER.format(_marks(part)) + _NEWEST, (*part, most))
            rows += sorted(level, key=lambda row: (-row[_DAY], row[_PATH], row[_PLACE]))[: most - len(rows)]
            if len(rows) >= most:
                break
        return rows

    def _scored(
        self, ids: Sequence[tuple[int, float]], below: Iterable[tuple[Any, ...]], scores: Sums, spots: Sums
    ) -> list[IndexRow]:
        """Fetch rows by number, and order them with those below the best places by both scores."""
        weight = self._settings.place_weight
        found = {row[0]: row for row in below}
        for at in range(0, len(ids), _AT_ONCE):
            part = [key for key, _ in ids[at : at + _AT_ONCE]]
            found.update((row[0], row) for row in self._held.db.execute(_ROW + _NUMBERED.format(_marks(part)), part))
        rows = []
        for key, row in found.items():
            said = round(scores.get(key, 0.0), 6)
            place = round(spots.get(row[_SPOT], 0.0), 6)
            rows.append((-(said + weight * place), -row[_DAY], row[_PATH], row[_PLACE], row, said, place))
        rows.sort()
        return [_row(*row[4:]) for row in rows]

    def _answers(self, rows: Iterable[IndexRow], query: Query, keep: Keep | None) -> Iterator[IndexRow]:
        """Read the texts of rows, and leave out what the query does not mean after all."""
        chosen = (row for row in rows if keep is None or keep(row))
        for row in self._with_texts(chosen):
            if not query.allows(row.text) or (keep is not None and not keep(row)):
                continue
            if query.words or query.must or any(phrase.within(row.text) for phrase in query.prefixes):
                yield row

    def _with_texts(self, rows: Iterable[IndexRow]) -> Iterator[IndexRow]:
        for row in rows:
            known = self._held.known.get(row.path)
            text = self._texts.get(row, known.digest) if known else None
            if text:
                yield IndexRow._make(
                    (*row[:-1], text)
                )  # a third of what `_replace` takes, for hundreds of rows a question


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _row(found: tuple[Any, ...], words: float = 0.0, place: float = 0.0) -> IndexRow:
    *where, kind, spot, title, trail, day, speaker, said, tags = found
    about = (KINDS[kind], spot, title, trail, date(day), speaker or "", said, tuple(tags.split("\n")) if tags else ())
    return IndexRow._make((*where, *about, words, place, ""))
