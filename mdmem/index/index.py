"""The index of one workspace: open it, bring it up to date, ask it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from mdmem.core.settings import SearchSettings
from mdmem.core.words import Query
from mdmem.errors import LockedError, WriteError
from mdmem.index.database import connect, contents, create, date, number
from mdmem.index.lock import BusyError, locked, prepare
from mdmem.index.match import Matcher, best
from mdmem.index.piece import KINDS
from mdmem.index.refresh import Found, Known, Writer, changes
from mdmem.index.row import Row, Status
from mdmem.index.seal import all_of, mark, remove, seal, sealed
from mdmem.index.source import Source
from mdmem.index.texts import Texts

_MEMORY = ":memory:"
_ROW = (
    "SELECT rows.id, files.path, files.kind, files.agent, rows.ordinal, rows.line, rows.start, rows.size, rows.kind,"
    " rows.spot, spots.title, spots.trail, rows.date, rows.speaker, rows.said"
    " FROM rows JOIN files ON files.id = rows.file JOIN spots ON spots.id = rows.spot "
)
_SPOT = 9  # its column of `spot`
_ORDER = " ORDER BY files.path, rows.ordinal"
_TRIES = 3
_SLACK = 1_000  # rows that are gone and no reason to build anew
_LEAST = 50  # rows that are looked at beyond the limit, for some are left out
_AT_ONCE = 500  # values in one statement
Keep = Callable[[Row], bool]


class Index:
    """What is known of the words of a workspace's files; made again whenever it is missing or not what it should be."""

    def __init__(self, places: Sequence[str], source: Source, settings: SearchSettings) -> None:
        """Bind to a workspace; nothing is opened yet.

        Args:
            places: where the database may lie, best first; where none can be written it is kept in memory.
            source: the files.
            settings: the table `[search]`.
        """
        self._places, self._source, self._settings = (*places, _MEMORY), source, settings
        self._mutex = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._path, self._mark = "", ""
        self._known: dict[str, Known] = {}
        self._norms, self._live, self._total = bytearray(), 0, 0
        self._texts = Texts(source.read)
        self.rebuilt = False

    def refresh(self) -> None:
        """Bring the index up to what the files are now; what another process is writing is waited for."""
        with self._mutex:
            if self._path != _MEMORY:
                self._reopen(self._places[:-1])
            if self._connection and not any(self._changes()):
                return
            for path in self._places:
                if self._update(path):
                    return

    def rebuild(self) -> None:
        """Build the index anew."""
        with self._mutex:
            self.forget()
            self.refresh()

    def check(self) -> bool:
        """Tell whether the index says what one built anew says; where not, it is built anew."""
        with self._mutex:
            fresh = Index((), self._source, self._settings)
            fresh.refresh()
            with self._reading(), fresh._reading():
                same = contents(self._db) == contents(fresh._db)
            fresh._close()
            if not same:
                self.rebuild()
            return same

    def forget(self) -> None:
        """Remove the index wherever it lies, with every word in it (law 12).

        Raises:
            LockedError: another process has been writing it for too long.
            WriteError: the system refused.
        """
        with self._mutex:
            self._close()
            self._texts.clear()
            for path in self._places[:-1]:
                if os.path.isdir(os.path.dirname(path)):
                    self._remove(path)

    def _remove(self, path: str) -> None:
        """Remove an index, once nobody is building one of what was there before."""
        if not any(os.path.lexists(beside) for beside in all_of(path)):
            return
        try:
            with locked(path, self._settings.lock_seconds):
                remove(path)
        except BusyError as error:
            raise LockedError("another process is writing the search index", hint="run it again") from error
        except OSError as error:
            why = f"the search index could not be removed: {error.strerror}"
            raise WriteError(why, hint="delete .mdmem/index.db, then run it again") from error

    def match(self, query: Query, limit: int, keep: Keep | None = None) -> list[Row]:
        """Give the rows that answer a query, the best first, with their texts and scores.

        Args:
            query: any words of it may be in a row; what must be is, what must not is not.
            limit: how many rows.
            keep: which rows count at all; asked before a text is read (`row.text` is empty then), and again with it.
        """
        with self._reading() as matcher:
            scores = matcher.words(query, self._settings.k1, self._settings.b)
            places = {} if query.must else matcher.places(query)
            most = limit + _LEAST
            while True:
                rows = self._scored(best(scores, most), best(places, self._settings.places), scores, places)
                found = list(islice(self._answers(rows, query, keep), limit))
                if len(found) == limit or most >= len(scores):
                    return found
                most *= 8

    def rarity(self, words: Iterable[str]) -> dict[str, float]:
        """Give for each term how rare it is among the rows; what no row holds is the rarest."""
        with self._reading() as matcher:
            return {word: matcher.rarity(word) for word in words}

    def around(self, path: str, ordinal: int, reach: int) -> list[Row]:
        """Give a file's rows from `reach` before a row to as many behind it, itself included."""
        where = "WHERE files.path = ? AND rows.ordinal BETWEEN ? AND ?"
        return self._ask(where, (path, ordinal - reach, ordinal + reach))

    def at(self, path: str, ordinals: Sequence[int]) -> list[Row]:
        """Give those rows of a file."""
        return self._ask(f"WHERE files.path = ? AND rows.ordinal IN ({_marks(ordinals)})", (path, *ordinals))

    def by_date(self, since: str, until: str) -> list[Row]:
        """Give the rows of these days, both included, as ISO dates."""
        return self._ask("WHERE rows.date > 0 AND rows.date BETWEEN ? AND ?", (number(since), number(until)))

    def under(self, spots: Sequence[int]) -> list[Row]:
        """Give the rows of places, as `Row.spot` names them."""
        return self._ask(f"WHERE rows.spot IN ({_marks(spots)})", spots)

    @property
    def state(self) -> str:
        """What changes when the index does; empty where it is kept nowhere."""
        return self._mark

    def said(self) -> set[int]:
        """Give the numbers of what all rows say, save headings, which are places; equal texts share one."""
        with self._reading():
            found = self._db.execute("SELECT said FROM rows WHERE kind <> ?", (KINDS.index("heading"),))
            return {number for (number,) in found}

    def saying(self, numbers: Sequence[int]) -> list[Row]:
        """Give the rows that say these things."""
        parts = (numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE))
        return [row for part in parts for row in self._ask(f"WHERE rows.said IN ({_marks(part)})", part)]

    def status(self) -> Status:
        """Tell how the index stands; it is brought up to date first."""
        self.refresh()
        with self._reading():
            text = self._db.execute("SELECT coalesce(sum(size), 0) FROM files").fetchone()[0]
            kind = ["file", "cache", "memory"][min(2, self._places.index(self._path))]
            size = os.path.getsize(self._path) if self._mark else 0
            return Status(kind, len(self._known), self._live, size, text, not self.rebuilt)

    def _ask(self, where: str, values: Sequence[object]) -> list[Row]:
        with self._reading():
            rows = [_row(found) for found in self._db.execute(_ROW + where + _ORDER, values)]
            return list(self._with_texts(rows))

    def _scored(
        self,
        ids: Sequence[tuple[int, float]],
        spots: Sequence[tuple[int, float]],
        scores: Mapping[int, float],
        places: Mapping[int, float],
    ) -> list[Row]:
        """Fetch rows by number and those of the best places, and order them by both scores."""
        found: dict[int, tuple[Any, ...]] = {}
        for name, some in (("id", ids), ("spot", spots)):
            for at in range(0, len(some), _AT_ONCE):
                part = [number for number, _ in some[at : at + _AT_ONCE]]
                sql = f"{_ROW}WHERE rows.{name} IN ({_marks(part)})"
                found.update((row[0], row) for row in self._db.execute(sql, part))
        rows = [_row(row, scores.get(row[0], 0.0), places.get(row[_SPOT], 0.0)) for row in found.values()]
        weight = self._settings.place_weight
        rows.sort(key=lambda row: (row.path, row.ordinal))
        rows.sort(key=lambda row: row.date, reverse=True)
        rows.sort(key=lambda row: row.words + weight * row.place, reverse=True)
        return rows

    def _answers(self, rows: Iterable[Row], query: Query, keep: Keep | None) -> Iterator[Row]:
        """Read the texts of rows, and leave out what the query does not mean after all."""
        chosen = (row for row in rows if keep is None or keep(row))
        for row in self._with_texts(chosen):
            if not query.allows(row.text) or (keep is not None and not keep(row)):
                continue
            if query.words or query.must or any(phrase.within(row.text) for phrase in query.prefixes):
                yield row

    def _with_texts(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            known = self._known.get(row.path)
            text = self._texts.get(row, known.digest) if known else None
            if text:
                yield Row(*row[:-1], text)  # half of what `_replace` takes, for hundreds of rows a question

    # --- opening and writing ------------------------------------------------------------------------------------------

    @property
    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            raise sqlite3.ProgrammingError("the index is not open")
        return self._connection

    @contextmanager
    def _reading(self) -> Iterator[Matcher]:
        """Hold one state of the index while it is asked."""
        with self._mutex:
            if self._connection is None:
                self.refresh()
            self._begin()
            try:
                yield Matcher(self._db, self._norms, self._live, self._total)
            finally:
                self._db.execute("COMMIT")

    def _begin(self) -> None:
        """Begin to read; what another process wrote in between is taken up first."""
        for _ in range(_TRIES):
            self._db.execute("BEGIN")
            self._db.execute("SELECT count(*) FROM facts").fetchone()  # from here on nobody else writes
            if not self._mark or mark(self._path, self._source.version) == self._mark:
                return
            self._db.execute("COMMIT")
            self._close()
            self.refresh()
        self._db.execute("BEGIN")

    def _reopen(self, places: Sequence[str]) -> None:
        """Open the first index that is sealed, unless it is open already."""
        for path in places:
            found = sealed(path, self._source.version)
            if found and found == self._mark:
                return
            if found and self._load(path, found):
                return
        self._close()

    def _load(self, path: str, found: str) -> bool:
        """Read what is kept in memory of an index; False where it cannot be read."""
        self._close()
        for ending in ("-journal", "-wal", "-shm"):
            if os.path.lexists(path + ending):  # never ours
                return False
        try:
            self._connection = connect(path, self._settings.lock_seconds)
            facts = dict(self._db.execute("SELECT name, value FROM facts"))
            self._norms, self._live, self._total = bytearray(facts["norms"]), facts["live"], facts["total"]
            sql = "SELECT path, id, size, modified, changed, inode, seen, digest FROM files"
            self._known = {name: Known(*rest) for name, *rest in self._db.execute(sql)}
        except (sqlite3.Error, KeyError, TypeError):
            self._close()
            return False
        self._path, self._mark = path, found
        return True

    def _close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection, self._path, self._mark = None, "", ""
        self._known, self._norms, self._live, self._total = {}, bytearray(), 0, 0

    def _changes(self) -> tuple[list[Found], list[str]]:
        def rested(path: str, now: Known) -> None:
            self._known[path] = now  # noted in the database when it is next written

        return changes(self._known, self._source, rested)

    def _update(self, path: str) -> bool:
        """Write what changed into the index at a place, or build it there; False where nothing can be written."""
        try:
            if path == _MEMORY:
                self._write_or_build(path)
                return True
            prepare(path)
            with locked(path, self._settings.lock_seconds):
                self._reopen([path])
                self._write_or_build(path)
        except BusyError:
            return self._connection is not None  # another is at it for long: what is there must do
        except (OSError, sqlite3.Error):
            if self._path != _MEMORY:
                self._close()
            return False
        return True

    def _write_or_build(self, path: str) -> None:
        gone = len(self._norms) - self._live
        if self._path != path or gone > self._live * self._settings.garbage + _SLACK:
            self._build(path)
            return
        self._write(self._db, *self._changes())
        if path != _MEMORY:
            self._mark = seal(path, self._source.version) or ""

    def _build(self, path: str) -> None:
        """Build the index anew beside the old one, and put it in its place."""
        self._close()
        self.rebuilt = True
        if path != _MEMORY:
            remove(path)
        temporary = path if path == _MEMORY else f"{path}.new"
        connection = connect(temporary, self._settings.lock_seconds)
        create(connection)
        self._connection = connection
        self._write(connection, *self._changes())
        if path == _MEMORY:
            self._path = path
            return
        connection.close()
        self._connection = None
        os.replace(temporary, path)
        if not self._load(path, seal(path, self._source.version) or ""):
            raise sqlite3.DatabaseError("the index that was just built cannot be read")

    def _write(self, connection: sqlite3.Connection, new: Sequence[Found], gone: Sequence[str]) -> None:
        writer = Writer(connection, self._norms)
        connection.execute("BEGIN IMMEDIATE")
        for path in gone:
            writer.drop(path)
            del self._known[path]
        for found in new:
            self._known[found.path] = writer.put(found, self._source)
        self._live += writer.live
        self._total += writer.total
        facts = {"norms": bytes(self._norms), "live": self._live, "total": self._total}
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
        connection.execute("COMMIT")


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _row(found: tuple[Any, ...], words: float = 0.0, place: float = 0.0) -> Row:
    *where, kind, spot, title, trail, day, speaker, said = found
    scores = round(words, 6), round(place, 6)
    return Row(*where, KINDS[kind], spot, title, trail, date(day), speaker or "", said, *scores)  # type: ignore[call-arg]
