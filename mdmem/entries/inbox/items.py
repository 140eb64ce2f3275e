"""Read the items that wait in the inbox, each with its target; a proposed change is a diff block below its entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mdmem.text.document import Document, Entry
from mdmem.text.entry import entry_key, read_entry


class Hunk(NamedTuple):
    """Lines of a file before and after a change, without their endings."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    lines: tuple[str, ...]  # in diff format


def hunk_of(rows: Sequence[str]) -> Hunk:
    """Return the hunk of rows in diff format."""
    old = tuple(row[1:] for row in rows if row[0] in " -")
    new = tuple(row[1:] for row in rows if row[0] in " +")
    return Hunk(old, new, tuple(rows))


def read_hunk(document: Document, entry: Entry) -> Hunk | None:
    """Parse the diff block below an entry; None if there is none."""
    fence = next((one for one in document.fences if entry.span.holds(one.span) and one.info == "diff"), None)
    if fence is None:
        return None
    indent = fence.span.start - document.lines.start(fence.line)
    indent += len(document.lines.text(fence.line)[indent:]) - len(document.lines.text(fence.line)[indent:].lstrip(" "))
    rows = [document.lines.text(line)[indent:] for line in range(fence.line + 1, fence.last_line + (not fence.closed))]
    return hunk_of([row or " " for row in rows])  # an editor may have trimmed an empty context line


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One waiting item."""

    key: str  # for accept and reject
    text: str  # the entry, or a sentence about the change
    to: str  # FILE or FILE#section
    by: str  # who proposes it; empty for an entry without room
    change: str  # the diff lines of a change that is not a new entry
    ticked: bool  # the checkbox is ticked: the user agrees

    @property
    def path(self) -> str:
        """Return the target file."""
        return self.to.partition("#")[0]

    @property
    def section(self) -> str:
        """Return the target section; empty if none was named."""
        return self.to.partition("#")[2]


def items(document: Document) -> Iterator[tuple[Entry, InboxItem]]:
    """Yield the waiting items: the outermost entries of the inbox that name a target."""
    for entry in document.entries:
        parts = entry.parts
        to, by = parts.field("to"), parts.field("by")
        if entry.depth or to is None:
            continue
        hunk = read_hunk(document, entry)
        mark = parts.checkbox if by else None  # the checkbox of an overflowing entry belongs to the entry
        text = bare_text(entry.text, mark.end if mark else 0)
        text = text.removesuffix(f"^{parts.id}").rstrip() if hunk else text
        change = "\n".join(hunk.lines) if hunk else ""
        key = parts.id or entry_key(entry.text)
        yield entry, InboxItem(key, text, to.value, by.value if by else "", change, bool(mark and parts.done))


def bare_text(text: str, start: int) -> str:
    """Return an entry's text without its target and proposer fields."""
    fields = [field.span for field in read_entry(text).fields if field.key in ("to", "by")]
    for span in reversed(fields):
        begin = len(text[: span.start].rstrip(" "))
        text = text[:begin] + text[span.end :]
    return text[start:].strip()
