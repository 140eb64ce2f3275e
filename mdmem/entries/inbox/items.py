"""Read the items that wait in the inbox, each with its target; a proposed change is a diff block below its entry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mdmem.config.inbox_sections import INBOX, REPLACES
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.read import live_bytes
from mdmem.errors import MemoryOffError, TargetError
from mdmem.formats.template import Template
from mdmem.store.files import file_size
from mdmem.text.document import Document, Entry, parse
from mdmem.text.entry import entry_key, read_entry

FORGET = "forget"  # the field with the text that shall be forgotten
_PARTS = range(2, 10)  # numbers of the full files: `inbox-2.md`


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
    replaces: str = ""  # the words of the line that a waiting fact replaces or ends

    @property
    def path(self) -> str:
        """Return the target file."""
        return self.to.partition("#")[0]

    @property
    def is_end(self) -> bool:
        """Return whether the line that it is about ends, and nothing takes its place."""
        return read_entry(self.text).field("ends") is not None

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
        replaces = parts.field(REPLACES) if by else None
        yield entry, InboxItem(
            key, text, to.value, by.value if by else "", change, bool(mark and parts.done),
            replaces.value if replaces else "",
        )  # fmt: skip


def bare_text(text: str, start: int) -> str:
    """Return an entry's text without its target and proposer fields, and what is told of the line that it replaces."""
    parts = read_entry(text)
    own = ("to", "by", REPLACES) if parts.field("by") else ("to",)
    fields = [field.span for field in parts.fields if field.key in own]
    for span in reversed(fields):
        begin = len(text[: span.start].rstrip(" "))
        text = text[:begin] + text[span.end :]
    return text[start:].strip()


def inbox_path(config: WorkspaceConfig) -> str:
    """Return the path of the file of the inbox that is written now: its first one that is not too large to be read."""
    names = list(_names(config))
    return next((path for path in names if not _is_too_large(config, path)), names[0])


def inbox_files(config: WorkspaceConfig) -> list[str]:
    """Return the files of the inbox: the one that is written now, then the full ones, oldest first."""
    now = inbox_path(config)
    others = (path for path in full_files(config) if os.path.lexists(os.path.join(config.root, path)))
    return [now, *(path for path in others if path != now)]


def full_files(config: WorkspaceConfig) -> Iterator[str]:
    """Yield the names that full files of the inbox may have, oldest first, without those that are too large."""
    _, *others = _names(config)
    return (path for path in others if not _is_too_large(config, path))


def unread_files(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the files of the inbox that are too large to be read, as when something else has filled them."""
    return tuple(path for path in _names(config) if _is_too_large(config, path))


def _names(config: WorkspaceConfig) -> Iterator[str]:
    first = inbox_template(config).files[0]
    yield first
    yield from (f"{first.removesuffix('.md')}-{number}.md" for number in _PARTS)


def _is_too_large(config: WorkspaceConfig, path: str) -> bool:
    return file_size(config.root, path) > config.most_bytes(path)


def inbox_template(config: WorkspaceConfig) -> Template:
    """Return the template of the inbox; raises ConfigError if there is none."""
    return config.schemas.required(INBOX, "full sections and proposals need one")


def waiting_items(config: WorkspaceConfig) -> list[tuple[Entry, InboxItem]]:
    """Return the entries of the inbox with their items, those that may be read while memory is switched off.

    Raises:
        MemoryOffError: memory is switched off, and all items are memory.
    """
    access = AccessPolicy(config, "user")
    most = config.settings.lint.max_bytes
    contents = [live_bytes(config, path, most) for path in inbox_files(config)]
    found = [pair for data in contents if data is not None for pair in items(parse(data))]
    if config.settings.memory.enabled:
        return found
    open_to_all = [pair for pair in found if access.is_open(pair[1].path)]
    if not open_to_all:
        access.stop(MemoryOffError, "pen.off")
    return open_to_all


def named_items(config: WorkspaceConfig, keys: Sequence[str], actor: str) -> list[InboxItem]:
    """Return the items of these keys, before anything is done.

    Raises:
        TargetError: no item has this key.
    """
    waiting = [item for _, item in waiting_items(config)]
    found = []
    for key in keys:
        fits = [item for item in waiting if item.key.startswith(key.removeprefix("^"))] if key.strip("^") else []
        if len(fits) != 1:
            AccessPolicy(config, actor).stop(TargetError, "pen.no-waiting", name=key)
        found += fits
    return list(dict.fromkeys(found))
