"""Parses TOML files of settings; an error names file, line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from mdmem.errors import ConfigError
from mdmem.text.pattern import pattern

MOST_BYTES = 1_000_000  # of a settings file
_MOST_DOTS = 32  # of one key; tomllib takes the square of their number, and settings have two
_PART = r"(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')"
_DOTTED = pattern(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_MOST_DOTS}}}")

_TABLE = pattern(r"[ \t]*+\[[ \t]*+([^\]\n]*?)[ \t]*\]")
_KEY = pattern(r"[ \t]*+(?:\[[ \t]*+)?(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|([\w-]++))[ \t]*+[=\].]")

# How the reasons of tomllib begin, and what was expected instead.
_EXPECTED = {
    "Illegal character '\\n'": "the quotation mark that ends a text is missing",
    "Unterminated string": "the quotation mark that ends a text is missing",
    'Expected "\'"': "the quotation mark that ends a text is missing",
    "Expected '\"": "the quotation mark that ends a text is missing",
    "Expected '='": "a setting is written `key = value`",
    "Invalid statement": "a setting is written `key = value`",
    "Invalid initial character for a key": "a setting is written `key = value`",
    "Invalid value": "a value is a text in quotation marks, a number, true, false, or a list in brackets",
    "Unclosed array": "the bracket that ends a list is missing",
    "Expected ']'": "the bracket that ends the name of a table is missing",
    "Expected newline": "a line holds one setting only; something follows its value",
    "Cannot overwrite": "this table or setting is there twice",
    "Cannot declare": "this table or setting is there twice",
    "Unescaped '\\'": "a backslash in a text is written twice",
}


def parse_toml(data: bytes, path: str) -> dict[str, Any]:
    """Parse TOML; raises ConfigError with the line, also of a key with so many dots that reading it takes long."""
    import tomllib  # takes a fifth of a start-up; a lint answered from the cache does not need it

    text = data.decode("utf-8", "replace")
    if data.count(b".") >= _MOST_DOTS and (dotted := _DOTTED.search(text)):
        raise _too_deep(path, text.count("\n", 0, dotted.start()) + 1)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # broken, or a number with too many digits
        place = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
        raw, line, column = place.groups() if place else (str(error), None, None)
        if line is None:  # the end of the file, or a number of many digits
            lines = data.decode("utf-8", "replace").split("\n")
            line, column = len(lines), len(lines[-1]) + 1
        reason = next((said for begin, said in _EXPECTED.items() if raw.startswith(begin)), raw)
        raise ConfigError(
            "not valid TOML at column {column}: {reason}", path=path, line=int(line),
            facts={"column": column, "reason": reason},
        ) from error  # fmt: skip
    except RecursionError as error:
        raise _too_deep(path) from error


def _too_deep(path: str, line: int = 0) -> ConfigError:
    return ConfigError(
        "the values are nested too deeply", path=path, line=line, hint="no setting needs more than one list"
    )


class KeyLines:
    """The lines of all keys of a file, found in one pass; tomllib does not report them."""

    def __init__(self, text: str) -> None:
        """Read a text."""
        self._tables: dict[str, int] = {}
        self._keys: dict[str, list[int]] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if heading := _TABLE.match(line):
                self._tables.setdefault(heading[1], number)
            if key := _KEY.match(line):
                self._keys.setdefault(key[1] or key[2] or key[3] or "", []).append(number)

    def line(self, key: str, table: str) -> int:
        """Return the 1-based line of a key, if possible below the heading of its table; 1 if it is not found."""
        lines = self._keys.get(key, [1])
        at = bisect_right(lines, self._tables.get(table, 0))
        return lines[at] if at < len(lines) else lines[0]


def line_of(text: str, key: str, table: str = "") -> int:
    """Return the 1-based line of one key, if possible below the heading of its table."""
    return KeyLines(text).line(key, table)
