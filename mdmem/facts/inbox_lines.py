"""Builds the edits of the inbox: statements that wait, and corrections of lines that state what no longer holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.config.inbox_sections import PROPOSALS, REPLACES
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import EditNote
from mdmem.entries.inbox.corrections import OutdatedLine, add_corrections
from mdmem.entries.inbox.items import InboxItem, inbox_path, items
from mdmem.entries.inbox.proposals import InboxDraft
from mdmem.facts.edits import line_edits
from mdmem.facts.old_values import OldValue, ReplacedValue, stated_values
from mdmem.facts.read import fact_words
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.similarity import comparison_key


class WaitingFact(NamedTuple):
    """A statement that waits for the user."""

    line: str
    to: str  # where it belongs
    replaces: str  # the words of the line that it replaces or ends; empty if it does neither


def proposal_edits(
    commit: ChangeRequest, files: DraftFiles, waiting: Sequence[WaitingFact], outdated: Sequence[OutdatedLine],
    replaced: Sequence[ReplacedValue],
) -> Edits:  # fmt: skip
    """Return the edits that add proposals to the inbox; those that wait already are not added again.

    What the keeper proposed to remember goes where it states what no longer holds.
    """
    if not waiting and not outdated and not (replaced and commit.exists(inbox_path(commit.config))):
        return {}
    texts = (
        *(one.line for one in waiting),
        *(one.entry.text * 3 for one in outdated),
    )  # a diff holds two lines of each
    draft = InboxDraft(commit, files, texts)
    gone = {f"{one.path}#{one.key}" for value in replaced for one in value.lines}
    _note_outdated(commit, draft.path, outdated, add_corrections(commit, draft, outdated, gone))
    values = [value for _, value in stated_values(replaced, fact_words(commit.config))]
    if values:
        draft.drop(lambda inbox: [entry for entry, item in items(inbox) if _is_stale(item, values)])
    known = {comparison_key(item.text) for item in draft.waiting}
    for one in waiting:
        if comparison_key(one.line) not in known:
            replaces = {REPLACES: one.replaces} if one.replaces else {}
            draft.add([f"[ ] {one.line}"], PROPOSALS, {**replaces, "to": one.to, "by": commit.access.actor})
            known.add(comparison_key(one.line))
    return draft.edits(line_edits)


def _is_stale(item: InboxItem, values: Sequence[OldValue]) -> bool:
    """Return whether an item is a line that the keeper proposed, and states one of the values."""
    is_line = item.by == KEEPER and not item.change
    return is_line and any(value.is_stated(item.text) for value in values)


def _note_outdated(
    commit: ChangeRequest, inbox: str, outdated: Sequence[OutdatedLine], corrected: Sequence[OutdatedLine]
) -> None:
    """Note where other files still state what was replaced, and which of these lines have a correction that waits."""
    others = [one for one in outdated if one not in corrected]
    if corrected:
        commit.note(inbox, EditNote("old-corrected", {**_places(corrected), "inbox": inbox}))
    if others:
        commit.note(inbox, EditNote("old-elsewhere", _places(others)))


def _places(lines: Sequence[OutdatedLine]) -> dict[str, object]:
    return {"places": ", ".join(one.place for one in lines), "count": len(lines)}
