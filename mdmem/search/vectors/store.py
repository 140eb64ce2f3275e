"""`.mdmem/vectors.db`: vectors by content and model, so that no text is embedded twice (K083).

Losing the file only costs time. A damaged file, or one copied from elsewhere (a clone), is detected by its mark and
created anew. Each vector has a checksum, so that a flipped bit drops it instead of misleading.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import TypeVar

from mdmem.store.files import open_private

T = TypeVar("T")
_SCHEMA = """
CREATE TABLE file(mark TEXT NOT NULL);
CREATE TABLE ids(model TEXT NOT NULL, id TEXT NOT NULL, said BLOB NOT NULL, PRIMARY KEY(model, id)) WITHOUT ROWID;
CREATE INDEX ids_said ON ids(model, said);
CREATE TABLE vectors(
    model TEXT NOT NULL, said BLOB NOT NULL, vector BLOB NOT NULL, proof BLOB NOT NULL, PRIMARY KEY(model, said)
) WITHOUT ROWID;
"""
_VERSION = 1
_MANY = 500  # values in one query


class VectorStore:
    """The vectors of one model in one file."""

    def __init__(self, path: str, model: str, seconds: float) -> None:
        self.path, self.model, self._seconds = path, model, seconds
        self._connection: sqlite3.Connection | None = None
        self._mark = ""

    def ids(self) -> dict[str, bytes]:
        """Return the digest of each id's text."""
        return self._do(lambda run: dict(run("SELECT id, said FROM ids WHERE model = ?", (self.model,))))

    def known(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return the digests that have a vector."""
        asked = list(digests)

        def look(run: _Run) -> set[bytes]:
            found: set[bytes] = set()
            for start in range(0, len(asked), _MANY):
                part = asked[start : start + _MANY]
                marks = ", ".join("?" * len(part))
                query = f"SELECT said FROM vectors WHERE model = ? AND said IN ({marks})"  # noqa: S608
                found.update(digest for (digest,) in run(query, (self.model, *part)))
            return found

        return self._do(look)

    def put(self, ids: Mapping[str, bytes], vectors: Mapping[bytes, bytes]) -> None:
        """Store the digests of ids, and new vectors."""

        def write(run: _Run) -> None:
            for digest, vector in vectors.items():
                row = (self.model, digest, vector, self._proof(digest, vector))
                run("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", row)
            for name, digest in ids.items():
                run("INSERT OR REPLACE INTO ids VALUES (?, ?, ?)", (self.model, name, digest))
            self._tidy(run)

        self._do(write, write=True)

    def delete(self, ids: Iterable[str]) -> None:
        """Remove ids from every model, and unused vectors."""

        def write(run: _Run) -> None:
            for name in ids:
                run("DELETE FROM ids WHERE id = ?", (name,))
            self._tidy(run)

        self._do(write, write=True)

    def keep(self, ids: Collection[str]) -> None:
        """Remove all other ids from every model, and unused vectors."""
        stored = self._do(lambda run: {name for (name,) in run("SELECT DISTINCT id FROM ids")})
        if removed := stored - set(ids):
            self.delete(removed)

    def vectors(self) -> list[tuple[str, bytes]]:
        """Return the vector of each id; damaged ones are dropped."""

        def read(run: _Run) -> list[tuple[str, bytes]]:
            query = (
                "SELECT id, said, vector, proof FROM ids JOIN vectors USING (model, said) WHERE model = ? ORDER BY id"
            )
            rows = run(query, (self.model,)).fetchall()
            good = [(name, vector) for name, digest, vector, proof in rows if proof == self._proof(digest, vector)]
            if len(good) < len(rows):
                bad = {digest for _, digest, vector, proof in rows if proof != self._proof(digest, vector)}
                for digest in bad:
                    run("DELETE FROM vectors WHERE model = ? AND said = ?", (self.model, digest))
                    run("DELETE FROM ids WHERE model = ? AND said = ?", (self.model, digest))
            return good

        return self._do(read, write=True)

    def version(self) -> str:
        """Return a value that changes when another process writes or replaces the file."""
        return self._do(lambda run: f"{self._mark} {run('PRAGMA data_version').fetchone()[0]}")

    def close(self) -> None:
        """Close the database."""
        if self._connection:
            self._connection.close()
            self._connection = None

    @staticmethod
    def _tidy(run: _Run) -> None:
        run("DELETE FROM vectors WHERE (model, said) NOT IN (SELECT model, said FROM ids)")

    def _proof(self, digest: object, vector: object) -> bytes:
        """Return the checksum of a vector; empty for invalid values."""
        if not isinstance(digest, bytes) or not isinstance(vector, bytes):
            return b""
        return blake2b(digest + vector, key=self.model.encode()[:64], digest_size=8).digest()

    def _do(self, work: Callable[[_Run], T], *, write: bool = False) -> T:
        """Run work in one transaction; a damaged or foreign file is created anew, once."""
        for last in (False, True):
            try:
                connection = self._open()
                with _transaction(connection, write=write):
                    return work(connection.execute)
            except sqlite3.OperationalError:
                self.close()
                raise
            except (sqlite3.DatabaseError, _NotOursError):
                self.close()
                if last:
                    raise
                remove(self.path)
        raise AssertionError

    def _open(self) -> sqlite3.Connection:
        if self._connection and _mark(self.path) != self._mark:
            self.close()  # the file was removed or replaced
        if self._connection is None:
            os.close(open_private(self.path, os.O_RDWR | os.O_CREAT))  # private, because vectors reveal meaning
            self._connection = connection = sqlite3.connect(
                self.path, timeout=self._seconds, isolation_level=None, check_same_thread=False
            )
            for pragma in ("trusted_schema=OFF", "secure_delete=ON", "journal_mode=DELETE", "temp_store=MEMORY"):
                connection.execute(f"PRAGMA {pragma}")
            with _transaction(connection, write=True):
                self._begin(connection)
            self._mark = _mark(self.path)
        return self._connection

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Create the tables of a new file; raises _NotOursError for a foreign one."""
        mark = _mark(self.path)
        tables = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql").fetchall()
        if not tables:
            for statement in _SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO file VALUES (?)", (mark,))
        elif [sql for (sql,) in tables] != _statements() or connection.execute("SELECT mark FROM file").fetchall() != [
            (mark,)
        ]:
            raise _NotOursError


_Run = Callable[..., sqlite3.Cursor]


class _NotOursError(Exception):
    """The file was made elsewhere, or by another program or version."""


def remove(path: str) -> None:
    """Remove the vectors with all files beside them."""
    for name in (path, *(path + ending for ending in ("-journal", "-wal", "-shm"))):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _statements() -> list[str]:
    return sorted(statement.strip() for statement in _SCHEMA.split(";\n") if statement.strip())


def _mark(path: str) -> str:
    """Return version, device and inode of a file, which identify it: a copy has another inode."""
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    return f"{_VERSION} {seen.st_dev} {seen.st_ino}"


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, *, write: bool) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
