"""What forgetting removes from each file: entries, parts of joined lines, words, and files with their records."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import archived
from mdmem.entries.edits import remove
from mdmem.entries.forget.matching_files import ATTACHMENT, MatchingFiles
from mdmem.entries.forget.model import ForgetTarget
from mdmem.entries.joined import Unit, cuts, units
from mdmem.entries.tombstones import STRUCK
from mdmem.formats.artifact import FOLDER
from mdmem.formats.joined_line import Originals
from mdmem.formats.paths import escapes_root, normal, within_user
from mdmem.formats.session_edits import set_values
from mdmem.linter.masking import mask
from mdmem.linter.rule import quote
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.entry import read_entry
from mdmem.text.spans import Span

_QUOTED = 60  # characters of a line that a dry run shows

_Removal: TypeAlias = "tuple[int, str, Entry | Unit | Span]"  # line, kind, and what is removed


class TextRemoval:
    """What is removed from each file, read with the new ids of the renamed files in place of the old ones.

    `edits` reads the files; the other values describe its last call.
    """

    def __init__(
        self, config: WorkspaceConfig, matching: MatchingFiles, regex: re.Pattern[str], *, files: bool
    ) -> None:
        """Bind to the files that match; with `files` attached files go with their records."""
        self._config, self._matching, self._regex, self._files = config, matching, regex, files
        self._names = matching.names
        self._drafts: dict[str, Document] = {}
        self._found: dict[str, list[_Removal]] = {}
        self.attached: dict[str, str] = {}  # record → its file; empty if a record that goes has none

    @property
    def removed(self) -> tuple[str, ...]:
        """The attached files that go with their records."""
        return tuple(filter(None, self.attached.values())) if self._files else ()

    @property
    def statements(self) -> list[str]:
        """The texts of the removed entries."""
        return [_statement(one) for struck in self._found.values() for _, _, one in struck if not isinstance(one, Span)]

    def targets(self, *, quoted: bool) -> list[ForgetTarget]:
        """Return each location, with the start of its line if `quoted`."""
        found = [
            ForgetTarget(path, line, what, _excerpt(self._drafts[path], line) if quoted else "")
            for path, struck in self._found.items()
            for line, what, _ in struck
        ]
        return found + [ForgetTarget(file, 0, "attached") for file in self.removed]

    def edits(self, files: DraftFiles | UnlockedFiles) -> dict[str, Sequence[Edit] | None]:
        """Return the edits of all files; a renamed file is removed under the old name and written under the new one."""
        self._read(files)
        edits: dict[str, Sequence[Edit] | None] = {}
        for path, struck in self._found.items():
            before, draft, new = files[path], self._drafts[path], self._names.renamed.get(path)
            own = removal_edits(draft, struck)
            if new:
                edits |= {path: None, new: (Edit.insert(0, apply_edits(draft.text, own)),)}
            elif before is not None and draft is not before:
                edits[path] = smallest(before.text, apply_edits(draft.text, own))
            else:
                edits[path] = own
        for path in self._found:
            edits |= self._with_size(files, path, edits)
        return edits | dict.fromkeys(self.attached if self._files else ())

    def _with_size(
        self, files: DraftFiles | UnlockedFiles, path: str, edits: Mapping[str, Sequence[Edit] | None]
    ) -> dict[str, Sequence[Edit] | None]:
        """Return the edits of the record of an attached file that becomes shorter: those it has, and its new size."""
        before, own, record = files[path], edits.get(path), f"{os.path.splitext(path)[0]}.md"
        document, known = files[record], edits.get(record, ())
        if before is None or own is None or document is None or known is None or record == path:
            return {}
        if _attached(self._config, record, document) != path:
            return {}
        size = len(apply_edits(before.text, own).encode("utf-8", "surrogateescape"))
        return {record: (*known, *set_values(document, {"file_size": size}))}

    def _read(self, files: DraftFiles | UnlockedFiles) -> None:
        self._drafts, self._found, self.attached = {}, {}, {}
        named = self._matching.records
        for path in dict.fromkeys((*self._matching.memories, *self._names.renamed, *named)):
            if (document := files[path]) is None:
                continue
            text = self._names.named(document.text)
            is_same = text == document.text
            draft = document if is_same else parse(text.encode("utf-8", "surrogateescape"))
            self._drafts[path] = draft
            self._found[path] = list(removals(self._config, path, draft, self._regex))
            is_named = path in named
            file = _attached(self._config, path, document) if self._found[path] or is_named else ""
            if file or is_named:
                self.attached[path] = file


def _attached(config: WorkspaceConfig, path: str, document: Document) -> str:
    """Return the file that a record of an attachment describes, if it lies beside it; empty for any other file.

    If its name was forgotten in the record, it is the file of the record's own name.
    """
    template = config.schemas.match(path)
    if template is None or template.kind != ATTACHMENT or document.front_matter is None:
        return ""
    local = document.front_matter.values.get("local_path")
    file = normal(local) if isinstance(local, str) and not escapes_root(local) else ""
    folder = path.rpartition("/")[0]
    if file.rpartition("/")[0] == folder and os.path.isfile(os.path.join(config.root, file)):
        return file
    stem = os.path.splitext(path)[0]
    beside = (f"{folder}/{name}" for name in sorted(os.listdir(os.path.join(config.root, folder))) if STRUCK in file)
    return next((one for one in beside if os.path.splitext(one)[0] == stem and one != path), "")


def _excerpt(document: Document | None, line: int) -> str:
    """Return the start of a line, as a dry run shows it: with secrets masked, for an agent may read it."""
    return quote(mask(document.lines.text(line - 1)), _QUOTED) if document else ""


def _statement(entry: Entry | Unit) -> str:
    """Return an entry's text without date, fields and id: it may come back under another date."""
    return read_entry(entry.text).body.of(entry.text).strip() or entry.text


