"""The index: queries, and the texts of rows, read from their files; a file changed since indexing answers nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from string import ascii_lowercase
from typing import Any

from mdmem.search.index.bm25 import (
    PostingLists,
    Sums,
    best_rows,
    common,
    heading_scores,
    length_factors,
    query_lists,
    related_lists,
    term_weight,
    word_scores,
)
from mdmem.search.index.connection import IndexDatabase
from mdmem.search.index.database import LENGTHS, contents, date, number
from mdmem.search.index.model import Holding, IndexRow, IndexSource, IndexStatus
from mdmem.search.index.piece import KINDS, visible
from mdmem.search.index.row_text import digest as digest_of
from mdmem.search.index.row_text import scalar
from mdmem.search.index.shared_refresh import SharedRefresh
from mdmem.search.question import Query
from mdmem.search.words.related_words import Related
from mdmem.search.words.terms import fold, fold_case_and_accents, pieces, terms
from mdmem.settings.search_tables import SearchSettings

_KEPT = 8_000_000  # cached characters of files


class RowTexts:
    """Reads files once and returns the texts of rows."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        self._read = read
        self.changed: set[str] = set()  # the files found to differ from the index since the last refresh
        self._files: dict[str, tuple[bytes, str]] = {}
        self._size = 0

    def get(self, row: IndexRow, digest: bytes) -> str | None:
        """Return the visible text of a row; None if its file has changed since it was indexed."""
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
        """Drop all cached texts."""
        self._files.clear()
        self._size = 0

    def _file(self, path: str, digest: bytes) -> str | None:
        cached = self._files.get(path)
        if cached and cached[0] == digest:
            return cached[1]
        data = self._read(path)
        if data is None or digest_of(data) != digest:
            self.changed.add(path)
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
_PATH, _PLACE, _SPOT, _DAY = 1, 4, 9, 12  # indexes of its columns
_NUMBERED = "WHERE rows.id IN ({})"
_UNDER = "WHERE spots.id IN ({}) AND rows.file = spots.file"  # through the file's rows: headings have no index on rows
_ORDER = " ORDER BY files.path, rows.ordinal"
_NEWEST = " ORDER BY rows.date DESC, files.path, rows.ordinal LIMIT ?"
_LEAST = 10  # rows fetched beyond the limit, because some are filtered
_AT_ONCE = 500  # values in one statement
_LONGEST_WORD = 30  # letters; longer words have too many neighbours to look up
Keep = Callable[[IndexRow], bool]


