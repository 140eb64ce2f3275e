"""The one Markdown parser: markdown-it-py's block tokens, refined to spans inside the lines they name.

The tokens carry line ranges only, and those of lists take in the blank lines behind them. Here the ranges are
trimmed and items get the columns of their markers. The inline parser never runs: it costs half the time, and no
span comes from it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mdmem.core.text import Lines, Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKER = re.compile(r"[ \t]*([-+*]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*")
_NONE = Span(0, 0)
_KINDS = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
    "table_open": "table",
    "list_item_open": "item",
}


class Block(NamedTuple):
    """One block of a document; of a list item also where its marker and its own text stand."""

    kind: str  # paragraph, heading, fence, code, html, rule, table, item
    span: Span  # whole lines, without the last line's ending; an item begins at its marker
    line: int
    last_line: int
    depth: int  # how many lists enclose it; an item of an outermost list has 0
    quoted: bool  # inside a block quote
    level: int = 0  # of a heading
    info: str = ""  # of a fence: its language; of an ordered item: its number
    marker: Span = _NONE
    text: Span = _NONE
    extra: int = 0  # of an item: blocks below its own paragraph that are no list
    closed: bool = True  # False for a fence that runs to the end of what it stands in


@cache
def _parser() -> MarkdownIt:
    """Build CommonMark with tables, block rules only; the import is here because it is a third of a start-up.

    A link definition is text like any other: `- [偏好]: 简洁` is a memory, and `[自我感知]: …` a section of old.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def read(text: str, lines: Lines, start: int) -> tuple[Block, ...]:
    """Read the blocks of a text that begins at an offset, behind byte order mark and front matter."""
    body = text[start:]
    if not body.strip():
        return ()
    first = lines.at(start)
    return tuple(_Reader(text, lines, first).read(_parser().parse(body)))


class _Reader:
    """Walks the tokens once; keeps the lists, quotes and items that enclose the current one."""

    def __init__(self, text: str, lines: Lines, first: int) -> None:
        self.text, self.lines, self.first = text, lines, first
        self.lists = self.quotes = 0
        self.open: list[int] = []  # indexes of the enclosing items
        self.cursor = (-1, 0)  # the line and offset behind the last marker: `- - x` has two on one line
        self.blocks: list[Block] = []

    def read(self, tokens: list[Token]) -> list[Block]:
        for token in tokens:
            kind = token.type
            if kind in _KINDS and token.map:
                self._add(_KINDS[kind], token, token.map)
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self.lists += 1
            elif kind in ("bullet_list_close", "ordered_list_close"):
                self.lists -= 1
            elif kind == "list_item_close":
                self.open.pop()
            elif kind == "blockquote_open":
                self.quotes += 1
                self._count_extra()
            elif kind == "blockquote_close":
                self.quotes -= 1
        return self.blocks

    def _add(self, kind: str, token: Token, where: list[int]) -> None:
        line, last = self.first + where[0], self.first + where[1] - 1
        while last > line and kind != "fence" and self.lines.is_blank(last):
            last -= 1
        span = Span(self.lines.span(line).start, self.lines.span(last).end)
        if kind == "item":
            self._item(token, line, last, span)
            return
        if self.open and kind == "paragraph" and self.blocks[self.open[-1]].text is _NONE:
            self._own_text(line, span)
        elif self.open:
            self._count_extra()
        self.blocks.append(
            Block(
                kind, span, line, last, self.lists, self.quotes > 0,
                level=int(token.tag[1]) if kind == "heading" else 0,
                info=token.info.strip() if kind == "fence" else "",
                closed=kind != "fence" or self._closed(token, last),
            )
        )  # fmt: skip

    def _item(self, token: Token, line: int, last: int, span: Span) -> None:
        begin = self.cursor[1] if self.cursor[0] == line else span.start
        found = None if self.quotes else _MARKER.match(self.text, begin, self.lines.span(line).end)
        marker = Span(*found.span(1)) if found else Span(span.start, span.start)
        behind = found.end() if found else span.start
        self.cursor = (line, behind)
        self.open.append(len(self.blocks))
        self.blocks.append(
            Block(
                "item", Span(marker.start, span.end), line, last, self.lists - 1, self.quotes > 0,
                info=token.info, marker=marker, text=_NONE,
            )
        )  # fmt: skip
        if found and behind >= self.lines.span(line).end:  # an empty item: no paragraph will come
            self.blocks[-1] = self.blocks[-1]._replace(text=Span(marker.end, marker.end))

    def _own_text(self, line: int, span: Span) -> None:
        item = self.blocks[self.open[-1]]
        begin = self.cursor[1] if self.cursor[0] == line else span.start
        own = Span(begin, len(self.text[begin : span.end].rstrip()) + begin)
        self.blocks[self.open[-1]] = item._replace(text=own)

    def _count_extra(self) -> None:
        if self.open:
            item = self.blocks[self.open[-1]]
            self.blocks[self.open[-1]] = item._replace(extra=item.extra + 1)

    def _closed(self, token: Token, last: int) -> bool:
        tail = self.lines.text(last).strip().lstrip("> \t")
        return set(tail) == {token.markup[0]} and len(tail) >= len(token.markup) and token.map != [last, last + 1]
