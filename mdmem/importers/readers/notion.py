"""Notion's export: pages and databases whose names end in ids, and the links between them. Pure."""

from __future__ import annotations

import csv
import posixpath
from collections.abc import Iterator, Mapping
from urllib.parse import quote, unquote

from mdmem.importers.model import ImportedFile, ImportProblem, ImportReader, ImportRecord, ImportSource, origin_of
from mdmem.importers.readers.common import base, safe_path
from mdmem.text.pattern import pattern

_NAMED = pattern(r".*[ -][0-9a-f]{32}(?:_all)?\.(?:md|csv)\Z")
_ID = pattern(r"[ -]?[0-9a-f]{32}(?=\Z|_all\Z)")
_ALL = "_all"  # the table of a database with all its rows; the other has those of one view
_LINK = pattern(r"\]\((?P<target>[^\s<>()]{1,1000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200}){0,9})\)")
_SAFE = "/!$&'*+,;=@~-._"
_FOLDER = "notes/notion/"
_BOM = "\ufeff"


def recognizes(source: ImportSource) -> bool:
    """Return whether the name of a page or of a table ends in an id of Notion."""
    return any(_NAMED.match(name) for name in source.names)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield pages and tables as notes without ids in their names; the links between them lead to the new names."""
    paths = _paths(source)
    for name in source.names:
        if name.endswith(".csv") and f"{name.removesuffix('.csv')}{_ALL}.csv" in paths:
            yield ImportProblem(name, "import.generated", {}, "skipped")
        elif name not in paths:
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")
        elif (text := source.text(name)) is None:
            yield ImportProblem(name, "import.not-text", {})
        elif name.endswith(".md"):
            yield ImportedFile(_origin(name), name, paths[name], _mended(text, name, paths))
        else:
            yield _table(name, text.removeprefix(_BOM), paths)


def _origin(name: str) -> str:
    """Return the origin of a page: its id where the name has one, for a page may be moved and renamed."""
    found = _ID.search(base(name).rpartition(".")[0])
    kind = name.rpartition(".")[2]
    return origin_of("notion", f"{found[0].strip(' -')}-{kind}" if found else name)


def _paths(source: ImportSource) -> Mapping[str, str]:
    """Return the new path of each page and table; of two with one name the later has a number."""
    found, taken = dict[str, str](), set[str]()
    names = set(source.names)
    for name in source.names:
        whole, _, ending = name.rpartition(".")
        if ending not in ("md", "csv") or (ending == "csv" and f"{whole}{_ALL}.csv" in names):
            continue
        parts = [_ID.sub("", part).removesuffix(_ALL if ending == "csv" else "") for part in whole.split("/")]
        path = safe_path("/".join(part.strip() or "page" for part in parts)).removesuffix(".md")
        number = 1
        while (numbered := path if number == 1 else f"{path} {number}").casefold() in taken:
            number += 1
        taken.add(numbered.casefold())
        found[name] = f"{_FOLDER}{numbered}.md"
    return found


def _mended(text: str, name: str, paths: Mapping[str, str]) -> str:
    """Return a text whose links to other pages of the export lead to their new paths."""
    folder, new_folder = posixpath.dirname(name), posixpath.dirname(paths[name])
    parts, last = list[str](), 0
    for found in _LINK.finditer(text):
        target, mark, anchor = found["target"].partition("#")
        old = posixpath.normpath(posixpath.join(folder, unquote(target)))
        new = paths.get(old) or paths.get(f"{old.removesuffix('.csv')}{_ALL}.csv")
        if new and ":" not in target:
            written = quote(posixpath.relpath(new, new_folder), safe=_SAFE)
            parts += [text[last : found.start("target")], written, mark, anchor]
            last = found.end("target")
    return "".join((*parts, text[last:]))


def _table(name: str, text: str, paths: Mapping[str, str]) -> ImportRecord:
    """Return a database as a note with a table; the name of a row leads to its page."""
    try:
        rows = list(csv.reader((f"{line}\n" for line in text.split("\n")), strict=True))
    except csv.Error:
        return ImportProblem(name, "import.broken-table", {})
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        return ImportProblem(name, "import.empty", {}, "skipped")
    path = paths[name]
    folder, width = path.removesuffix(".md"), max(map(len, rows))
    pages = {new for new in paths.values() if new.startswith(f"{folder}/")}
    lines = [_line([*row, *[""] * (width - len(row))]) for row in rows]
    for at, row in enumerate(rows[1:], 1):
        page = f"{folder}/{safe_path(row[0].strip() or 'page')}"
        if page in pages:
            link = quote(posixpath.relpath(page, posixpath.dirname(path)), safe=_SAFE)
            cells = [f"[{_cell(row[0])}]({link})", *map(_cell, row[1:]), *[""] * (width - len(row))]
            lines[at] = f"| {' | '.join(cells)} |"
    head = f"# {base(folder)}\n\n{lines[0]}\n|{' --- |' * width}\n"
    return ImportedFile(_origin(name), name, path, head + "".join(f"{line}\n" for line in lines[1:]))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")


READER = ImportReader("notion", recognizes, read)