class SearchIndex:
    """The word index of a workspace; rebuilt whenever it is missing or invalid."""

    def __init__(
        self, places: Sequence[str], source: IndexSource, settings: SearchSettings, shared: SharedRefresh | None = None
    ) -> None:
        """Bind to a workspace; opens nothing yet.

        Args:
            places: possible paths, the workspace's own first; if none can be written, the index is kept in memory.
            source: the files.
            settings: the table `[search]`.
            shared: tells which questions share a refresh.
        """
        self._database, self._source, self._settings = IndexDatabase(places, source, settings), source, settings
        self._texts, self._shared = RowTexts(source.read), shared or SharedRefresh()

    def refresh(self, without: Collection[str] = ()) -> None:
        """Bring the index up to date with the files but those `without`; waits while another process writes.

        In a block that shares a refresh, this is done once, and again for a file that changed or was left out.
        """
        shared, known = self._shared, self._shared.without
        if shared.active and known is not None and known <= frozenset(without) and not self._texts.changed:
            return
        self._database.refresh(without)
        self._texts.changed.clear()
        shared.without = frozenset(without)

    def report(self, progress: Callable[[int, int], None]) -> None:
        """Call a function with (files done, all files) whenever the index is built."""
        self._database.progress = progress

    def rebuild(self) -> None:
        """Rebuild the index."""
        with self._database.mutex:
            self.forget()
            self.refresh()

    def check(self) -> bool:
        """Compare the index with a new one; replace it if they differ, and return whether they were equal."""
        fresh = IndexDatabase((), self._source, self._settings)
        fresh.refresh()
        with self._database.reading(), fresh.reading():
            same = contents(self._database.db) == contents(fresh.db)
        fresh.close()
        if not same:
            self.rebuild()
        return same

    def forget(self) -> None:
        """Remove all copies of the index with every word in them (law 12).

        Raises:
            LockedError: another process has been writing for too long.
            WriteError: the system refused.
        """
        with self._database.mutex:
            self._texts.clear()
            self._database.remove()

    def match(
        self, query: Query, limit: int, keep: Keep | None = None, related: Sequence[Related] = ()
    ) -> list[IndexRow]:
        """Return the rows that match a query, best first, with their texts and scores.

        Args:
            query: a row matches with any of its words, and all required and no excluded phrases.
            limit: the maximum number of rows.
            related: extra terms, which match too.
            keep: accepts rows; called before a text is read (`row.text` is empty then), and again with it.
        """
        with self._database.reading() as lists:
            scores = word_scores(lists, query, self._settings, related)
            spots = {} if query.must else heading_scores(lists, query, self._settings)
            most, with_ties = limit + _LEAST, False
            while True:
                best, below = best_rows(scores, most), self._under_headings(spots, most, with_ties=with_ties)
                rows = self._scored(best, below, scores, spots)
                found = list(islice(self._answers(rows, query, keep), limit))
                if len(found) == limit:
                    return found
                if max(len(best), len(below)) >= most:
                    most *= 8
                elif found or with_ties:
                    return found
                else:
                    with_ties = True

    def holding(self, rows: Sequence[int], query: Query, related: Sequence[Related] = ()) -> list[Holding]:
        """Return for each row the terms of the query and the related terms it contains."""
        with self._database.reading() as lists:
            matches: dict[int, list[tuple[int, float]]] = {row: [] for row in rows}
            factors, norms = length_factors(lists, self._settings), lists.norms
            for term, (weight, found) in enumerate([*query_lists(lists, query), *related_lists(lists, related)]):
                for row in common(found, matches):
                    matches[row].append((term, weight * factors[norms[row]]))
            return [Holding(tuple(matches[row]), LENGTHS[norms[row]]) for row in rows]

    def rarity(self, words: Iterable[str]) -> dict[str, float]:
        """Return the inverse document frequency of each term; the highest for terms in no row."""
        with self._database.reading() as lists:
            return {word: term_weight(lists.live, len(lists.rows(word))) for word in words}

    def known(self, words: Iterable[str]) -> frozenset[str]:
        """Return the terms that occur in any row."""
        with self._database.reading() as lists:
            return frozenset(word for word in words if lists.rows(word))

    def respelled(self, query: Query) -> Query:
        """Return the query with unknown words replaced by those one typo away; unchanged if there are none."""
        with self._database.reading() as lists:
            return _respelled(lists, query, self._settings)

    @property
    def lines(self) -> int:
        """Return the number of rows."""
        with self._database.reading() as lists:
            return lists.live

    def has_folder(self, folder: str) -> bool:
        """Return True if any indexed file is below a folder."""
        return any(path.startswith(f"{folder}/") for path in self._database.known)

    def has_kinds(self, kinds: Iterable[str]) -> bool:
        """Return True if any indexed file is of one of these kinds."""
        with self._database.reading() as lists:
            return not lists.kinds.isdisjoint(kinds)

    def around(self, path: str, ordinal: int, reach: int) -> list[IndexRow]:
        """Return a file's rows from `reach` before a row to `reach` after it."""
        where = "WHERE files.path = ? AND rows.ordinal BETWEEN ? AND ?"
        return self._ask(where, (path, ordinal - reach, ordinal + reach))

    def at(self, path: str, ordinals: Sequence[int]) -> list[IndexRow]:
        """Return the rows of a file with these numbers."""
        return self._ask(f"WHERE files.path = ? AND rows.ordinal IN ({_marks(ordinals)})", (path, *ordinals))

    def by_date(self, since: str, until: str) -> list[IndexRow]:
        """Return the rows of these days, both included, as ISO dates."""
        return self._ask("WHERE rows.date > 0 AND rows.date BETWEEN ? AND ?", (number(since), number(until)))

    def under(self, spots: Sequence[int]) -> list[IndexRow]:
        """Return the rows under these headings, as in `IndexRow.spot`."""
        return self._ask(_UNDER.format(_marks(spots)), spots)

    @property
    def changed(self) -> frozenset[str]:
        """Return the files whose rows answered nothing because the files changed after the last refresh."""
        return frozenset(self._texts.changed)

    @property
    def too_large(self) -> tuple[str, ...]:
        """Return the files that were too large at the last refresh, in order."""
        return tuple(sorted(self._source.too_large))

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the links that were left out because they lead out of the workspace, as last listed."""
        return tuple(sorted(self._source.outside))

    @property
    def rebuilt(self) -> bool:
        """Return whether the index was missing, outdated or damaged, and has been rebuilt."""
        return self._database.rebuilt

    @property
    def state(self) -> str:
        """Return a value that changes with the index; empty if it is in memory."""
        return self._database.mark

    def text_numbers(self) -> set[int]:
        """Return the text numbers of all rows except headings; equal texts share one."""
        with self._database.reading():
            found = self._database.db.execute("SELECT said FROM rows WHERE kind <> ?", (KINDS.index("heading"),))
            return {number for (number,) in found}

    def rows_with_text(self, numbers: Sequence[int]) -> list[IndexRow]:
        """Return the rows with these text numbers."""
        parts = (numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE))
        return [row for part in parts for row in self._ask(f"WHERE rows.said IN ({_marks(part)})", part)]

    def status(self) -> IndexStatus:
        """Return the status of the index after a refresh."""
        self.refresh()
        with self._database.reading() as lists:
            text = self._database.db.execute("SELECT coalesce(sum(size), 0) FROM files").fetchone()[0]
            database = self._database
            return IndexStatus(database.place, len(database.known), lists.live, database.size, text, not self.rebuilt)

    def _ask(self, where: str, values: Sequence[object]) -> list[IndexRow]:
        with self._database.reading():
            rows = [_row(found) for found in self._database.db.execute(_ROW + where + _ORDER, values)]
            return list(self._with_texts(rows))

    def _under_headings(self, spots: Sums, most: int, *, with_ties: bool) -> list[tuple[Any, ...]]:
        """Return at most `most` rows under the best headings; among equal scores, the newest.

        Headings that tie at the lowest score are skipped if more than `[search] max_tied_headings` tie, unless nothing
        else matches.
        """
        about = best_rows(spots, self._settings.max_headings)
        if len(about) > self._settings.max_tied_headings and not with_ties:
            least = min(score for _, score in about)
            about = [(spot, score) for spot, score in about if score > least]
        rows: list[tuple[Any, ...]] = []
        for _, alike in groupby(sorted(about, key=itemgetter(1), reverse=True), itemgetter(1)):
            keys = [spot for spot, _ in alike]
            level: list[tuple[Any, ...]] = []
            for at in range(0, len(keys), _AT_ONCE):
                part = keys[at : at + _AT_ONCE]
                level += self._database.db.execute(_ROW + _UNDER.format(_marks(part)) + _NEWEST, (*part, most))
            rows += sorted(level, key=lambda row: (-row[_DAY], row[_PATH], row[_PLACE]))[: most - len(rows)]
            if len(rows) >= most:
                break
        return rows

    def _scored(
        self, ids: Sequence[tuple[int, float]], below: Iterable[tuple[Any, ...]], scores: Sums, spots: Sums
    ) -> list[IndexRow]:
        """Fetch rows by number, and sort them with the rows under the best headings by both scores."""
        weight = self._settings.heading_weight
        found = {row[0]: row for row in below}
        for at in range(0, len(ids), _AT_ONCE):
            part = [key for key, _ in ids[at : at + _AT_ONCE]]
            found.update(
                (row[0], row) for row in self._database.db.execute(_ROW + _NUMBERED.format(_marks(part)), part)
            )
        rows = []
        for key, row in found.items():
            word_score = round(scores.get(key, 0.0), 6)
            heading_score = round(spots.get(row[_SPOT], 0.0), 6)
            rows.append(
                (
                    -(word_score + weight * heading_score),
                    -row[_DAY],
                    row[_PATH],
                    row[_PLACE],
                    row,
                    word_score,
                    heading_score,
                )
            )
        rows.sort()
        return [_row(*row[4:]) for row in rows]

    def _answers(self, rows: Iterable[IndexRow], query: Query, keep: Keep | None) -> Iterator[IndexRow]:
        """Yield rows with their texts, without those that the query excludes."""
        chosen = (row for row in rows if keep is None or keep(row))
        for row in self._with_texts(chosen):
            if not query.allows(row.text) or (keep is not None and not keep(row)):
                continue
            if query.words or query.must or any(phrase.within(row.text) for phrase in query.prefixes):
                yield row

    def _with_texts(self, rows: Iterable[IndexRow]) -> Iterator[IndexRow]:
        for row in rows:
            indexed = self._database.known.get(row.path)
            text = self._texts.get(row, indexed.digest) if indexed else None
            if text:
                yield IndexRow._make(
                    (*row[:-1], text)
                )  # three times as fast as `_replace`, for hundreds of rows per question


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _row(found: tuple[Any, ...], word_score: float = 0.0, heading_score: float = 0.0) -> IndexRow:
    *where, kind, spot, title, trail, day, speaker, text_number, tags = found
    about = (
        KINDS[kind],
        spot,
        title,
        trail,
        date(day),
        speaker or "",
        text_number,
        tuple(tags.split("\n")) if tags else (),
    )
    return IndexRow._make((*where, *about, word_score, heading_score, ""))


def _respelled(lists: PostingLists, query: Query, settings: SearchSettings) -> Query:
    """Return the query with unknown words in Latin letters replaced by the known ones at edit distance 1."""
    meant: dict[str, list[str]] = {}
    for match in pieces(fold(query.text)):
        word = fold_case_and_accents(match.group())
        if (
            len(meant) < settings.typos
            and settings.typo_letters <= len(word) <= _LONGEST_WORD
            and word.isascii()
            and word.isalpha()
        ):
            [term] = terms(word)[:1] or [""]
            if term in query.words and term not in meant and not lists.rows(term):
                meant[term] = _known_neighbours(lists, word)
    if not any(meant.values()):
        return query
    words = dict.fromkeys(one for word in query.words for one in meant.get(word) or [word])
    return query._replace(words=tuple(words))


def _known_neighbours(lists: PostingLists, word: str) -> list[str]:
    near = dict.fromkeys(term for one in _neighbours(word) for term in terms(one))
    return [term for term in near if lists.knows(term)]


def _neighbours(word: str) -> Iterator[str]:
    """Yield every text at edit distance 1: a letter left out, added, replaced, or swapped with the next."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (f"{head}{letter}{tail}" for letter in ascii_lowercase)
        if tail:
            yield f"{head}{tail[1:]}"
            yield from (f"{head}{letter}{tail[1:]}" for letter in ascii_lowercase)
        if len(tail) > 1:
            yield f"{head}{tail[1]}{tail[0]}{tail[2:]}"
