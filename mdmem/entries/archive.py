"""The archive: entries that leave a file are kept in the file of the month, searchable but never packed (law 6)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import EditNote, add
from mdmem.entries.edits.content import content, with_fields
from mdmem.errors import UnreadableFileError, UsageError
from mdmem.formats.template import EntryRule
from mdmem.store.files import file_size, names_in
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.entry import bare, read_entry
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key

FOLDER = "archive"
_MONTH = pattern(r"(\d{4}-\d\d)(?:-([2-9]|[1-9]\d{1,4}))?\.md")  # a full month goes on in 2026-11-2.md
DELETED = "deleted"  # reason for entries of a deleted file
COMPACTED = "compacted"  # reason for entries that were joined or condensed
_ADDED = ("from", "why", "archived", "change")  # fields added to an entry in the archive
_STAYS = ("inbox", "archive")  # entries that leave these files are not archived (again)
_EVIDENCE = ("session", "artifact")
_MARKS = 4  # bytes of a marker and a line ending
_HEADING = 64  # bytes of the heading of a day, with its empty lines
_NO_PROSE = ("heading", "html", "rule", "item")


def archive(
    commit: ChangeRequest, files: DraftFiles, path: str, document: Document, entries: Sequence[Entry],
    why: str | Sequence[str], texts: Sequence[Sequence[str] | None] = (),
) -> Edits:  # fmt: skip
    """Return the edits that archive entries which leave a file; secrets are left out, and a note says so.

    Args:
        commit: the change that removes them.
        files: the files as they are now.
        path: the file they leave.
        document: that file.
        entries: the entries that leave.
        why: one reason for all, or one for each.
        texts: what is archived of each entry; None, the default, for the whole entry.
    """
    config = commit.config
    if commit.access.kind(path) in _STAYS or not entries:
        return {}
    files[current_archive(config)]  # requests the lock before the lines are made: without it the change starts again
    words = [why] * len(entries) if isinstance(why, str) else why
    locations = _EntryLocations(document, path)
    lines = [
        line
        for entry, word, texts_kept in zip(entries, words, texts or [None] * len(entries), strict=True)
        for line in locations.lines(entry, texts_kept, {"why": word, "archived": config.day, "change": commit.id})
    ]
    return _put(commit, files, path, lines)


def archive_file(commit: ChangeRequest, files: DraftFiles, path: str, document: Document) -> Edits:
    """Return the edits that archive the entries and the prose of a deleted file.

    Text of the template, headings and comments are left out. Conversations and tool outputs stay in the history only.
    """
    template = commit.template(path, document)
    if commit.access.kind(path) in (*_STAYS, *_EVIDENCE):
        return {}
    fields = {"why": DELETED, "archived": commit.config.day, "change": commit.id}
    form = {line.strip() for line in template.text.splitlines()} if template else set[str]()
    outer = [one for one in document.entries if not one.depth]
    locations = _EntryLocations(document, path)
    lines = [(one.span.start, line) for one in outer for line in locations.lines(one, None, fields)]
    for block in document.blocks:
        text, at = block.span.of(document.text), block.span.start
        if not block.depth and block.kind not in _NO_PROSE and not {line.strip() for line in text.splitlines()} <= form:
            section = next((one for one in reversed(document.sections) if one.heading.start < at), None)
            lines.append((at, _with(text, {"from": f"{path}#{section.title}" if section else path} | fields)))
    return _put(commit, files, path, [line for _, line in sorted(lines, key=lambda one: one[0])])


def current_archive(config: WorkspaceConfig) -> str:
    """Return the file of this month's archive that is written now: the last one, the first if there is none."""
    month = config.day[:7]
    folder = config.whose.place(FOLDER)
    begun = (name for name in reversed(archives(config)) if name.startswith(f"{folder}/{month}"))
    last = next(begun, _part(folder, month, 1))
    is_large = file_size(config.root, last) > config.settings.lint.max_bytes  # it cannot be read any more
    return _part(folder, month, _number(last) + 1) if is_large else last


def _part(folder: str, month: str, number: int) -> str:
    return f"{folder}/{month}{f'-{number}' if number > 1 else ''}.md"


def _number(path: str) -> int:
    found = _MONTH.fullmatch(path.rpartition("/")[2])
    return int(found[2] or 1) if found else 1


