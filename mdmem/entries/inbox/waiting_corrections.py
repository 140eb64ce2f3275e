"""Read the corrections that wait in the inbox: proposals to change a line which states what no longer holds.

A person's line stays as it is until the person decides. Until then, whoever reads it is told what holds now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from mdmem.config.inbox_sections import FACT, INBOX, SINCE
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.inbox.items import inbox_files, items
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.text.document import Document, Entry, parse
from mdmem.text.entry import statement
from mdmem.text.inline import one_line
from mdmem.text.similarity import comparison_key


class Correction(NamedTuple):
    """What a waiting proposal says of a line."""

    now: str  # what holds instead; empty if nothing took its place
    fact: str  # FILE#ID of the line that says so
    since: str  # ISO day

    def note(self, lang: str) -> str:
        """Return what a reader of the line is told."""
        return say(lang, "correction.now" if self.now else "correction.ended", text=mask(self.now), day=self.since)


class WaitingCorrections:
    """The corrections that wait in the inbox of a workspace, by the line that they are about."""

    def __init__(self, found: Mapping[tuple[str, str], Correction]) -> None:
        self._found = found

    def __bool__(self) -> bool:
        return bool(self._found)

    def of(self, path: str, text: str) -> Correction | None:
        """Return what is said of an entry with this text; None if nothing waits."""
        return self._found.get((path, comparison_key(text))) if self._found else None

    def told(self, lang: str) -> Callable[[str, str], str]:
        """Return what tells a reader of an entry that it no longer holds: path and text give a note, or nothing."""

        def note(path: str, text: str) -> str:
            found = self.of(path, text)
            return found.note(lang) if found else ""

        return note


def waiting_corrections(config: WorkspaceConfig) -> WaitingCorrections:
    """Read the corrections in the inbox; of an inbox that cannot be read there are none."""
    found: dict[tuple[str, str], Correction] = {}
    for path in inbox_files(config) if config.schemas.get(INBOX) else ():
        with suppress(MdmemError):
            data = live_bytes(config, path)
            if data and f"[{FACT}::".encode() in data:
                found |= {key: one for _, key, one in read_corrections(parse(data))}
    return WaitingCorrections(found)


def read_corrections(inbox: Document) -> Iterator[tuple[Entry, tuple[str, str], Correction]]:
    """Yield the corrections of an inbox: the item, the line that it is about, and what it says."""
    for entry, item in items(inbox):
        fact, since = (entry.parts.field(key) for key in (FACT, SINCE))
        if not (fact and since and item.change):
            continue
        rows = item.change.split("\n")
        old, new = (_entry_of([row[1:] for row in rows if row.startswith(sign)]) for sign in "-+")
        if old is not None:
            now = one_line(statement(new.text, new.parts)) if new else ""
            yield entry, (item.path, comparison_key(old.text)), Correction(now, fact.value, since.value)


def _entry_of(rows: list[str]) -> Entry | None:
    """Return the first entry in some lines of a file."""
    indent = len(rows[0]) - len(rows[0].lstrip()) if rows else 0
    document = parse("\n".join(row[indent:] for row in rows).encode("utf-8", "surrogateescape"))
    return next(iter(document.entries), None)
