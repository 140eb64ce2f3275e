"""Reads the definitions of the tools from `templates/tools.toml`."""

# `tomllib` is imported only if the definitions are read.
from __future__ import annotations

import os
from functools import cache
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.messages.folders import FALLBACK, languages, templates_folder
from mdmem.store.files import read_bytes
from mdmem.tools.model import Tool

FILE = "tools.toml"
_OWN = (*languages(), "choices")  # keys of a property that do not belong to JSON Schema


@cache
def tools(lang: str) -> dict[str, Tool]:
    """Return the tools by name, in the order of the file."""
    import tomllib

    definitions = tomllib.loads(read_bytes(os.path.join(templates_folder(), FILE), FILE).decode())
    return {name: _tool(name, values, lang) for name, values in definitions.items()}


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
        "properties": {key: _in_language(one, lang) for key, one in properties.items()},
        "required": values["required"],
        "additionalProperties": False,
    }
    choices = tuple((key, one["choices"]) for key, one in properties.items() if "choices" in one)
    description = values.get(lang) or values[FALLBACK]
    always, hidden = values.get("always", False), values.get("hidden", False)
    return Tool(
        name,
        description,
        schema,
        values["call"],
        tuple(values.get("commands", ())),
        choices,
        values["effect"],
        always,
        hidden,
    )


def _in_language(schema: dict[str, Any], lang: str) -> dict[str, Any]:
    """Return a schema with the description in one language, or in English."""
    common = {key: value for key, value in schema.items() if key not in _OWN}
    return common | {"description": schema.get(lang) or schema[FALLBACK]}
