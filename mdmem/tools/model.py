"""The types of tools: their definitions, what they call, and their replies, JSON objects with the same keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from mdmem.errors import MdmemError, RefusedError, TargetError
from mdmem.text.edit import Diagnostic

if TYPE_CHECKING:
    from mdmem.artifacts.service import Artifacts
    from mdmem.attachments.service import Attachments
    from mdmem.config.workspace_config import WorkspaceConfig
    from mdmem.entries.forget.service import ForgetResult
    from mdmem.entries.inbox_service import Inbox
    from mdmem.entries.model import Outcome
    from mdmem.entries.read import FileText
    from mdmem.facts.service import Facts
    from mdmem.history.service import History
    from mdmem.linter.sources import LintReport
    from mdmem.pins.service import Pins
    from mdmem.plan.service import Plan
    from mdmem.search.index.service import Index
    from mdmem.search.service import SearchHit


class ToolHost(Protocol):
    """What tools call: the part of `Workspace` that they need."""

    @property
    def config(self) -> WorkspaceConfig: ...
    @property
    def lang(self) -> str: ...
    @property
    def artifacts(self) -> Artifacts: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def pins(self) -> Pins: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def history(self) -> History: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def index(self) -> Index: ...

    def lint(self, paths: Sequence[str] = (), /) -> LintReport: ...
    def read(self, path: str, /) -> FileText: ...
    def add(
        self,
        path: str,
        texts: Sequence[str],
        /,
        *,
        section: str | None = None,
        fields: Mapping[str, str] | None = None,
        important: bool = False,
        actor: str,
        reason: str,
    ) -> Outcome: ...
    def remember(
        self, text: str, /, *, kind: str | None = None, important: bool = False, actor: str, reason: str
    ) -> Outcome: ...
    def attach(
        self, source: str, /, *, description: str = "", transcription: str = "", text: str = "",
        direction: str = "inbound", session: str = "", tags: Sequence[str] = (), actor: str, reason: str,
    ) -> Outcome: ...  # fmt: skip
    def edit(
        self,
        path: str,
        old: str,
        new: str,
        /,
        *,
        confirm: bool | int = False,
        actor: str,
        reason: str,
    ) -> Outcome: ...
    def write(
        self,
        path: str,
        content: str,
        /,
        *,
        expect: str | None = None,
        confirm: bool | int = False,
        actor: str,
        reason: str,
    ) -> Outcome: ...
    def replace(self, path: str, entry: str, text: str, /, *, actor: str, reason: str) -> Outcome: ...
    def replace_section(
        self, path: str, section: str, content: str, /, *, confirm: bool | int = False, actor: str, reason: str
    ) -> Outcome: ...
    def remove(self, path: str, entries: Sequence[str], /, *, actor: str, reason: str) -> Outcome: ...
    def tick(self, path: str, entry: str, /, *, done: bool = True, actor: str, reason: str) -> Outcome: ...
    def rename(self, path: str, new: str, /, *, actor: str, reason: str) -> Outcome: ...
    def delete(self, path: str, /, *, actor: str, reason: str) -> Outcome: ...
    def forget(self, words: str, /, *, dry_run: bool = False, actor: str) -> ForgetResult: ...
    def search(
        self, q: str, limit: int | None = None, /, *, since: str | None = None, until: str | None = None
    ) -> tuple[SearchHit, ...]: ...


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

    def as_dict(self) -> dict[str, Any]:
        """Return the reply as JSON values."""
        values = self._asdict() | {"findings": [_finding(one) for one in without_notes(self.findings)]}
        values["text"] = self.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        values["candidates"] = list(self.candidates)
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
