"""Parses Markdown into blocks: the block tokens of markdown-it-py, refined to spans.

The tokens have line ranges only, and those of lists include trailing blank lines. Here the ranges are trimmed, and
items get the columns of their markers.
"""

# The parser is imported with the first text that is parsed: a hook often parses none.
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKER = pattern(r"[ \t]*([-+*]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*")
_FENCE_END = pattern(r"[> \t]*(`{3,}|~{3,})[ \t]*\Z")
_NONE = Span(0, 0)
_KINDS = {
    "paragraph_open": "paragraph",
    "definition": "paragraph",
    "heading_open": "heading",
    "fence": "fence",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
    "table_open": "table",
}


class Block(NamedTuple):
    """One block of a document; for a list item, also the spans of its marker and its own text."""

    kind: str  # paragraph, heading, fence, code, html, rule, table, item
    span: Span  # whole lines, without the last line's ending; an item begins at its marker
    line: int
    last_line: int
    depth: int  # how many lists enclose it; an item of an outermost list has 0
    quoted: bool  # inside a block quote
    level: int = 0  # of a heading
    info: str = ""  # of a fence: its language; of an ordered item: its number
    marker: Span = _NONE
    text: Span = _NONE  # of an item: its first paragraph; empty, after the marker, if there is none
    extra: int = 0  # of an item: blocks below its own paragraph that are no list
    closed: bool = True  # False for a fence that runs to the end of its container


_PENDING = Block("item", _NONE, 0, 0, 0, quoted=False)


def read(text: str, lines: Lines, start: int) -> tuple[Block, ...]:
    """Read the blocks of a text that begins at an offset, behind byte order mark and front matter."""
    from mdmem.text.markdown_parser import parser

    return tuple(_BlockReader(text, lines, start).read(parser().parse(text[start:])))


class _Item:
    """A list item whose end was not read yet."""

    __slots__ = ("behind", "extra", "index", "info", "last", "line", "marker", "quotes", "text")

    def __init__(self, index: int, line: int, last: int, info: str, quotes: int) -> None:
        self.index, self.line, self.last, self.info, self.quotes = index, line, last, info, quotes
        self.extra = 0
        self.marker, self.behind = _NONE, 0
        self.text: Span | None = None


class _BlockReader:
    """Reads the tokens once and tracks the lists, quotes and items that enclose the current one."""

    def __init__(self, text: str, lines: Lines, start: int) -> None:
        self.text, self.lines, self.start = text, lines, start
        self.first = lines.at(start)
        self.lists = self.quotes = 0
        self.open: list[_Item] = []
        self.cursor = (-1, 0)  # the line and offset after the last marker: `- - x` has two on one line
        self.blocks: list[Block] = []

    def read(self, tokens: list[Token]) -> list[Block]:
        for token in tokens:
            kind = token.type
            if kind in _KINDS:
                self._leaf(_KINDS[kind], token)
            elif kind == "list_item_open":
                self._open_item(token)
            elif kind == "list_item_close":
                self._close_item(self.open.pop())
            elif kind in ("bullet_list_open", "ordered_list_open"):
                self.lists += 1
            elif kind in ("bullet_list_close", "ordered_list_close"):
                self.lists -= 1
            elif kind == "blockquote_open":
                self._count_extra()
                self.quotes += 1
            elif kind == "blockquote_close":
                self.quotes -= 1
        return self.blocks

    def _where(self, token: Token) -> tuple[int, int, Span]:
        begin, end = token.map or (0, 1)
        line, last = self.first + begin, self.first + end - 1
        last = self.lines.last_filled(line, last)
        # the first line may hold a byte order mark
        return line, last, Span(max(self.start, self.lines.start(line)), self.lines.end(last))

    def _leaf(self, kind: str, token: Token) -> None:
        line, last, span = self._where(token)
        item = self.open[-1] if self.open else None
        if item and kind == "paragraph" and item.text is None and not item.extra:
            item.text = self._own(item, line, span)
        else:
            self._count_extra()
        level = int(token.tag[1]) if kind == "heading" else 0
        quoted = self.quotes > 0
        if kind == "fence":
            closed = self._closed(token, last)
            block = Block(kind, span, line, last, self.lists, quoted, info=token.info.strip(), closed=closed)
        else:
            block = Block(kind, span, line, last, self.lists, quoted, level)
        self.blocks.append(block)

    def _open_item(self, token: Token) -> None:
        line, last, span = self._where(token)
        if self.open and self.open[-1].text is None:
            self.open[-1].text = Span(self.open[-1].marker.end, self.open[-1].marker.end)
        item = _Item(len(self.blocks), line, last, token.info, self.quotes)
        begin = self.cursor[1] if self.cursor[0] == line else span.start
        found = None if self.quotes else _MARKER.match(self.text, begin, self.lines.end(line))
        item.marker = Span(*found.span(1)) if found else Span(span.start, span.start)
        item.behind = found.end() if found else span.start
        self.cursor = (line, item.behind)
        self.open.append(item)
        self.blocks.append(_PENDING)  # reserves its position; completed when the item ends

    def _close_item(self, item: _Item) -> None:
        text = item.text or Span(item.marker.end, item.marker.end)
        self.blocks[item.index] = Block(
            "item", Span(item.marker.start, self.lines.end(item.last)), item.line, item.last, self.lists - 1,
            self.quotes > 0, 0, item.info, item.marker, text, item.extra,
        )  # fmt: skip

    def _own(self, item: _Item, line: int, span: Span) -> Span:
        """Return the item's own text: its first paragraph, behind the marker or indented below it."""
        begin = item.behind if item.line == line else span.start
        raw = self.text[begin : span.end]
        text = raw.strip()
        begin += len(raw) - len(raw.lstrip())
        return Span(begin, begin + len(text))

    def _count_extra(self) -> None:
        if self.open and self.open[-1].quotes == self.quotes:  # blocks in a quote count as the quote
            self.open[-1].extra += 1

    def _closed(self, token: Token, last: int) -> bool:
        """Return whether a fence's last line closes it; the token has one more line of text if it does not."""
        begin, end = token.map or (0, 1)
        text = token.content
        inner = text.count("\n") + (1 if text and not text.endswith("\n") else 0)
        return end - begin == inner + 2 and _FENCE_END.match(self.lines.text(last)) is not None
