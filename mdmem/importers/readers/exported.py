"""An export of mdmem as JSON lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from mdmem.importers.model import (
    ImportedCopy,
    ImportedFile,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import base, first_item, objects, text_of

_SYSTEM = "mdmem"
_ENTRIES, _FACTS = "entries.jsonl", "facts.jsonl"
_FILES = "files/"
_COPIED = ("attachments/", "artifacts/")  # folders whose files are copied; settings and programs are not
_LEDGER = "archive/imports.md"


def recognizes(source: ImportSource) -> bool:
    """Return whether the files of an export are there."""
    return any(_is_entries(source, name) for name in source.names)


def _is_entries(source: ImportSource, name: str) -> bool:
    if base(name) != _ENTRIES or f"{_top(name)}{_FACTS}" not in source.names:
        return False
    first = first_item(source, name)
    return first is None or (isinstance(first.value, dict) and first.value.keys() >= {"path", "text"})


def _top(name: str) -> str:
    return name.removesuffix(_ENTRIES)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the list of imports, which notes the rest, then copies, and files; other lines say what these hold."""
    for name in filter(lambda name: _is_entries(source, name), source.names):
        yield from _texts(source, name, is_ledger=True)
        copies = f"{_top(name)}{_FILES}"
        for file in source.names:
            path = file.removeprefix(copies)
            if not file.startswith(copies):
                continue
            if path.startswith(_COPIED):
                yield ImportedCopy(origin_of(_SYSTEM, path), file, path, partial(source.open, file))
            else:
                yield ImportProblem(file, "import.unknown-file", {}, "skipped")
        yield from _texts(source, name, is_ledger=False)


def _texts(source: ImportSource, name: str, *, is_ledger: bool) -> Iterator[ImportRecord]:
    for found in objects(source, name):
        if isinstance(found, ImportProblem):
            if not is_ledger:
                yield found
            continue
        place, given = found
        path, text = text_of(given.get("path")), given.get("text")
        if path and isinstance(text, str) and (path == _LEDGER) == is_ledger:
            yield ImportedFile(origin_of(_SYSTEM, path, text), place, path, text)


READER = ImportReader("mdmem", recognizes, read)
