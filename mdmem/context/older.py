"""Blank the older entries of a long file before it is parsed: a part that shows the newest ones needs no others."""

from __future__ import annotations

from collections.abc import Callable

_BULLET = "- "


def blank_older(text: str, chars: int, is_kept: Callable[[str], bool]) -> tuple[str, tuple[int, ...]]:
    """Return the text with the lines of its older entries empty, and which lines (0-based) these are.

    About the last `chars` characters stay, and of what stands before them the headings, the comments and the rules.
    Line numbers do not change. A file that has anything else there, as prose or code, is returned as it is.

    Args:
        text: the file.
        chars: characters at its end that stay.
        is_kept: tells whether an entry is a rule.
    """
    cut = text.find(f"\n{_BULLET}", max(0, len(text) - chars))
    if len(text) <= chars or cut < 0 or "\r" in text:
        return text, ()
    lines = text[: cut + 1].split("\n")
    begin = _body(lines)
    blank: list[int] = []
    for number, line in enumerate(lines[begin:], begin):
        if line.startswith(_BULLET):
            if not is_kept(line[len(_BULLET) :]):
                blank.append(number)
                lines[number] = ""
        elif line.strip() and not (line.startswith("#") or _is_comment(line)):
            return text, ()
    return "\n".join(lines) + text[cut + 1 :], tuple(blank)


def _is_comment(line: str) -> bool:
    return line.startswith("<!--") and line.find("-->") == len(line.rstrip()) - 3


def _body(lines: list[str]) -> int:
    """Return the number of the first line behind the front matter."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), len(lines))
