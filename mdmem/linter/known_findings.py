"""Separates the findings of a change from those known before: in the last commit, or in a baseline file.

A finding is named by its rule, its file and a digest of its lines, so that it stays known where lines move. A finding
about a number, such as the entries of a section, is known as long as the number has not grown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mdmem.errors import ConfigError
from mdmem.linter.registry import ABOUT_FILE
from mdmem.store.files import digest
from mdmem.text.edit import Diagnostic
from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines


class FindingName(NamedTuple):
    """What names a finding wherever its lines stand."""

    rule: str
    path: str
    lines: str  # digest of the lines that it covers; empty for a finding about the file


Allowance: TypeAlias = Mapping[FindingName, int]  # how many equal findings are known, or up to which number

_HEAD = "# mdmem baseline: rule, number, digest of the lines, file"
_ROW = pattern(r"(MM\d{3}) (\d{1,18}) ([0-9a-f]+|-) (.+)")
_NO_LINES = "-"
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_UNESCAPE = pattern(r"\\([\\nr])")


def names_of(found: Sequence[Diagnostic], data: bytes, path: str = "") -> list[FindingName]:
    """Return the name of each finding in a file; `path` replaces the path of the findings."""
    lines = Lines(data.decode("utf-8", "surrogateescape"))
    return [FindingName(one.code, path or one.path, _digest(one, lines)) for one in found]


def _digest(one: Diagnostic, lines: Lines) -> str:
    if one.code in ABOUT_FILE:
        return ""
    last = min(one.end_line, len(lines))
    return digest("\n".join(lines.text(number).strip() for number in range(one.line - 1, last)))


def allowance(found: Iterable[tuple[Diagnostic, FindingName]]) -> dict[FindingName, int]:
    """Return what is known when these findings are."""
    counts: dict[FindingName, int] = {}
    for one, name in found:
        counts[name] = max(counts.get(name, 0), one.measure) if one.measure else counts.get(name, 0) + 1
    return counts


def are_known(found: Sequence[Diagnostic], names: Sequence[FindingName], known: Allowance) -> list[bool]:
    """Return of each finding whether it was known."""
    left = dict(known)
    answers: list[bool] = []
    for one, name in zip(found, names, strict=True):
        room = left.get(name, 0)
        answers.append(one.measure <= room if one.measure else room > 0)
        if not one.measure:
            left[name] = room - 1
    return answers


def write_baseline(known: Allowance) -> str:
    """Return the text of a baseline: a line for each finding name, in one order, so that a diff shows what changed."""
    rows = sorted((name.path, name.rule, name.lines or _NO_LINES, count) for name, count in known.items())
    lines = (f"{rule} {count} {lines} {_escaped(path)}" for path, rule, lines, count in rows)
    return "\n".join((_HEAD, *lines, ""))


def read_baseline(text: str, shown: str) -> dict[FindingName, int]:
    """Return what a baseline knows.

    Raises:
        ConfigError: a line has another form.
    """
    found: dict[FindingName, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise ConfigError(
                "a line of a baseline is `RULE NUMBER DIGEST FILE`",
                path=shown, line=number, hint="write it anew with `mdmem lint --write-baseline FILE`",
            )  # fmt: skip
        name = FindingName(row[1], _UNESCAPE.sub(_unescaped, row[4]), "" if row[3] == _NO_LINES else row[3])
        found[name] = found.get(name, 0) + int(row[2])
    return found


def _escaped(path: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in path)


def _unescaped(match: re.Match[str]) -> str:
    return {"n": "\n", "r": "\r"}.get(match[1], match[1])
