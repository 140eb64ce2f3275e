"""What a tool answers: one JSON object, the same keys whatever the tool was."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError, RefusedError, TargetError
from mdmem.messages.folders import FALLBACK, languages, templates_folder
from mdmem.store.files import read_bytes
from mdmem.text.edit import Diagnostic

if TYPE_CHECKING:
    from mdmem.entries.model import Outcome


class ToolReply(NamedTuple):
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


def reply_from_outcome(outcome: Outcome, message: str = "", *, text: str = "") -> ToolReply:
    """Give what became of a change, in a tool's own words where it was done."""
    said = message if message and outcome.status == "done" else outcome.message
    ident = outcome.transaction.id if outcome.transaction else ""
    return ToolReply(outcome.status, said, outcome.hint, outcome.diagnostics, outcome.path, text, ident)


def reply_from_error(error: MdmemError, message: str = "") -> ToolReply:
    """Give an error, in a tool's own words where it has some."""
    candidates = error.candidates if isinstance(error, (TargetError, RefusedError)) else ()
    said = message or error.message
    return ToolReply("error", said, error.hint, path=error.path, code=error.code, candidates=candidates)


def worth_acting(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Leave out the notes: an agent mends errors and warnings."""
    return [one for one in found if one.severity != "note"]


def _finding(one: Diagnostic) -> dict[str, Any]:
    keys = ("path", "line", "column", "code", "name", "severity", "message", "hint")
    return {key: getattr(one, key) for key in keys}


FILE = "tools.toml"
_OWN = (*languages(), "choices")  # keys of a property that are not JSON Schema's


class Tool(NamedTuple):
    """One tool: what a model is told of it, the schema of its arguments, and an example of them."""

    name: str
    description: str
    schema: dict[str, Any]
    call: dict[str, Any]
    commands: tuple[str, ...] = ()  # the verbs of the command line that it stands for
    choices: tuple[tuple[str, str], ...] = ()  # property, and the `kind.field` whose template lists its values

    def as_dict(self) -> dict[str, Any]:
        """Give the definition under the names that model APIs use."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}


@cache
def tools(lang: str) -> dict[str, Tool]:
    """Give every tool by its name, in the order of the file."""
    import tomllib

    given = tomllib.loads(read_bytes(os.path.join(templates_folder(), FILE), FILE).decode())
    return {name: _tool(name, values, lang) for name, values in given.items()}


def with_choices(tool: Tool, config: WorkspaceConfig) -> Tool:
    """Return a tool whose properties list the values that the templates of a workspace allow."""
    if not tool.choices:
        return tool
    properties = dict(tool.schema["properties"])
    for name, source in tool.choices:
        kind, _, field = source.partition(".")
        template = config.schemas.get(kind)
        rule = template.entries.fields.get(field) if template else None
        if rule and rule.choices:
            properties[name] = properties[name] | {"enum": list(rule.choices)}
    return tool._replace(schema=tool.schema | {"properties": properties})


def _tool(name: str, values: dict[str, Any], lang: str) -> Tool:
    properties: dict[str, dict[str, Any]] = values["properties"]
    schema = {
        "type": "object",
        "properties": {key: _spoken(one, lang) for key, one in properties.items()},
        "required": values["required"],
        "additionalProperties": False,
    }
    choices = tuple((key, one["choices"]) for key, one in properties.items() if "choices" in one)
    return Tool(
        name, values.get(lang) or values[FALLBACK], schema, values["call"], tuple(values.get("commands", ())), choices
    )


def _spoken(schema: dict[str, Any], lang: str) -> dict[str, Any]:
    """Put the description in one language, else in English, in place of those in several."""
    return {key: value for key, value in schema.items() if key not in _OWN} | {
        "description": schema.get(lang) or schema[FALLBACK]
    }
