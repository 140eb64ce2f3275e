"""The types of tools: their definitions, and their replies, JSON objects with the same keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mdmem.errors import MdmemError, RefusedError, TargetError
from mdmem.text.edit import Diagnostic

if TYPE_CHECKING:
    from mdmem.entries.model import Outcome


class ToolReply(NamedTuple):
    """A reply; empty values are left out of the JSON, except the first four."""

    status: Literal["done", "unchanged", "waiting", "planned", "refused", "findings", "error"]
    message: str  # one sentence
    hint: str = ""  # what to do next
    findings: tuple[Diagnostic, ...] = ()  # errors and warnings in the changed files
    path: str = ""  # from the root, POSIX
    text: str = ""  # the requested text, or the whole reply as the memory tool words it, for a model
    transaction: str = ""
    code: str = ""  # code of an error, as in `mdmem.errors`
    candidates: tuple[str, ...] = ()  # what may have been meant
    files: tuple[str, ...] = ()  # attachments that were found, from the root

    def as_dict(self) -> dict[str, Any]:
        """Return the reply as JSON values."""
        values = self._asdict() | {"findings": [_finding(one) for one in without_notes(self.findings)]}
        values["text"] = self.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        values["candidates"], values["files"] = list(self.candidates), list(self.files)
        required = ("status", "message", "hint", "findings")
        return {key: value for key, value in values.items() if value or key in required}


def reply_from_outcome(outcome: Outcome, message: str = "", *, text: str = "") -> ToolReply:
    """Return the reply about a change; `message` replaces the message of a change that was made."""
    shown = message if message and outcome.status == "done" else outcome.message
    ident = outcome.transaction.id if outcome.transaction else ""
    return ToolReply(outcome.status, shown, outcome.hint, outcome.diagnostics, outcome.path, text, ident)


def reply_from_error(error: MdmemError, message: str = "") -> ToolReply:
    """Return the reply about an error; `message` replaces its message."""
    candidates = error.candidates if isinstance(error, (TargetError, RefusedError)) else ()
    shown = message or (str(error) if error.line else error.message)  # a reply has no key for a line
    return ToolReply("error", shown, error.hint, path=error.path, code=error.code, candidates=candidates)


def without_notes(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the errors and warnings, without the notes."""
    return [one for one in findings if one.severity != "note"]


def _finding(finding: Diagnostic) -> dict[str, Any]:
    keys = ("path", "line", "column", "code", "name", "severity", "message", "hint")
    return {key: getattr(finding, key) for key in keys}


class Tool(NamedTuple):
    """A tool: its description for a model, the schema of its arguments, and an example of them."""

    name: str
    description: str
    schema: dict[str, Any]
    call: dict[str, Any]
    commands: tuple[str, ...] = ()  # commands that it replaces
    choices: tuple[tuple[str, str], ...] = ()  # property, and the `kind.field` whose choices it accepts
    effect: Literal["read", "add", "change"] = "change"  # what a call does at most
    always: bool = False  # a client that loads tools on demand shows it at once
    hidden: bool = False  # a former name: it works, and is not offered

    def as_dict(self) -> dict[str, Any]:
        """Return the definition with the keys of model APIs."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}
