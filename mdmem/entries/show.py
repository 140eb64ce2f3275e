"""Shows one file as its sections and entries. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.edits.find import entry_names
from mdmem.entries.kind_files import file_of
from mdmem.entries.read import read_file
from mdmem.text.document import Entry, parse
from mdmem.text.entry import entry_key

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
