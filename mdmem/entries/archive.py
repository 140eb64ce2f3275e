"""Where entries go that leave a file: the month's archive, searchable and never packed by itself (law 6)."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import EditNote, add
from mdmem.entries.edits.content import content
from mdmem.errors import UnreadableFileError, UsageError
from mdmem.formats.template import EntryRule
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry
from mdmem.text.entry import bare, read_entry
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key

FOLDER = "archive"
_MONTH = pattern(r"\d{4}-\d\d\.md")
DELETED = "deleted"  # why an entry was archived whose file was taken away
COMPACTED = "compacted"  # why an entry was archived that was made a line of
_ADDED = ("from", "why", "archived", "change")  # fields that an entry gets in the archive
_STAYS = ("inbox", "archive")  # what leaves these was done with, or was kept already
_EVIDENCE = ("session", "artifact")
_NO_PROSE = ("heading", "html", "rule", "item")


def archive(
    commit: ChangeRequest, files: DraftFiles, path: str, document: Document, entries: Sequence[Entry],
    why: str | Sequence[str], texts: Sequence[Sequence[str] | None] = (),
) -> Edits:  # fmt: skip
    """Make the edits that keep entries which leave a file; a secret is not carried along, and the caller is told.

    Args:
        commit: the change that they leave by.
        files: the files as they are now.
        path: the file that they leave.
        document: that file.
        entries: what leaves.
        why: one word for all of them, or one for each.
        texts: what is kept of each; None for the entry as it stands, which is also what holds where none is given.
    """
    config = commit.config
    if commit.access.kind(path) in _STAYS or not entries:
        return {}
    files[_where(config)]  # before the lines are made: where its lock is not held yet, the change is begun anew
    words = [why] * len(entries) if isinstance(why, str) else why
    standing = _Standing(document, path)
    lines = [
        line
        for entry, word, said in zip(entries, words, texts or [None] * len(entries), strict=True)
        for line in standing.lines(entry, said, {"why": word, "archived": config.day, "change": commit.id})
    ]
    return _put(commit, files, path, lines)


def archive_file(commit: ChangeRequest, files: DraftFiles, path: str, document: Document) -> Edits:
    """Make the edits that keep what a file says that is taken away: its entries, and the prose beside them.

    What its template says, headings and comments are no memory. A conversation and a tool's output stay in the history.
    """
    template = commit.template(path, document)
    if commit.access.kind(path) in (*_STAYS, *_EVIDENCE):
        return {}
    known = {"why": DELETED, "archived": commit.config.day, "change": commit.id}
    form = {line.strip() for line in template.text.splitlines()} if template else set[str]()
    outer = [one for one in document.entries if not one.depth]
    standing = _Standing(document, path)
    lines = [(one.span.start, line) for one in outer for line in standing.lines(one, None, known)]
    for block in document.blocks:
        text, at = block.span.of(document.text), block.span.start
        if not block.depth and block.kind not in _NO_PROSE and not {line.strip() for line in text.splitlines()} <= form:
            section = next((one for one in reversed(document.sections) if one.heading.start < at), None)
            lines.append((at, _with(text, {"from": f"{path}#{section.title}" if section else path} | known)))
    return _put(commit, files, path, [line for _, line in sorted(lines, key=lambda one: one[0])])


def _where(config: WorkspaceConfig) -> str:
    return f"{FOLDER}/{config.day[:7]}.md"


def _put(commit: ChangeRequest, files: DraftFiles, path: str, lines: Sequence[str]) -> Edits:
    """Make the edits that add lines to the month's archive."""
    config = commit.config
    where, kept = _where(config), config.schemas.get("archive")
    old = files[where]
    commit.gate.screen(where, [f"- {line}\n" for line in lines])
    fit = [line for line in lines if commit.gate.unfit(where, f"- {line}\n") is None]
    if len(fit) < len(lines):
        commit.note(path, EditNote("not-archived", {"count": len(lines) - len(fit)}))
    if not fit or kept is None:
        return {}
    commit.note(where, EditNote("archived", {"count": len(fit)}))
    return {where: add(old, commit.template(where, old) or kept, fit).edits}


class _Standing:
    """The entries of a file by where they stand, so that each is looked up and none searched for."""

    def __init__(self, document: Document, path: str) -> None:
        self._document, self._path = document, path
        self._starts = [entry.span.start for entry in document.entries]
        self._headings = [section.heading.start for section in document.sections]

    def lines(self, entry: Entry, said: Sequence[str] | None, fields: Mapping[str, str]) -> Iterator[str]:
        """Return a line for an entry and each nested one, with where it stood and what stands below it."""
        known = {"from": self._place(entry), **fields}
        first, last = bisect_left(self._starts, entry.span.start), bisect_right(self._starts, entry.span.end)
        inside = [one for one in self._document.entries[first:last] if entry.span.holds(one.span)]
        whole = any(one.blocks for one in inside)
        own = [entry.span.of(self._document.text)] if whole else [one.text for one in inside]
        yield from (_with(text, known) for text in (own if said is None else said) if text.strip())

    def _place(self, entry: Entry) -> str:
        """Name the file and the section that an entry stands in."""
        at = bisect_right(self._headings, entry.span.start) - 1
        return f"{self._path}#{self._document.sections[at].title}" if at >= 0 else self._path


def archives(config: WorkspaceConfig) -> list[str]:
    """Return the files of the archive, the oldest first."""
    folder = os.path.join(config.root, FOLDER)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return [f"{FOLDER}/{name}" for name in sorted(names) if _MONTH.fullmatch(name)]


def originals(lines: Iterable[str], path: str) -> Iterator[str]:
    """Return what the lines of an archive hold of entries that were joined or condensed in a file."""
    begins = f"[from:: {path}#"
    for line in lines:
        if begins in line and f"[why:: {COMPACTED}]" in line:
            text = bare(line.strip())
            for field in reversed(read_entry(text).fields):
                if field.key in _ADDED:
                    text = text[: field.span.start].rstrip(" ") + text[field.span.end :]
            yield text


def _with(text: str, fields: Mapping[str, str]) -> str:
    """Return a text as one line with these fields, but for those that it has or that cannot be written."""
    line = content(text, {}, EntryRule()).text
    known = {field.key for field in read_entry(line).fields}
    new = {key: value for key, value in fields.items() if key not in known}
    try:
        return content(line, new, EntryRule()).text
    except UsageError:  # a heading with brackets in it names no place that a field could hold
        for key, value in new.items():
            with suppress(UsageError):
                line = content(line, {key: value}, EntryRule()).text
        return line


def archived(config: WorkspaceConfig, path: str) -> Iterator[str]:
    """Return the entries of a file that were archived when it was condensed."""
    with Root(config.root) as root:
        for name in archives(config):
            with suppress(FileNotFoundError, UnreadableFileError):
                version = read(root.place(name), config.settings.lint.max_bytes)
                text = version.data.decode("utf-8", "replace") if version else ""
                yield from originals(text.splitlines(), path)


def no_longer_said(gone: Iterable[Entry], after: str) -> list[str]:
    """Return what entries said that left a file, unless the file still says it."""
    said = comparison_key(after)
    return [
        text for one in gone if (text := one.text.strip()) and comparison_key(one.parts.body.of(one.text)) not in said
    ]
