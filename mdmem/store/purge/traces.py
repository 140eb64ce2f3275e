"""Finds a forgotten text in the state folder, and removes it there: from the history, its log and derived files."""

from __future__ import annotations

import dataclasses
import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import NamedTuple

from mdmem.errors import UnreadableFileError
from mdmem.store import journal, mirror, replace
from mdmem.store.history.versions import OBJECTS, Transaction, VersionStore, WrittenFile
from mdmem.store.journal import is_temporary
from mdmem.store.purge.derived_files import ForgottenText, has_text, is_derived, remove_text, unlink
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_COPIES = tuple(
    f"{folder}/" for folder in (*replace.FOLDERS, journal.ASIDE, mirror.FOLDER)
)  # of contents of memory files


class StoredTrace(NamedTuple):
    """Something in the state folder that holds a text, or may hold it because it cannot be read."""

    what: str  # version, displaced, line, derived, unread
    name: str  # digest, path, id of a transaction
    reason: str = ""  # why it cannot be read; else empty


@dataclasses.dataclass(slots=True)
class SearchedHistory:
    """What a search has read of a history: a version never changes, so the next search reads only what came since."""

    clean: set[str] = dataclasses.field(default_factory=set)  # digests of the versions without the text
    newest: str = ""  # id of the newest change whose line was read
    lines: tuple[StoredTrace, ...] = ()  # the lines with the text, newest first


def traces(
    root: Root, regex: re.Pattern[str], searched: SearchedHistory, named: Callable[[str], bool] = lambda _: False
) -> Iterator[StoredTrace]:
    """Search the whole state folder for a text; what cannot be read is returned too.

    `searched` is what an earlier search for the same text has read, and is updated. `named` tells which paths hold the
    text.
    """
    history, holds, named = VersionStore(root, 0), partial(_holds, regex), cache(named)
    try:
        digests = list(history.objects())
    except OSError as error:
        digests = []
        yield StoredTrace("unread", OBJECTS, error.strerror or "")
    for digest in digests:
        if digest not in searched.clean:
            matches = list(_searched("version", f"{OBJECTS}/{digest}", digest, partial(history.raw, digest), holds))
            searched.clean.update(() if matches else (digest,))
            yield from matches
    unread: list[OSError] = []
    for path in _below(root, STATE_FOLDER, unread.append):
        load = partial(_data, root, path)
        if path.startswith(_COPIES) or is_temporary(os.path.basename(path)):
            yield from _searched("displaced", path, path, load, holds)
        elif path.startswith(f"{journal.FOLDER}/"):
            pending = _searched("unread", path, path, load, holds)
            yield from (one._replace(reason=one.reason or os.strerror(errno.EBUSY)) for one in pending)
        elif is_derived(path):
            yield from _searched("derived", path, path, load, partial(has_text, path, regex=regex, named=named))
    yield from (StoredTrace("unread", inside(root.path, one), one.strerror or "") for one in unread)
    try:
        _search_log(history, regex, searched, named)
    except UnreadableFileError as error:
        yield StoredTrace("unread", error.path, error.message)
    yield from searched.lines


def _search_log(
    history: VersionStore, regex: re.Pattern[str], searched: SearchedHistory, named: Callable[[str], bool]
) -> None:
    """Search the lines that are newer than those already read. Raises UnreadableFileError."""
    newest, lines, older = "", list[StoredTrace](), tuple[StoredTrace, ...]()
    for one in history.log():
        if one.id == searched.newest:
            older = searched.lines
            break
        newest = newest or one.id
        if regex.search(one.reason) or any(named(file.path) for file in one.files):
            lines.append(StoredTrace("line", one.id))
    searched.newest, searched.lines = newest or searched.newest, (*lines, *older)


def _holds(regex: re.Pattern[str], data: bytes) -> bool:
    return regex.search(data.decode("utf-8", "surrogateescape")) is not None


def _searched(
    what: str, path: str, name: str, load: Callable[[], bytes | None], is_held: Callable[[bytes], bool]
) -> Iterator[StoredTrace]:
    try:
        data = load()
    except UnreadableFileError as error:
        yield StoredTrace("unread", path, error.message)
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            yield StoredTrace("unread", path, error.strerror or "")
    else:
        if data is not None and is_held(data):
            yield StoredTrace(what, name)


def purge(
    root: Root,
    matches: Iterable[StoredTrace],
    replacements: Mapping[str, str],
    lock_seconds: float,
    forgotten: ForgottenText,
) -> None:
    """Remove the traces; a line of the log loses its reason and gets other names.

    Raises OSError, LockedError, WriteError.

    `replacements` maps digests of removed versions to new ones; the log names the new ones before the old are removed.
    """
    matches, history = list(matches), VersionStore(root, lock_seconds)
    if replacements or any(trace.what == "line" for trace in matches):
        cached = forgotten._replace(name=cache(forgotten.name))  # the log names the same few paths again and again
        history.rewrite(partial(_changed, forgotten=cached, replacements=replacements))
    for trace in matches:
        if trace.what == "version":
            history.drop(trace.name)
        elif trace.what == "derived":
            remove_text(root, trace.name, forgotten, lock_seconds)
        elif trace.what == "displaced":
            unlink(root.place(trace.name).name)


def _changed(line: Transaction, forgotten: ForgottenText, replacements: Mapping[str, str]) -> Transaction:
    """Return a line of the log without the text in its reason and its paths, and with the new digests."""
    has_text = forgotten.regex.search(line.reason) is not None
    is_touched = any(
        forgotten.name(one.path) != one.path or one.before in replacements or one.after in replacements
        for one in line.files
    )
    if not has_text and not is_touched:
        return line
    files: dict[str, WrittenFile] = {}
    for one in line.files:
        path = forgotten.name(one.path)
        before, after = (replacements.get(digest or "", digest) for digest in (one.before, one.after))
        new = dataclasses.replace(one, path=path, before=before, after=after)
        files[path] = _joined(files[path], new) if path in files else new
    return dataclasses.replace(line, files=tuple(files.values()), reason="" if has_text else line.reason)


def _joined(one: WrittenFile, other: WrittenFile) -> WrittenFile:
    """Return a renamed file, of which a line has the one that went and the one that came."""
    marks = one.was_program or other.was_program, one.is_program or other.is_program
    return WrittenFile(one.path, one.before or other.before, one.after or other.after, *marks)


def inside(root: str, error: OSError) -> str:
    """Return the path, from the root, of the folder that an error is about."""
    # else the folder is in the state folder
    is_absolute = isinstance(error.filename, str) and os.path.isabs(error.filename)
    return os.path.relpath(error.filename, root).replace(os.sep, "/") if is_absolute else STATE_FOLDER


def _data(root: Root, path: str) -> bytes | None:
    version = read(root.place(path))
    return version.data if version else None


def _below(root: Root, folder: str, unread: Callable[[OSError], None]) -> Iterator[str]:
    def on_error(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            unread(error)

    for above, _, names in os.walk(os.path.join(root.path, folder), onerror=on_error):
        below = os.path.relpath(above, root.path).replace(os.sep, "/")
        # of the versions, which `objects` lists, only what a crash left of writing one
        shown = [name for name in names if is_temporary(name)] if below == OBJECTS else names
        yield from (f"{below}/{name}" for name in sorted(shown))
