"""Unified diffs on a terminal: all of one, or its few changed lines."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.record import NamedTuple
from mdmem.doors.terminal import Paint, safe

_STYLES = {"+": "fix", "-": "error", "@": "note"}
_MOST = 12  # changed lines below a message; `mdmem diff` shows all


class Line(NamedTuple):
    """One line that was added or taken out."""

    path: str
    sign: str
    text: str
    new: bool  # its file was not there before


def full(diff: str, paint: Paint) -> str:
    """Colour a diff; what is piped stays a patch."""
    return "".join(f"{_whole(line, paint)}\n" for line in diff.splitlines()) if paint.on else diff


def _whole(line: str, paint: Paint) -> str:
    style = "bold" if line.startswith(("+++ ", "--- ")) else _STYLES.get(line[:1], "")
    return paint(style, safe(line)) if style else safe(line)


def short(diff: str, path: str, paint: Paint, more: str) -> list[str]:
    """Give the changed lines of one file, of a new one its entries alone; `more` words how many are left out."""
    changed = [one for one in read(diff) if one.path == path and one.text.strip()]
    changed = [one for one in changed if not one.new or one.text.startswith("- ")]
    lines = [paint(_STYLES[one.sign], f"  {one.sign} {safe(one.text.removeprefix('- '))}") for one in changed[:_MOST]]
    left = len(changed) - len(lines)
    return [*lines, paint("dim", f"  {more.format(count=left)}")] if left else lines


def count(diff: str) -> tuple[int, int]:
    """Count the lines added and taken out."""
    signs = [one.sign for one in read(diff)]
    return signs.count("+"), signs.count("-")


def read(diff: str) -> Iterator[Line]:
    """Give the changed lines of a diff as mdmem writes it: a hunk's header says how many lines belong to it."""
    path, new, old_left, new_left = "", False, 0, 0
    for line in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            old_left -= line[:1] in ("-", " ")
            new_left -= line[:1] in ("+", " ")
            if line[:1] in ("+", "-"):
                yield Line(path, line[0], line[1:], new)
        elif line.startswith("--- "):
            path, new = line[6:], line == "--- /dev/null"
        elif line.startswith("+++ b/"):
            path = line[6:]
        elif line.startswith("@@ "):
            old_left, new_left = (_length(part) for part in line.split(" ")[1:3])


def _length(part: str) -> int:
    """Read the number of lines in `-3,4` or `+3`."""
    _, comma, number = part.partition(",")
    return int(number) if comma else 1
