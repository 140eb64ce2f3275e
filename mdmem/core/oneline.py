"""How several lines become one, without losing a word: nothing between Chinese or Japanese, a space elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.edit import Edit
from mdmem.core.pattern import pattern
from mdmem.core.text import LINE_END, Span

BREAK = pattern(r"(?<![ \t])[ \t]*(\r\n|\r|\n)[ \t]*")


def join(text: str, span: Span) -> Iterator[Edit]:
    """Join the lines of a span into one."""
    for match in BREAK.finditer(text, span.start, span.end):
        yield Edit(Span(*match.span()), joint_at(text, *match.span()))


def one_line(text: str) -> str:
    """Give a text as one line, blank lines and the white space at both ends of each line left out."""
    pieces: list[str] = []
    for line in filter(None, map(str.strip, LINE_END.split(text))):
        pieces += (joint(pieces[-1][-1], line[0]), line) if pieces else (line,)
    return "".join(pieces)


def joint_at(text: str, start: int, end: int) -> str:
    """Choose what joins two lines by the characters around the break between two offsets."""
    return joint(text[start - 1 : start], text[end : end + 1])


def joint(before: str, after: str) -> str:
    """Choose what joins two lines by the characters at their ends."""
    return "" if _spaceless(before) and _spaceless(after) else " "


def _spaceless(char: str) -> bool:
    return "\u2e80" <= char < "\uac00" or "\uf900" <= char < "\ufb00" or "\uff00" <= char < "\uffa0"
