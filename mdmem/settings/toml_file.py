"""Parses TOML files of settings; an error names file, line and column."""

from __future__ import annotations

import re
from typing import Any

from mdmem.errors import ConfigError


def parse_toml(data: bytes, path: str) -> dict[str, Any]:
    """Parse TOML; raises ConfigError with the line."""
    import tomllib  # takes a fifth of a start-up; a lint answered from the cache does not need it

    try:
        return tomllib.loads(data.decode("utf-8", "replace"))
    except ValueError as error:  # broken, or a number with too many digits
        place = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error), re.DOTALL)
        reason, line, column = place.groups() if place else (str(error), data.count(b"\n") + 1, 1)
        raise ConfigError(
            "not valid TOML at column {column}: {reason}", path=path, line=int(line),
            facts={"column": column, "reason": reason},
        ) from error  # fmt: skip
    except RecursionError as error:
        raise ConfigError(
            "the values are nested too deeply", path=path, hint="no setting needs more than one list"
        ) from error


def line_of(text: str, key: str, table: str = "") -> int:
    """Return the 1-based line of a key, if possible below the heading of its table; tomllib does not report it."""
    heading = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", text, re.MULTILINE) if table else None
    begin = heading.end() if heading else 0
    pattern = re.compile(rf"^[ \t]*(?:\[[ \t]*)?[\"']?{re.escape(key)}[\"']?[ \t]*[=\].]", re.MULTILINE)
    found = pattern.search(text, begin) or pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1