def _put(commit: ChangeRequest, files: DraftFiles, path: str, lines: Sequence[str]) -> Edits:
    """Return the edits that add lines to the month's archive; what has no room in a file goes to the next one."""
    config = commit.config
    where, template = current_archive(config), config.schemas.get("archive")
    commit.gate.screen(where, [f"- {line}\n" for line in lines])
    fit = [line for line in lines if commit.gate.unfit(where, f"- {line}\n") is None]
    if len(fit) < len(lines):
        commit.note(path, EditNote("not-archived", {"count": len(lines) - len(fit)}))
    if not fit or template is None:
        return {}
    edits = dict[str, Sequence[Edit]]()
    while fit:
        old = files[where]
        own = commit.template(where, old) or template
        size = len(old.to_bytes()) if old else len(own.text.encode())
        count = _fitting(fit, config.settings.lint.max_bytes - size, at_least=old is None)
        if count:
            commit.note(where, EditNote("archived", {"count": count}))
            edits[where] = add(old, own, fit[:count]).edits
        fit, where = fit[count:], _part(config.whose.place(FOLDER), config.day[:7], _number(where) + 1)
    return edits


def _fitting(lines: Sequence[str], room: int, *, at_least: bool) -> int:
    """Return how many lines fit into so many bytes; a new file takes at least one, or none ever fits."""
    sizes = accumulate((len(line.encode("utf-8", "surrogateescape")) + _MARKS for line in lines), initial=_HEADING)
    return max(int(at_least), sum(size <= room for size in sizes) - 1)


class _EntryLocations:
    """The entries of a file by offset, so that lookups need no search."""

    def __init__(self, document: Document, path: str) -> None:
        self._document, self._path = document, path
        self._starts = [entry.span.start for entry in document.entries]
        self._headings = [section.heading.start for section in document.sections]

    def lines(self, entry: Entry, texts: Sequence[str] | None, fields: Mapping[str, str]) -> Iterator[str]:
        """Yield an archive line for an entry and each nested one, with the former location."""
        added = {"from": self._location(entry), **fields}
        first, last = bisect_left(self._starts, entry.span.start), bisect_right(self._starts, entry.span.end)
        inside = [one for one in self._document.entries[first:last] if entry.span.holds(one.span)]
        whole = any(one.blocks for one in inside)
        own = [entry.span.of(self._document.text)] if whole else [one.text for one in inside]
        yield from (_with(text, added) for text in (own if texts is None else texts) if text.strip())

    def _location(self, entry: Entry) -> str:
        """Return the file and section of an entry, as `FILE#section`."""
        at = bisect_right(self._headings, entry.span.start) - 1
        return f"{self._path}#{self._document.sections[at].title}" if at >= 0 else self._path


def archives(config: WorkspaceConfig) -> list[str]:
    """Return the files of the archive, oldest first."""
    folder = config.whose.place(FOLDER)
    names = names_in(config.root, folder)
    found = [(match[1], int(match[2] or 1), name) for name in names if (match := _MONTH.fullmatch(name))]
    return [f"{folder}/{name}" for _, _, name in sorted(found)]


def originals(lines: Iterable[str], path: str) -> Iterator[str]:
    """Yield the texts in archive lines of entries that were joined or condensed in a file."""
    begins = f"[from:: {path}#"
    for line in lines:
        if begins in line and f"[why:: {COMPACTED}]" in line:
            text = bare(line.strip())
            for field in reversed(read_entry(text).fields):
                if field.key in _ADDED:
                    text = text[: field.span.start].rstrip(" ") + text[field.span.end :]
            yield text


def _with(text: str, fields: Mapping[str, str]) -> str:
    """Return a text as one line with these fields, except those it already has or that cannot be written."""
    line = content(text, {}, EntryRule()).text
    present = {field.key for field in read_entry(line).fields}
    new = {key: value for key, value in fields.items() if key not in present}
    try:
        return with_fields(line, new)
    except UsageError:  # a heading with brackets cannot be the value of a field
        for key, value in new.items():
            with suppress(UsageError):
                line = with_fields(line, {key: value})
        return line


def archived(config: WorkspaceConfig, path: str) -> Iterator[str]:
    """Yield the entries of a file that were archived when it was condensed."""
    with Root(config.root) as root:
        for name in archives(config):
            with suppress(FileNotFoundError, UnreadableFileError):
                version = read(root.place(name), config.settings.lint.max_bytes)
                text = version.data.decode("utf-8", "replace") if version else ""
                yield from originals(text.splitlines(), path)


def no_longer_said(removed: Iterable[Entry], after: str) -> list[str]:
    """Return the texts of removed entries that the file no longer contains."""
    key = comparison_key(after)
    return [
        text for one in removed if (text := one.text.strip()) and comparison_key(one.parts.body.of(one.text)) not in key
    ]
