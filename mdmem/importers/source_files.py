"""Opens the files of another system read-only: a folder, a zip, one file; databases from a copy."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sqlite3
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, BinaryIO, Self, cast

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError, RefusedError, TargetError, UnreadableFileError
from mdmem.formats.paths import escapes_root
from mdmem.importers.model import BrokenDatabaseError, ImportProblem
from mdmem.messages.catalog import say
from mdmem.settings.import_table import ImportSettings
from mdmem.text.pattern import pattern

_SQLITE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm")
_ZIP = b"PK\x03\x04"
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


_NO_ZIP = (zipfile.BadZipFile, NotImplementedError, ValueError)
_PART = pattern(r"(?i)(?:.*/)?Export(?:Block)?-[0-9a-f]{8}[^/]{0,80}\.zip\Z")  # of an export of Notion
_UTF8 = 0x800  # a flag of a member: its name is UTF-8


class _LimitedStream(io.RawIOBase):
    """Ends with an error where a member gives more bytes than its zip declares."""

    def __init__(self, stream: Any, most: int) -> None:  # noqa: ANN401 - a member of a zip
        self._stream, self._left = stream, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as io names it
        try:
            data = self._stream.read(len(buffer))
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise OSError(str(error)) from error
        self._left -= len(data)
        if self._left < 0:
            raise OSError("more bytes than declared")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Utf8Stream(io.RawIOBase):
    """Gives a UTF-16 file as UTF-8, as it is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-16")()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - as io names it
        while not self._rest:
            data = self._stream.read(len(buffer))
            try:
                self._rest = self._decoder.decode(data, final=not data).encode()
            except UnicodeError as error:
                raise OSError("broken UTF-16") from error
            if not data:
                break
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._stream.close()
        super().close()


