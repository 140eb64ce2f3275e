"""Chooses the generated lines of a file that may be written, and makes its edits from the file and its history."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits.generated import (
    BlockSpec,
    GeneratedLine,
    GeneratedLines,
    GeneratedSections,
    WrittenLines,
    block_texts,
    entry_text,
    has_open_block,
    line_key,
)
from mdmem.entries.gate import Gate
from mdmem.errors import RefusedError
from mdmem.formats.template import Template
from mdmem.store.history.versions import VersionStore, WrittenFile
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.entry import read_entry, without_fields
from mdmem.text.pattern import pattern
from mdmem.text.similarity import tokens

RENEWED = "renewed: "  # begins the reason of a change that only shows what another one has changed
_COMMENT = pattern("<!--|-->")  # a line with half a comment would open or close a generated block


def _fitting_lines(gate: Gate, path: str, lines: GeneratedLines) -> GeneratedLines:
    """Return the lines that may be written: without secrets, instructions, comments and forgotten texts."""
    gate.screen(path, [f"- {one.text}\n" for some in lines.values() for one in some])
    fitted = {alias: (_fitting(gate, path, one) for one in some) for alias, some in lines.items()}
    return {alias: tuple(one for one in some if one) for alias, some in fitted.items()}


def _fitting(gate: Gate, path: str, line: GeneratedLine) -> GeneratedLine | None:
    """Return a line as it may be written, without a source whose name may not; None if it may not."""
    line = line._replace(text=without_fields(line.text))
    if _COMMENT.search(line.text) or not gate.is_allowed(path, f"- {line.text}\n"):
        return None
    return line if gate.is_allowed(path, f"- {line.source}\n") else line._replace(source="")


class GeneratedChange(NamedTuple):
    """What gives a file its generated lines."""

    base: Document  # the file, or what its template makes
    edits: Sequence[Edit]  # of the file as it is
    text: str  # afterwards
    lines: GeneratedLines  # those that are written
    moved: tuple[str, ...]  # the lines of its blocks that a person wrote
    known: WrittenLines  # what the history tells of its lines


class GeneratedFile(NamedTuple):
    """A file with generated lines."""

    path: str
    spec: BlockSpec
    template: Template  # of a file that is missing
    reasons: Sequence[str]  # how the reasons of mdmem's changes begin in the log, in each language
    changes: int  # whose lines are remembered
    shares: Mapping[str, float] | None = None  # of the room, by section; None for equal ones
    stated: frozenset[str] | None = None  # all that may be generated, also by another machine; None if nobody can tell


def generated_change(
    commit: ChangeRequest, files: DraftFiles, file: GeneratedFile, lines: GeneratedLines
) -> GeneratedChange | None:
    """Return the change that gives a file its lines, or None if it stays as it is.

    Raises:
        RefusedError: a mark of a generated block stands without its other half.
    """
    path, config = file.path, commit.config
    wanted = _fitting_lines(commit.gate, path, lines)
    shares = file.shares or dict.fromkeys(file.spec.sections, 1 / max(1, sum(map(bool, wanted.values()))))
    document = files[path]
    live = block_texts(document, file.spec.name) if document is not None else None  # None: the file is missing
    made = frozenset(entry_text(one, file.spec.field) for some in wanted.values() for one in some)
    known = _with_other_machines(file, _written_lines(config, file, live), live or frozenset(), made)
    template = commit.template(path, document) or file.template
    is_blank = document is None or not document.text.strip("\ufeff \t\r\n")
    base = parse(template.text.encode()) if document is None or is_blank else document
    if has_open_block(base):
        commit.access.stop(RefusedError, "pen.open-block", path)
    editor = GeneratedSections(base, template, file.spec, known, config.settings.lint.near_duplicate)
    lines = editor.wanted(wanted, shares)
    if is_blank and not any(lines.values()):
        return None
    edits: Sequence[Edit] = editor.edits(lines)
    new = apply_edits(base.text, edits)
    if document is not None and new == document.text:
        return None
    if document is None or is_blank:
        start, end = (document.start, len(document.text)) if document else (0, 0)
        edits = (Edit.replace(start, end, new if new.endswith("\n") else f"{new}\n"),)
    return GeneratedChange(base, edits, new, lines, editor.moved(), known)


def _written_lines(config: WorkspaceConfig, file: GeneratedFile, live: frozenset[str] | None) -> WrittenLines:
    """Return which lines of a file mdmem generated in its last changes, and which somebody removed since.

    Of `file.changes` changes all lines are remembered. Older ones are read only where somebody else edited after them,
    so that what was removed stays removed. `live` are the lines of the blocks now.
    """
    path, block, reasons, most = file.path, file.spec.name, file.reasons, file.changes
    written, removed, is_known = set[str](), set[str](), False
    later = live  # None: a file deleted as a whole begins anew
    with Root(config.root) as root:
        store, place = VersionStore(root, 0), root.resolve(path)
        changes = (one for one in store.explained(re.compile("|".join(map(re.escape, reasons)))) if one.actor == KEEPER)
        found = (written_file for one in changes for written_file in one.files if written_file.path == place)
        newer: WrittenFile | None = None
        for number, older in enumerate(found):
            if newer and number >= most and newer.before == older.after:
                newer = older
                continue
            after, before = (store.read(one) if one else b"" for one in (older.after, newer.before if newer else None))
            if after is None or before is None:
                break
            is_known = True
            texts = block_texts(parse(after), block)
            written |= texts
            if newer:
                later = block_texts(parse(before), block) if newer.before else None
            removed |= {line_key(text) for text in texts - later} if later is not None else set()
            newer = older
    return WrittenLines(frozenset(written), frozenset(removed), is_known)


def _with_other_machines(
    file: GeneratedFile, known: WrittenLines, live: frozenset[str], made: frozenset[str]
) -> WrittenLines:
    """Add the lines that mdmem generated on another machine, of which the history here does not tell.

    They are those that may be generated. Where nobody can tell, they are those that are generated here too, `made`, and
    those with a source that say what no line of that source here says; another version of one was changed by a person.
    A line that is in a block now was not removed.
    """
    removed = known.removed - {line_key(text) for text in live}
    if file.stated is not None:
        return WrittenLines(known.written | file.stated, removed, is_known=True)
    here: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
    for text in known.written | made:
        here[_source(text, file)].append(_words(text))
    unknown = [text for text in live - known.written - made if _source(text, file)]
    others = {text for text in unknown if not any(_share(_words(text), one) for one in here[_source(text, file)])}
    return WrittenLines(known.written | (live & made) | others, removed, known.is_known)


def _source(text: str, file: GeneratedFile) -> str:
    field = read_entry(text).field(file.spec.field)
    return field.value if field else ""


def _words(text: str) -> frozenset[str]:
    return tokens(read_entry(text).body.of(text))


def _share(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two lines share half of their words or more, so that one may be a version of the other."""
    return 2 * len(one & other) >= max(1, min(len(one), len(other)))
