"""Propose corrections in the inbox: changes of lines that state what no longer holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from mdmem.config.inbox_sections import FACT, SINCE
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import remove, replace
from mdmem.entries.inbox.proposals import InboxDraft, add_proposal, hunks
from mdmem.entries.inbox.waiting_corrections import read_corrections
from mdmem.errors import RefusedError, UsageError, VerificationError
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.text.document import Document, Entry
from mdmem.text.edit import apply_edits
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key


class OutdatedLine(NamedTuple):
    """A line that states what no longer holds."""

    path: str
    document: Document
    entry: Entry
    now: str  # what holds instead; empty if nothing took its place
    fact: str  # FILE#ID of the line that says so
    since: str  # ISO day

    @property
    def place(self) -> str:
        """Where it stands, as `path:line`."""
        return f"{self.path}:{self.entry.line + 1}"


def add_corrections(
    commit: ChangeRequest, draft: InboxDraft, lines: Sequence[OutdatedLine], replaced: Collection[str]
) -> list[OutdatedLine]:
    """Add proposals to correct some lines to the inbox; return the lines of which there is one.

    Proposals that name a line which was `replaced`, as FILE#ID, go: they say what no longer holds. A line with a
    secret, or one that the pen would refuse, is not copied.
    """
    again = {(one.path, comparison_key(one.entry.text)) for one in lines}
    draft.drop(
        lambda inbox: [entry for entry, key, one in read_corrections(inbox) if one.fact in replaced or key in again]
    )
    return [line for line in lines if _is_added(commit, draft, line)]


def _is_added(commit: ChangeRequest, draft: InboxDraft, line: OutdatedLine) -> bool:
    """Add the proposal to correct a line, and return True if there is one."""
    before = line.document.text
    try:
        document, entry = line.document, line.entry
        plan = replace(document, entry, _corrected(line)) if line.now else remove(document, [entry])
        commit.gate.examine(line.path, line.document, plan.edits)
        found = hunks(before, apply_edits(before, plan.edits))
        if len(found) != 1 or any(mask(row) != row for row in found[0].lines):
            return False
        sentence = say(commit.lang, "correction.proposal", path=line.path, day=commit.config.day)
        add_proposal(commit, draft, line.path, found[0], sentence, {FACT: line.fact, SINCE: line.since})
    except (RefusedError, UsageError, VerificationError):
        return False
    return True


def _corrected(line: OutdatedLine) -> str:
    """Return the text of an entry with what holds now, from the day on which it does."""
    text, parts = line.entry.text, line.entry.parts
    text = f"{text[: parts.body.start]}{line.now}{text[parts.body.end :]}"
    date = read_entry(text).date
    return f"{text[: date.span.start]}{line.since}{text[date.span.end :]}" if parts.date and date else text