class ReadOnlySource:
    """The files of a folder, of a zip, or a single file. Nothing in it is changed; links are not followed."""

    def __init__(
        self, config: WorkspaceConfig, place: str, limits: ImportSettings | None = None, *, parts: bool = True
    ) -> None:
        """Look at a place.

        Args:
            config: of the workspace.
            place: a path on disk.
            limits: how large a zip may be; None for `[imports]`.
            parts: whether a zip in the zip is opened as a part of it; else it is a file like any other.

        Raises:
            TargetError: there is nothing.
            RefusedError: a zip that could harm.
            UnreadableFileError: it cannot be read.
        """
        self._config, self._settings, self._parts = config, limits or config.settings.imports, parts
        self.given = place
        self.place = os.path.abspath(os.path.expanduser(place))
        self.name = os.path.basename(self.place)
        self.problems: list[ImportProblem] = []
        self.skipped_folders: list[str] = []
        self._zips = list[zipfile.ZipFile]()  # the zip, and the parts in it
        self._infos: dict[str, tuple[zipfile.ZipFile, zipfile.ZipInfo]] = {}
        self._total = 0  # bytes that all members unpack to
        self._copies = tempfile.TemporaryDirectory(prefix="mdmem-import-")
        self._databases: dict[str, str] = {}
        try:
            self.names: Sequence[str] = tuple(sorted(self._listed()))
        except OSError as error:
            self.close()
            raise self._error(UnreadableFileError, "import.unreadable", reason=error.strerror or "") from error
        except MdmemError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the zip and the copies of databases."""
        for one in self._zips:
            one.close()
        self._copies.cleanup()

    def _error(self, kind: type[MdmemError], key: str, **facts: object) -> MdmemError:
        lang = self._config.lang
        return kind(say(lang, key, name=self.name, **facts), hint=say(lang, f"{key}.hint", name=self.name, **facts))

    def _listed(self) -> Iterator[str]:
        if not os.path.lexists(self.place):
            raise self._error(TargetError, "import.nothing")
        mode = os.lstat(self.place).st_mode
        if stat.S_ISDIR(mode):
            yield from self._walk(self.place, "")
        elif not stat.S_ISREG(mode):
            raise self._error(RefusedError, "import.not-regular")
        elif self._head(self.place, len(_ZIP)) == _ZIP:
            yield from self._members()
        else:
            yield self.name

    def _walk(self, folder: str, above: str) -> Iterator[str]:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            name = f"{above}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if entry.name in self._settings.skip_folders:
                    self.skipped_folders.append(name)
                else:
                    yield from self._walk(entry.path, f"{name}/")
            elif not _is_utf8(name):
                shown = name.encode("utf-8", "replace").decode()
                self.problems.append(ImportProblem(shown, "import.zip-name", {}))
            elif entry.is_file(follow_symlinks=False):
                yield name
            else:
                self.problems.append(ImportProblem(name, "import.link", {}, "skipped"))

    def _members(self) -> Iterator[str]:
        try:
            opened = self._opened_zip(self.place)
        except _NO_ZIP as error:
            raise self._error(UnreadableFileError, "import.broken-zip") from error
        for name, found in self._safe_members(opened):
            if found.flag_bits & 1:
                self.problems.append(ImportProblem(name, "import.locked", {}))
            elif self._parts and _PART.match(name):
                yield from self._part(name)
            elif self._parts and name.lower().endswith(".zip"):
                self.problems.append(ImportProblem(name, "import.nested", {}, "skipped"))
            else:
                yield name

    def _opened_zip(self, path: str) -> zipfile.ZipFile:
        opened = zipfile.ZipFile(path)
        self._zips.append(opened)
        return opened

    def _safe_members(self, opened: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
        """Yield the members of a zip with their names.

        Raises:
            RefusedError: the zip could harm.
        """
        limits = self._settings
        for info in opened.infolist():
            mode = stat.S_IFMT(info.external_attr >> 16)
            link = stat.S_ISLNK(mode)
            if info.is_dir() and not link:
                continue
            name = _utf8_name(info)
            if name is None:
                shown = info.filename.encode("ascii", "replace").decode()
                self.problems.append(ImportProblem(shown, "import.zip-name", {}))
                continue
            self._total += info.file_size
            device, unshown = mode not in (0, stat.S_IFREG), not name.isprintable()
            outside = escapes_root(name) or "\\" in name
            crowd = info.file_size > limits.small_bytes and info.file_size > limits.ratio * max(1, info.compress_size)
            is_many = self._total > limits.zip_bytes or len(self._infos) >= limits.members
            signs = {"link": link, "device": device, "outside": outside, "unshown": unshown}
            signs |= {"twice": name in self._infos, "bomb": crowd or is_many}
            why = next((sign for sign, is_so in signs.items() if is_so), "")
            if why:
                raise self._error(RefusedError, f"import.zip-{why}")
            self._infos[name] = opened, info
            yield name, info

    def _part(self, name: str) -> Iterator[str]:
        """Yield the members of a zip in the zip: Notion packs its exports so; one in a part is not opened."""
        copy = os.path.join(self._copies.name, f"part-{len(self._zips)}.zip")
        try:
            with self.raw(name) as stream, open(copy, "wb") as out:
                shutil.copyfileobj(stream, out)
            part = self._opened_zip(copy)
        except (*_NO_ZIP, OSError):
            self.problems.append(ImportProblem(name, "import.broken-part", {}))
            return
        for inner, info in self._safe_members(part):
            if info.flag_bits & 1:
                self.problems.append(ImportProblem(f"{name}/{inner}", "import.locked", {}))
            elif inner.lower().endswith(".zip"):
                self.problems.append(ImportProblem(f"{name}/{inner}", "import.nested", {}, "skipped"))
            else:
                yield inner

    def _path(self, name: str) -> str:
        folder = self.place if os.path.isdir(self.place) else os.path.dirname(self.place)
        return os.path.join(folder, name)

    def _head(self, path: str, count: int) -> bytes:
        with open(path, "rb") as stream:
            return stream.read(count)

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading; one in UTF-16 that says so by its first bytes is given as UTF-8."""
        with self.raw(name) as stream:
            is_wide = stream.read(len(_WIDE[0])) in _WIDE
        raw = self.raw(name)
        return cast("BinaryIO", io.BufferedReader(_Utf8Stream(raw), 1 << 16)) if is_wide else raw

    def raw(self, name: str) -> BinaryIO:
        """Open a file for reading, byte by byte as it is."""
        if not self._zips:
            return open(self._path(name), "rb")
        opened, info = self._infos[name]
        try:
            raw = _LimitedStream(opened.open(info), info.file_size)
        except _NO_ZIP as error:
            raise OSError(str(error)) from error
        return cast("BinaryIO", io.BufferedReader(raw, 1 << 16))

    def is_executable(self, name: str) -> bool:
        """Return whether a file carries the mark of a program."""
        if not self._zips:
            return bool(os.lstat(self._path(name)).st_mode & stat.S_IXUSR)
        return bool(self._infos[name][1].external_attr >> 16 & stat.S_IXUSR)

    def text(self, name: str) -> str | None:
        """Return a text file; None if it is too large or not UTF-8."""
        most = self._config.settings.lint.max_bytes
        try:
            with self.open(name) as stream:
                data = stream.read(most + 1)
            return None if len(data) > most else data.decode("utf-8")
        except (UnicodeDecodeError, OSError):
            return None

    def tables(self, name: str) -> Mapping[str, Sequence[str]]:
        """Return the tables of a SQLite file with their columns; empty if it is none.

        Raises:
            BrokenDatabaseError: it cannot be read.
        """
        with self.open(name) as stream:
            if stream.read(len(_SQLITE)) != _SQLITE:
                return {}
        with self._database(name) as base:
            names = [row[0] for row in base.execute("select name from sqlite_master where type = 'table'")]
            return {one: [row[1] for row in base.execute(f"pragma table_info({_quoted(one)})")] for one in names}

    def rows(self, name: str, table: str) -> Iterator[Mapping[str, Any]]:
        """Yield the rows of a table.

        Raises:
            BrokenDatabaseError: it cannot be read.
        """
        with self._database(name) as base:
            base.row_factory = sqlite3.Row
            base.text_factory = lambda data: data.decode("utf-8", "replace")
            for row in base.execute(f"select * from {_quoted(table)}"):  # noqa: S608 - quoted
                yield dict(row)

    @contextmanager
    def _database(self, name: str) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect(name)) as base:
                yield base
        except sqlite3.Error as error:
            raise BrokenDatabaseError(str(error)) from error

    def _connect(self, name: str) -> sqlite3.Connection:
        if name not in self._databases:
            self._databases[name] = copy = os.path.join(self._copies.name, f"{len(self._databases)}.db")
            with self.open(name) as stream, open(copy, "wb") as out:
                shutil.copyfileobj(stream, out)
            for ending in _BESIDE:
                beside = f"{name}{ending}"
                if beside in self.names or (not self._zips and os.path.isfile(self._path(beside))):
                    with self.open(f"{name}{ending}") as stream, open(copy + ending, "wb") as out:
                        shutil.copyfileobj(stream, out)
        return sqlite3.connect(f"file:{self._databases[name]}?mode=ro", uri=True)


def _is_utf8(name: str) -> bool:
    """Return whether the name of a file is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _utf8_name(info: zipfile.ZipInfo) -> str | None:
    """Return the name of a member; some programs write UTF-8 without saying so, and anything else gives None."""
    if info.flag_bits & _UTF8 or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
