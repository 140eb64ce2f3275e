"""Read from the history what was changed in files without mdmem: by a person with an editor, or by another program."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.store.history.versions import EDITOR, Transaction, VersionStore, fingerprint
from mdmem.store.root import Root
from mdmem.text.document import parse
from mdmem.text.entry import statement
from mdmem.text.similarity import comparison_key

_LOG = "history/log"


class HandEdit(NamedTuple):
    """One edit of a file without mdmem."""

    path: str
    time: str  # ISO 8601; the file was saved then, or later changed by mdmem
    before: bytes
    after: bytes


class DeletedLine(NamedTuple):
    """An entry that was taken out of a file, or written in other words."""

    text: str  # without date, fields and id
    source: str  # the value of its `source`; empty if it has none
    time: str


class _Seen(NamedTuple):
    """The next version of a file, as the walk from the newest to the oldest has it."""

    digest: str | None
    time: str
    is_now: bool = False


def hand_edits(config: WorkspaceConfig, paths: Sequence[str]) -> Iterator[HandEdit]:
    """Yield the edits by hand of the last days, newest first: what no change of mdmem explains.

    A file that is gone, and a version that the history no longer has, are left out.
    """
    if not config.has_state(_LOG):
        return
    first = (config.today - dt.timedelta(days=config.settings.facts.edit_days)).isoformat()
    now = {path: data for path in paths if (data := readable_bytes(config, path))}
    with Root(config.root) as root:
        store, places = VersionStore(root, 0), {root.resolve(path): path for path in now}
        seen = {
            place: _Seen(fingerprint(now[path]), _saved_at(config, path), is_now=True) for place, path in places.items()
        }
        for change in store.log():
            if change.time[:10] < first:
                return
            for place, before, later in _unexplained(change, seen):
                old, path = store.read(before), places[place]
                new = now[path] if later.is_now else store.read(later.digest) if later.digest else None
                if old and new:
                    yield HandEdit(path, later.time, old, new)


def _unexplained(change: Transaction, seen: dict[str, _Seen]) -> Iterator[tuple[str, str, _Seen]]:
    """Yield the files that were edited by hand after a change, or in it, and go on to the version before it."""
    for file in change.files:
        later = seen.get(file.path)
        if later is None or later.digest is None:
            continue
        if file.after and file.after != later.digest:
            yield file.path, file.after, later
        if change.actor == EDITOR and file.before and file.after and file.before != file.after:
            yield file.path, file.before, _Seen(file.after, change.time)
        seen[file.path] = _Seen(file.before, change.time)


def deleted_lines(config: WorkspaceConfig, paths: Sequence[str]) -> tuple[DeletedLine, ...]:
    """Return the entries that were deleted from files by hand and are not in the same file now, newest first."""
    edits = list(hand_edits(config, paths))
    there = {path: _lines(readable_bytes(config, path)).keys() for path in {edit.path for edit in edits}}
    found: list[DeletedLine] = []
    for edit in edits:
        old, new = _lines(edit.before), _lines(edit.after)
        gone = old.keys() - new.keys() - there[edit.path]
        found += [DeletedLine(*old[key], edit.time) for key in old if key in gone]
    return tuple(found)


def _lines(data: bytes) -> dict[str, tuple[str, str]]:
    """Return the text and the source of each entry by its comparison key."""
    found: dict[str, tuple[str, str]] = {}
    for entry in parse(data).entries if data else ():
        text, source = statement(entry.text, entry.parts), entry.parts.field("source")
        found[comparison_key(text)] = text, source.value if source else ""
    return found


def readable_bytes(config: WorkspaceConfig, path: str) -> bytes:
    """Return the bytes of a file; none for one that cannot be read, of which lint tells."""
    with suppress(MdmemError):
        return live_bytes(config, path, config.settings.lint.max_bytes) or b""
    return b""


def _saved_at(config: WorkspaceConfig, path: str) -> str:
    with suppress(OSError):
        saved = os.stat(os.path.join(config.root, path)).st_mtime
        return dt.datetime.fromtimestamp(saved).astimezone().isoformat(timespec="seconds")
    return config.day
