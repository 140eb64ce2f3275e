"""Reads one file: its text and digest, or its sections and entries. Writes nothing."""

# A hook reads files and names no entry, so the edits are imported where entries are named.
from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.kind_files import file_of
from mdmem.errors import TargetError, UnreadableFileError
from mdmem.formats.paths import archived_path, normal
from mdmem.messages.catalog import say
from mdmem.store.history.versions import VersionStore, fingerprint
from mdmem.store.locks import was_locked
from mdmem.store.root import Root, read
from mdmem.text.document import Entry, parse
from mdmem.text.entry import entry_key

_LOOK_AGAIN = 0.01  # seconds between attempts


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as it was read."""

    path: str
    text: str
    digest: str  # SHA-256 of the bytes: `expect` of a later change
    warning: str = ""  # why the text differs from the file


def read_file(config: WorkspaceConfig, path: str, actor: str) -> FileText:
    """Read a file; see `Workspace.read`."""
    access = AccessPolicy(config, actor)
    path = access.reach(path)
    warning = ""
    with Root(config.root) as root:
        data, exists = _stable(root, path, config)
        if not data and (good := _last_good(root, path) if exists else None):
            data, warning = good, say(access.lang, "pen.stale", path=path)
    if data is None:
        access.stop(TargetError, "pen.missing", path)
    text = data.decode("utf-8", "replace")
    if not warning and text.encode() != data:
        warning = say(access.lang, "pen.not-utf8", path=path)
    return FileText(path, text, fingerprint(data), warning)


def read_optional(config: WorkspaceConfig, path: str, actor: str) -> FileText | None:
    """Read a file that may not exist; None if it does not.

    `read_file` waits for a file that is missing, because an editor may be saving it. Here that is done only for a file
    that mdmem has locked before: most optional files never existed.
    """
    path = AccessPolicy(config, actor).reach(path)
    with Root(config.root) as root:
        if not os.path.lexists(os.path.join(config.root, path)) and not was_locked(root, path):
            return None
    try:
        return read_file(config, path, actor)
    except TargetError:
        return None


def current_path(config: WorkspaceConfig, path: str) -> str:
    """Return where a file stands now: its own path, or that in the archive if it has moved there."""
    if os.path.lexists(os.path.join(config.root, path)):
        return path
    moved = archived_path(normal(path))
    return moved if os.path.isfile(os.path.join(config.root, moved)) else path


def live_bytes(config: WorkspaceConfig, path: str, most: int | None = None) -> bytes | None:
    """Return the current content of a file, up to `most` bytes; None if it does not exist.

    Raises:
        UnreadableFileError: not a regular file, too large, or the system refused.
    """
    with Root(config.root) as root:
        try:
            found = read(root.place(path)) if most is None else read(root.place(path), most)
        except FileNotFoundError:
            return None
    return found.data if found else None


def _stable(root: Root, path: str, config: WorkspaceConfig) -> tuple[bytes | None, bool]:
    """Read a file without a lock and return whether it exists; retry while it is missing, empty or unreadable."""
    settings = config.settings
    until = time.monotonic() + settings.store.stable_ms / 1000
    while True:
        version, exists, problem = None, True, None
        try:
            version = read(root.place(path), settings.lint.max_bytes)
            exists = version is not None
        except FileNotFoundError:
            exists = False
        except UnreadableFileError as error:
            problem = error
        if (version and version.data) or time.monotonic() > until:
            if problem and _last_good(root, path) is None:
                raise problem
            return (version.data if version else None), exists
        time.sleep(_LOOK_AGAIN)


def _last_good(root: Root, path: str) -> bytes | None:
    """Return the newest version of a file in the history."""
    history = VersionStore(root, 0)
    named = (one.after for change in history.log() for one in change.files if one.path == path)
    digest = next(named, None)
    return history.read(digest) if digest else None


_FEW = 6  # minimum length of a shortened key


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One entry as structured data."""

    key: str  # `^id`, or the shortest unique prefix of its key, numbered for equal entries
    line: int  # 1-based
    depth: int  # 0 for an outermost entry
    text: str
    done: bool | None  # None if there is neither a checkbox nor a ✅
    date: str | None  # ISO
    tags: tuple[str, ...]
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section with its own entries; the first, without a title, holds the entries above all headings."""

    title: str
    level: int
    line: int
    entries: tuple[ShownEntry, ...]


@dataclass(frozen=True, slots=True)
class ShownFile:
    """One file as structured data."""

    path: str
    kind: str  # empty for a file that is not memory
    digest: str  # SHA-256, for `--expect`
    warning: str
    lines: tuple[str, ...]
    sections: tuple[ShownSection, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the file as JSON types, without `lines`."""
        return {key: value for key, value in asdict(self).items() if key != "lines"}


def show_file(config: WorkspaceConfig, path: str) -> ShownFile:
    """Read a file as sections and entries; see `Workspace.show`."""
    found = read_file(config, file_of(config, path), "user")
    document = parse(found.text.encode("utf-8", "surrogateescape"))
    template = config.schemas.match(found.path, document)
    names = _names(document.entries)
    top = tuple(one for one in document.entries if one.span.start < document.preamble.end)
    parts = [ShownSection("", 0, 1, _items(top, names))] if top else []
    parts += [
        ShownSection(one.title, one.level, document.lines.at(one.heading.start) + 1, _items(one.entries, names))
        for one in document.sections
    ]
    lines = tuple(map(document.lines.text, range(len(document.lines))))
    return ShownFile(found.path, template.kind if template else "", found.digest, found.warning, lines, tuple(parts))


def _names(entries: Sequence[Entry]) -> dict[int, str]:
    """Return the name of each entry by its first line."""
    from mdmem.entries.edits.find import entry_names

    different = {entry_key(one.text) for one in entries}
    few = next((n for n in range(_FEW, 12) if len({key[:n] for key in different}) == len(different)), 12)
    keys = (name.partition(".") for name in entry_names(entries))
    short = [f"{key[:few]}{dot}{number}" for key, dot, number in keys]
    return {one.line: f"^{one.parts.id}" if one.parts.id else key for one, key in zip(entries, short, strict=True)}


def _items(entries: Iterable[Entry], names: dict[int, str]) -> tuple[ShownEntry, ...]:
    return tuple(_item(one, names[one.line]) for one in entries)


def _item(entry: Entry, key: str) -> ShownEntry:
    parts = entry.parts
    day = parts.date.value.isoformat() if parts.date and parts.date.value else None
    fields = {field.key: field.value for field in parts.fields}
    return ShownEntry(key, entry.line + 1, entry.depth, entry.text, parts.done, day, parts.tags, fields)
