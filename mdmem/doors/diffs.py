"""Unified diffs on a terminal: all of one, or its few changed lines."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.doors.terminal import Paint, safe

_STYLES = {"+": "fix", "-": "error", "@": "note"}
_MOST = 12  # changed lines below a message; `mdmem diff` shows all


def full(diff: str, paint: Paint) -> str:
    """Colour a diff; what is piped stays a patch."""
    return "".join(f"{_whole(line, paint)}\n" for line in diff.splitlines()) if paint.on else diff


def _whole(line: str, paint: Paint) -> str:
    style = "bold" if line.startswith(("+++ ", "--- ")) else _STYLES.get(line[:1], "")
    return paint(style, safe(line)) if style else safe(line)


def short(diff: str, paint: Paint, more: str) -> list[str]:
    """Give the changed lines alone; `more` words how many are left out."""
    changed = list(_changed(diff))
    lines = [
        paint(_STYLES[line[0]], f"  {line[0]} {safe(line[1:].removeprefix('- '))}".rstrip()) for line in changed[:_MOST]
    ]
    left = len(changed) - len(lines)
    return [*lines, paint("dim", f"  {more.format(count=left)}")] if left else lines


def count(diff: str) -> tuple[int, int]:
    """Count the lines added and removed."""
    changed = [line[0] for line in _changed(diff)]
    return changed.count("+"), changed.count("-")


def _changed(diff: str) -> Iterator[str]:
    """Give the added and removed lines; a header is none, though it begins as one."""
    before = ""
    for line in diff.splitlines():
        header = line.startswith("--- ") or (line.startswith("+++ ") and before.startswith("--- "))
        if line[:1] in ("+", "-") and not header:
            yield line
        before = line
