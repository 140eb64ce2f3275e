"""The tools as JSON schemas, read from `templates/tools.toml`, each description in the language asked for."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from mdmem.core.record import NamedTuple
from mdmem.store.bundled import templates_folder
from mdmem.store.files import read_bytes

FILE = "tools.toml"


class Tool(NamedTuple):
    """One tool: what a model is told of it, the schema of its arguments, and an example of them."""

    name: str
    description: str
    schema: dict[str, Any]
    call: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Give the definition under the names that model APIs use."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}


@cache
def tools(lang: str) -> dict[str, Tool]:
    """Give every tool by its name, in the order of the file; `lang` is zh or en."""
    import tomllib

    given = tomllib.loads(read_bytes(os.path.join(templates_folder(), FILE), FILE).decode())
    return {name: _tool(name, values, lang) for name, values in given.items()}


def _tool(name: str, values: dict[str, Any], lang: str) -> Tool:
    schema = {
        "type": "object",
        "properties": {key: _spoken(one, lang) for key, one in values["properties"].items()},
        "required": values["required"],
        "additionalProperties": False,
    }
    return Tool(name, values[lang], schema, values["call"])


def _spoken(schema: dict[str, Any], lang: str) -> dict[str, Any]:
    """Put the description in one language in place of the two."""
    bare = {key: value for key, value in schema.items() if key not in ("zh", "en")}
    return bare | {"description": schema[lang]}
