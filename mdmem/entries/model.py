"""The result of a write: one sentence for the caller, and structured facts for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING, Literal, TypeAlias

from mdmem.text.document import Document
from mdmem.text.edit import Diagnostic

if TYPE_CHECKING:
    from mdmem.store.history.versions import Transaction

OutcomeStatus: TypeAlias = Literal["done", "unchanged", "waiting", "planned", "refused"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a write; a refused write raises an `MdmemError` instead."""

    status: OutcomeStatus  # waiting: in the inbox; planned: a dry run; refused: an answer of the keeper
    message: str  # one sentence in the workspace's language
    hint: str = ""  # what the caller should know or do next
    path: str = ""  # the changed file, POSIX from the root
    transaction: Transaction | None = None
    diff: str = ""  # unified, of all files touched
    diagnostics: tuple[Diagnostic, ...] = ()  # errors and warnings in the files touched


AfterChange: TypeAlias = Callable[[Outcome], Outcome]  # gets the outcome of a change, and returns it


def as_it_is(outcome: Outcome) -> Outcome:
    """Do nothing after a change."""
    return outcome


def diff(before: Mapping[str, Document | None], after: Mapping[str, Document | None]) -> str:
    """Return the unified diff of several files; a missing one is `/dev/null`, as in git."""
    pieces: list[str] = []
    for path in sorted(after):
        old, new = before.get(path), after[path]
        names = (f"a/{path}" if old else "/dev/null", f"b/{path}" if new else "/dev/null")
        pieces += unified_diff(_lines(old), _lines(new), *names, n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in pieces)


def _lines(document: Document | None) -> Sequence[str]:
    if document is None:
        return ()
    return [document.lines.text(line) + "\n" for line in range(len(document.lines))]
