"""One process's connection to the index database: opens, refreshes, rebuilds and removes it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from mdmem.errors import LockedError, WriteError
from mdmem.search.index.bm25 import PostingLists
from mdmem.search.index.database import (
    BusyError,
    all_of,
    connect,
    create,
    locked,
    mark,
    prepare,
    remove,
    seal,
    valid_seal,
)
from mdmem.search.index.model import IndexSource
from mdmem.search.index.refresh import FileToIndex, IndexedFile, IndexWriter, changed_files, file_record
from mdmem.settings.search_tables import SearchSettings
from mdmem.store.files import open_private

_MEMORY = ":memory:"
_TRIES = 3
_SLACK = 1_000  # removed rows that do not yet cause a rebuild


class IndexDatabase:
    """One index, in a file or in memory; cached state is valid until the index changes."""

    def __init__(self, places: Sequence[str], source: IndexSource, settings: SearchSettings) -> None:
        """Bind to a workspace; opens nothing yet. Without any path the index is kept in memory."""
        self._places, self._source, self._settings = (*places, _MEMORY), source, settings
        self.mutex = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._path = self.mark = ""
        self.known: dict[str, IndexedFile] = {}
        self._norms, self._live, self._total = bytearray(), 0, 0
        self._lists: PostingLists | None = None
        self.rebuilt = False
        self.progress: Callable[[int, int], None] = lambda *_: None  # called with files done, all files of a new index

    @property
    def db(self) -> sqlite3.Connection:
        """Return the connection; raises sqlite3.ProgrammingError if it is closed."""
        if self._connection is None:
            raise sqlite3.ProgrammingError("the index is not open")
        return self._connection

    @property
    def place(self) -> str:
        """Return where the database is: file (in the workspace), cache (in the user's cache folder), memory."""
        return "memory" if self._path == _MEMORY else "cache" if self._places.index(self._path) else "file"

    @property
    def size(self) -> int:
        """Return the bytes of the database."""
        return os.path.getsize(self._path) if self.mark else 0

    def refresh(self, without: Collection[str] = ()) -> None:
        """Bring the index up to date with the files but those `without`; waits while another process writes."""
        with self.mutex:
            if self._path != _MEMORY:
                self._reopen(self._places[:-1])
            if self._connection and not any(self._changes(without)):
                return
            for path in self._places:
                if self._update(path, without):
                    return

    def remove(self) -> None:
        """Remove all copies of the index with every word in them (law 12); raises LockedError, WriteError."""
        with self.mutex:
            self.close()
            for path in self._places[:-1]:
                if os.path.isdir(os.path.dirname(path)):
                    self._remove(path)

    def _remove(self, path: str) -> None:
        """Remove an index, once no other process is building it."""
        if not any(os.path.lexists(beside) for beside in all_of(path)):
            return
        try:
            with locked(path, self._settings.lock_seconds):
                remove(path)
        except BusyError as error:
            raise LockedError("another process is writing the search index", hint="run it again") from error
        except OSError as error:
            why = "the search index could not be removed: {reason}"
            hint = "delete .mdmem/index.db, then run it again"
            raise WriteError(why, hint=hint, facts={"reason": error.strerror}) from error

    @contextmanager
    def reading(self) -> Iterator[PostingLists]:
        """Open a read transaction and yield the posting lists."""
        with self.mutex:
            if self._connection is None:
                self.refresh()
            self._begin()
            if self._lists is None:
                self._lists = PostingLists(self.db, self._norms, self._live, self._total)
            try:
                yield self._lists
            finally:
                self.db.execute("COMMIT")

    def _begin(self) -> None:
        """Begin to read; reload first if another process has written since."""
        for _ in range(_TRIES):
            self.db.execute("BEGIN")
            self.db.execute("SELECT count(*) FROM facts").fetchone()  # takes the read lock
            if not self.mark or mark(self._path, self._source.version) == self.mark:
                return
            self.db.execute("COMMIT")
            self.close()
            self.refresh()
        self.db.execute("BEGIN")

    def _reopen(self, places: Sequence[str]) -> None:
        """Open the first index with a valid seal, unless it is already open."""
        for path in places:
            found = valid_seal(path, self._source.version)
            if found and found == self.mark:
                return
            if found and self._load(path, found):
                return
        self.close()

    def _load(self, path: str, found: str) -> bool:
        """Load an index and its cached state; return False if it cannot be read."""
        self.close()
        for ending in ("-journal", "-wal", "-shm"):
            if os.path.lexists(path + ending):  # not created by mdmem
                return False
        try:
            self._connection = connect(path, self._settings.lock_seconds)
            facts = dict(self.db.execute("SELECT name, value FROM facts"))
            self._norms, self._live, self._total = bytearray(facts["norms"]), facts["live"], facts["total"]
            sql = "SELECT path, id, size, modified, changed, inode, seen, digest FROM files"
            self.known = {name: file_record(*rest) for name, *rest in self.db.execute(sql)}
        except (sqlite3.Error, KeyError, TypeError):
            self.close()
            return False
        self._path, self.mark = path, found
        return True

    def close(self) -> None:
        """Close the connection and drop cached state."""
        if self._connection:
            self._connection.close()
        self._connection, self._path, self.mark = None, "", ""
        self.known, self._norms, self._live, self._total = {}, bytearray(), 0, 0
        self._lists = None

    def _changes(self, without: Collection[str] = ()) -> tuple[list[FileToIndex], list[str]]:
        def rested(path: str, now: IndexedFile) -> None:
            self.known[path] = now  # written to the database with the next change

        return changed_files(self.known, self._source, rested, without)

    def _update(self, path: str, without: Collection[str]) -> bool:
        """Write changes into the index at a path, or build it there; return False if it cannot be written."""
        try:
            if path == _MEMORY:
                self._write_or_build(path, without)
                return True
            prepare(path, above=path != self._places[0])  # a workspace that was deleted is not created again
            with locked(path, self._settings.lock_seconds):
                self._reopen([path])
                self._write_or_build(path, without)
        except BusyError:
            return self._connection is not None  # another process keeps writing: use the current state
        except (OSError, sqlite3.Error):
            if self._path != _MEMORY:
                self.close()
            return False
        return True

    def _write_or_build(self, path: str, without: Collection[str]) -> None:
        removed = len(self._norms) - self._live
        if self._path != path or removed > self._live * self._settings.garbage + _SLACK:
            self._build(path, without)
            return
        self._write(self.db, *self._changes(without))
        if path != _MEMORY:
            self.mark = seal(path, self._source.version) or ""

    def _build(self, path: str, without: Collection[str]) -> None:
        """Build a new index beside the old one, and replace the old one."""
        self.close()
        self.rebuilt = True
        if path != _MEMORY:
            remove(path)
        temporary = path if path == _MEMORY else f"{path}.new"
        if path != _MEMORY:
            remove(temporary)
            os.close(open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL))  # private: words of the files
        connection = connect(temporary, self._settings.lock_seconds)
        create(connection)
        self._connection = connection
        self._write(connection, *self._changes(without), self.progress)
        if path == _MEMORY:
            self._path = path
            return
        connection.close()
        self._connection = None
        os.replace(temporary, path)
        if not self._load(path, seal(path, self._source.version) or ""):
            raise sqlite3.DatabaseError("the index that was just built cannot be read")

    def _write(
        self, connection: sqlite3.Connection, new: Sequence[FileToIndex], removed: Sequence[str],
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> None:  # fmt: skip
        writer = IndexWriter(connection, self._norms)
        lists, self._lists = self._lists, None
        connection.execute("BEGIN IMMEDIATE")
        for path in removed:
            writer.drop(path)
            del self.known[path]
        for done, found in enumerate(new, 1):
            self.known[found.path] = writer.put(found, self._source)
            progress(done, len(new))
        self._live += writer.live
        self._total += writer.total
        facts = {"norms": bytes(self._norms), "live": self._live, "total": self._total}
        connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
        connection.execute("COMMIT")
        if lists:
            lists.changed(self._live, self._total)
            self._lists = lists
