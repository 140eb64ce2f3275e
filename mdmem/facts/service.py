"""The namespace of facts: set, show, history and list; and the writer that other journeys call inside a change."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.entries.commit import ChangeRequest
from mdmem.facts.model import FactEdits, NewFact
from mdmem.store.transaction import DraftFiles


def write_facts(commit: ChangeRequest, files: DraftFiles, items: Sequence[NewFact]) -> FactEdits:
    """Return the edits that record statements, and what became of each; called inside a change of the pen."""
    raise NotImplementedError
