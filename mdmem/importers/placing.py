"""Places whole files: safe names, names that are free, what is merged into a file that is there, and copies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count
from typing import BinaryIO

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import RefusedError, UnreadableFileError
from mdmem.facts.edits import document_facts, title_of
from mdmem.facts.read import fact_words
from mdmem.formats.paths import escapes_root
from mdmem.formats.placeholders import is_label, is_placeholder
from mdmem.formats.template import Template
from mdmem.importers.model import ImportedCopy, ImportedFact, ImportedFile, ImportedLine, ImportProblem, ImportRecord
from mdmem.importers.readers.common import stem
from mdmem.importers.readers.markdown_lines import blocks_file, headed_blocks, headed_lines
from mdmem.messages.catalog import say
from mdmem.store.durable import make_new
from mdmem.store.root import Root, read
from mdmem.text.document import parse

MERGED = ("memory", "user", "fastmemo", "scratchpad", "daily", "facts")  # kinds that are added to a file that is there
_CHUNK = 1 << 20


def free_names(path: str) -> Iterator[str]:
    """Yield a path, and then others with a number."""
    yield path
    yield from (f"{path.removesuffix('.md')}-{number}.md" for number in count(2))


def merged_records(config: WorkspaceConfig, record: ImportedFile, template: Template) -> list[ImportRecord]:
    """Return what a file holds as records, for a file that is there already."""
    if template.kind == "facts":
        return list(_facts(config, record, template))
    form = {line.strip() for line in template.text.splitlines()}
    day = stem(record.path) if template.kind == "daily" else ""
    lines = [
        ImportProblem(f"{record.place}:{one.line}", "import.placeholder", {}, "skipped")
        if is_placeholder(one.text) or (is_label(one.text) and not one.inner)
        else ImportedLine(
            f"{record.origin}.{at}", f"{record.place}:{one.line}", template.kind, one.whole, one.section, day
        )
        for at, one in enumerate(headed_lines(record.text))
        if one.text not in form and f"- {one.text}" not in form
    ]
    system = record.origin.partition(":")[0]
    path = f"notes/{system}/{record.path}"
    return [*lines, *blocks_file(record.origin, record.place, path, headed_blocks(record.text))]


def _facts(config: WorkspaceConfig, record: ImportedFile, template: Template) -> Iterator[ImportedFact]:
    document = parse(record.text.encode())
    subject = title_of(document) or stem(record.path)
    for at, one in enumerate(document_facts(record.path, document, template, fact_words(config), subject)):
        yield ImportedFact(
            f"{record.origin}.{at}", f"{record.place}:{one.line}", one.text, subject, one.predicate, one.type,
            one.date, one.importance, one.confidence, one.priority, "" if one.live else "superseded",
            one.superseded, {"source": one.source},
        )  # fmt: skip


def copied(config: WorkspaceConfig, record: ImportedCopy, *, dry_run: bool) -> bool:
    """Copy a file to its path; return False if it is there already.

    Raises:
        RefusedError: the path lies outside the workspace, another file has it, or the file is too large.
        UnreadableFileError: the source cannot be read.
    """
    most = config.settings.attachments.max_bytes
    if escapes_root(record.path):
        raise RefusedError(say(config.lang, "import.outside"))
    size, digest = 0, hashlib.sha256()
    try:
        with record.open() as stream:
            for piece in _pieces(stream):
                size += len(piece)
                digest.update(piece)
                if size > most:
                    raise RefusedError(say(config.lang, "import.too-large", max=most))
    except OSError as error:
        raise UnreadableFileError(say(config.lang, "import.unreadable-file", reason=error.strerror or "")) from error
    with Root(config.root) as root:
        there = _digest(root, record.path)
        if there not in (b"", digest.digest()):
            raise RefusedError(say(config.lang, "import.taken", path=record.path))
        if not there and not dry_run:
            with record.open() as stream:
                make_new(root.place(record.path, make=True).name, _pieces(stream), record.path)
    return not there


def _digest(root: Root, path: str) -> bytes:
    """Return the digest of a file of the workspace; empty if there is none."""
    try:
        there = read(root.place(path))
    except FileNotFoundError:
        return b""
    return hashlib.sha256(there.data).digest() if there else b""


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(_CHUNK):
        yield piece
