"""What a tool answers: one JSON object, the same keys whatever the tool was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.record import NamedTuple
from mdmem.errors import MdmemError, RefusedError, TargetError

if TYPE_CHECKING:
    from mdmem.workspace.outcome import Outcome


class Reply(NamedTuple):
    """One answer; what is empty is left out of the JSON, save the first four."""

    status: str  # done, unchanged, waiting, planned, findings, error
    message: str  # one sentence
    hint: str = ""  # what to do next
    findings: tuple[Diagnostic, ...] = ()  # what now stands in the files touched, errors and warnings
    path: str = ""  # from the root, POSIX
    text: str = ""  # what was asked for, or the whole reply in the memory tool's wording: give this to a model if there
    transaction: str = ""
    code: str = ""  # of an error, as in `mdmem.errors`
    candidates: tuple[str, ...] = ()  # what may have been meant

    def as_dict(self) -> dict[str, Any]:
        """Give the reply as JSON's types."""
        values = self._asdict() | {"findings": [_finding(one) for one in worth_acting(self.findings)]}
        values["text"] = self.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        values["candidates"] = list(self.candidates)
        kept = ("status", "message", "hint", "findings")
        return {key: value for key, value in values.items() if value or key in kept}


def of(outcome: Outcome, message: str = "", *, text: str = "") -> Reply:
    """Give what became of a change, in a tool's own words where it was done."""
    said = message if message and outcome.status == "done" else outcome.message
    ident = outcome.transaction.id if outcome.transaction else ""
    return Reply(outcome.status, said, outcome.hint, outcome.diagnostics, outcome.path, text, ident)


def failed(error: MdmemError, message: str = "") -> Reply:
    """Give an error, in a tool's own words where it has some."""
    candidates = error.candidates if isinstance(error, (TargetError, RefusedError)) else ()
    said = message or error.message
    return Reply("error", said, error.hint, path=error.path, code=error.code, candidates=candidates)


def worth_acting(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Leave out the notes: an agent mends errors and warnings."""
    return [one for one in found if one.severity != "note"]


def _finding(one: Diagnostic) -> dict[str, Any]:
    keys = ("path", "line", "column", "code", "name", "severity", "message", "hint")
    return {key: getattr(one, key) for key in keys}