def removals(config: WorkspaceConfig, path: str, document: Document, regex: re.Pattern[str]) -> Iterator[_Removal]:
    """Yield what is removed: entries that contain the text, and occurrences outside such entries.

    The output of a tool, and a file that is larger than a memory may be, has no entries.
    """
    spans = [Span(*match.span()) for match in regex.finditer(document.text)]
    removed: list[Span] = []
    is_memory = not within_user(path).startswith((f"{FOLDER}/", "transcripts/"))
    for entry in document.entries if is_memory and len(document.text) <= config.settings.lint.max_bytes else ():
        if any(span.holds(entry.span) for span in removed):
            continue
        inside = [span for span in spans if entry.span.holds(span)]
        own = Span(entry.marker.start, max(entry.text_span.end, entry.marker.end))
        # an entry with nested content is removed only if its own line contains the text; the rest is kept
        if inside and any(own.holds(span) for span in inside) and not _below(document, entry):
            line_units = units(entry, Originals(archived(config, path)))
            matching = [unit for unit in line_units if regex.search(unit.text)]
            parts: list[Unit] | list[Entry] = matching if 0 < len(matching) < len(line_units) else [entry]
            removed += [one.span for one in parts]
            yield from ((entry.line + 1, "entry", one) for one in parts)
    for span in spans:
        if not any(entry.overlaps(span) for entry in removed):
            yield document.lines.at(span.start) + 1, "words", span


def _below(document: Document, entry: Entry) -> bool:
    return bool(entry.blocks) or any(
        other.line > entry.line and entry.span.holds(other.span) for other in document.entries
    )


def removal_edits(document: Document | None, found: Sequence[_Removal]) -> tuple[Edit, ...]:
    if document is None:
        return ()
    entries = [one for _, _, one in found if isinstance(one, Entry)]
    words = [Edit(one, STRUCK) for _, _, one in found if isinstance(one, Span)]
    lines = groupby((one for _, _, one in found if isinstance(one, Unit)), key=lambda unit: unit.entry)
    words += [edit for _, removed in lines for edit in cuts(list(removed))]
    return (*(remove(document, entries).edits if entries else ()), *words)


class UnlockedFiles:
    """Reads the current documents without a lock, for a dry run."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def __getitem__(self, path: str) -> Document | None:
        try:
            found = read(self._root.place(path))
        except FileNotFoundError:
            return None
        return parse(found.data) if found else None
