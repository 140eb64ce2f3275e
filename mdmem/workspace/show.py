"""The journey of a look into one file: its lines, its sections, and each entry with the name it can be called by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mdmem.core.document import Entry, parse
from mdmem.core.intent.find import entry_names
from mdmem.core.key import entry_key
from mdmem.core.record import NamedTuple
from mdmem.workspace.kinds import file_of

if TYPE_CHECKING:
    from mdmem.workspace import Workspace

_FEW = 6  # characters of a key that name an entry, as long as no other begins with them


class Item(NamedTuple):
    """One entry, as a program wants it."""

    key: str  # `^id`, or as much of the key of its text as no other entry begins with; of equal entries with a number
    line: int  # 1-based
    depth: int  # 0 for an outermost entry
    text: str
    done: bool | None  # None where there is neither a checkbox nor a ✅
    date: str | None  # ISO
    tags: tuple[str, ...]
    fields: dict[str, str]


class Part(NamedTuple):
    """A section with its own entries; the first, without a title, holds what stands above all headings."""

    title: str
    level: int
    line: int
    entries: tuple[Item, ...]


class Shown(NamedTuple):
    """One file as it is."""

    path: str
    kind: str  # empty for a file that is no memory
    digest: str  # SHA-256, for `--expect`
    warning: str
    lines: tuple[str, ...]
    sections: tuple[Part, ...]

    def as_dict(self) -> dict[str, Any]:
        """Give the file as JSON's types; the lines stand in the entries."""
        sections = [part._asdict() | {"entries": [one._asdict() for one in part.entries]} for part in self.sections]
        values = {key: value for key, value in self._asdict().items() if key != "lines"}
        return values | {"sections": sections}


def show(workspace: Workspace, path: str) -> Shown:
    """Look into a file; see `Workspace.show`."""
    found = workspace.read(file_of(workspace.config, path))
    document = parse(found.text.encode("utf-8", "surrogateescape"))
    template = workspace.config.schemas.match(found.path, document)
    names = _names(document.entries)
    top = tuple(one for one in document.entries if one.span.start < document.preamble.end)
    parts = [Part("", 0, 1, _items(top, names))] if top else []
    parts += [
        Part(one.title, one.level, document.lines.at(one.heading.start) + 1, _items(one.entries, names))
        for one in document.sections
    ]
    lines = tuple(map(document.lines.text, range(len(document.lines))))
    return Shown(found.path, template.kind if template else "", found.digest, found.warning, lines, tuple(parts))


def _names(entries: Sequence[Entry]) -> dict[int, str]:
    """Name each entry, by the line it begins in."""
    different = {entry_key(one.text) for one in entries}
    few = next((n for n in range(_FEW, 12) if len({key[:n] for key in different}) == len(different)), 12)
    keys = (name.partition(".") for name in entry_names(entries))
    short = [f"{key[:few]}{dot}{number}" for key, dot, number in keys]
    return {one.line: f"^{one.parts.id}" if one.parts.id else key for one, key in zip(entries, short, strict=True)}


def _items(entries: Iterable[Entry], names: dict[int, str]) -> tuple[Item, ...]:
    return tuple(_item(one, names[one.line]) for one in entries)


def _item(entry: Entry, key: str) -> Item:
    parts = entry.parts
    day = parts.date.value.isoformat() if parts.date and parts.date.value else None
    fields = {field.key: field.value for field in parts.fields}
    return Item(key, entry.line + 1, entry.depth, entry.text, parts.done, day, parts.tags, fields)
