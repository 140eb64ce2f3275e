"""Reads the definitions of the tools from `templates/tools.toml`."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.messages.folders import FALLBACK, languages, templates_folder
from mdmem.store.files import read_bytes
from mdmem.tools.model import Tool

FILE = "tools.toml"
_OWN = (*languages(), "choices")  # keys of a property that are not JSON Schema's


@cache
def tools(lang: str) -> dict[str, Tool]:
    """Return every tool by its name, in the order of the file."""
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
    said = values.get(lang) or values[FALLBACK]
    return Tool(name, said, schema, values["call"], tuple(values.get("commands", ())), choices)


def _spoken(schema: dict[str, Any], lang: str) -> dict[str, Any]:
    """Put the description in one language, else in English, in place of those in several."""
    kept = {key: value for key, value in schema.items() if key not in _OWN}
    return kept | {"description": schema.get(lang) or schema[FALLBACK]}
