"""The entries in an operation's content: one a line, with or without a bullet."""

from __future__ import annotations

from mdmem.core.pattern import pattern

_BULLET = pattern(r"(?:[-*+•][ \t\u3000]+|[-*+•](?=\[)|\d{1,2}[.)][ \t\u3000]+)")
_LINE_END = pattern(r"\r\n|\r|\n")


def lines_of(content: str) -> tuple[str, ...]:
    """Give the lines of a content without their bullets; blank ones are left out."""
    stripped = (line.strip() for line in _LINE_END.split(content))
    return tuple(said for line in stripped if (said := bare(line)))


def content_of(lines: tuple[str, ...]) -> str:
    """Write lines as an operation's content."""
    return "\n".join(f"- {line}" for line in lines)


def bare(line: str) -> str:
    """Give a line without its bullet."""
    match = _BULLET.match(line)
    return line[match.end() :].strip() if match else line
