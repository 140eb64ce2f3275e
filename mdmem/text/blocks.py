"""Parses Markdown into blocks: the block tokens of markdown-it-py, refined to spans.

The tokens have line ranges only, and those of lists include trailing blank lines. Here the ranges are trimmed, and
items get the columns of their markers. The inline parser never runs: it would take half the time, and no span is
derived from it.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, code, fence, heading, hr, html_block, list_block, reference
from markdown_it.rules_block import table as table_block
from markdown_it.utils import OptionsDict

from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines, Span

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.utils import OptionsType

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
        while last > line and self.lines.is_blank(last):
            last -= 1
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


# Levels; a quote is one, a list two. They limit recursion, and the cost of lazy lines, which each quote reads.
_DEEPEST_LIST = 32
_DEEPEST_QUOTE = 12

_FIRST = "`~>*+-_0123456789<#"


class Parser:
    """The block parser, with the attributes of `MarkdownIt` that its rules use."""

    def __init__(self) -> None:
        self.block = ParserBlock()
        options = {"maxNesting": 10 * _DEEPEST_LIST, "html": True, "inline_definitions": True}
        self.options = OptionsDict(cast("OptionsType", options))

    def parse(self, text: str) -> list[Token]:
        """Return the tokens of a text's blocks, as `MarkdownIt.parse` does."""
        tokens: list[Token] = []
        normal = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        if not normal.endswith("\n"):
            normal += "\n"  # without it markdown-it-py reads past the end of `> - <!--\n> `
        self.block.parse(normal, cast("MarkdownIt", self), {}, tokens)
        return tokens

    @cached_property
    def _whole(self) -> MarkdownIt:
        return MarkdownIt("commonmark")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever MarkdownIt has
        """Return any other attribute that a rule uses: a link definition needs the parser of addresses."""
        return getattr(self._whole, name)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        """Return an attribute by key, because some rules use `md["block"]`."""
        return getattr(self, name)


@cache
def parser() -> Parser:
    """Build the parser: CommonMark with tables."""
    built = Parser()
    built.block.ruler.disable("lheading")
    everywhere = ["paragraph", "reference", "blockquote"]
    for name, rule, interrupts in (
        ("table", _table, ["paragraph", "reference"]),
        ("code", _code, []),
        ("fence", _at("`~", fence), [*everywhere, "list"]),
        ("blockquote", _shallow(_DEEPEST_QUOTE, _at(">", blockquote)), [*everywhere, "list"]),
        ("hr", _at("*-_", _rule), [*everywhere, "list"]),
        ("list", _shallow(_DEEPEST_LIST, _at("*+-0123456789", list_block)), everywhere),
        ("reference", _at("[", reference), []),
        ("html_block", _at("<", html_block), everywhere),
        ("heading", _at("#", heading), everywhere),
        ("paragraph", _paragraph, []),
    ):
        built.block.ruler.at(name, rule, {"alt": interrupts})
    built.block.ruler.before("table", "words", _words)
    return built


def _at(first: str, rule: RuleFuncBlockType) -> RuleFuncBlockType:
    def at(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
        start = state.bMarks[line] + state.tShift[line]
        return start < state.eMarks[line] and state.src[start] in first and rule(state, line, end, silent)

    return at


def _shallow(deepest: int, rule: RuleFuncBlockType) -> RuleFuncBlockType:
    def shallow(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001
        # silent: does the line end a paragraph? At any depth, because the marker may belong to an outer block
        return (silent or state.level < deepest) and rule(state, line, end, silent)

    return shallow


def _rule(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Read a horizontal rule; look at its last character first, for each list in a list asks about the same line."""
    last = state.src[max(state.bMarks[line], state.eMarks[line] - 1)]
    return last in "*-_ \t" and hr(state, line, end, silent)


def _words(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Read the most common block first: a line that no other rule could begin with."""
    plain = state.sCount[line] - state.blkIndent < 4 and not _may_begin(state, line, end)
    return plain and state.src[state.bMarks[line] + state.tShift[line]] != "[" and _paragraph(state, line, end, silent)


def _may_begin(state: StateBlock, line: int, end: int) -> bool:
    """Return whether a block that interrupts a paragraph could begin at a line; a table by its second line."""
    return state.src[state.bMarks[line] + state.tShift[line]] in _FIRST or _delimits(state, line + 1, end)


def _delimits(state: StateBlock, line: int, end: int) -> bool:
    at = state.bMarks[line] + state.tShift[line]
    return line < end and at < state.eMarks[line] and state.src[at] in "|-:"


def _table(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Read a table as one token: markdown-it checks its head; cell tokens are not needed."""
    if not _delimits(state, line + 1, end) or not table_block(state, line, end, True):  # noqa: FBT003
        return False
    if silent:
        return True
    ends = state.md.block.ruler.getRules("blockquote")
    outer, state.parentType = state.parentType, "table"
    row = line + 2
    while row < end and not state.isEmpty(row) and state.blkIndent <= state.sCount[row] < state.blkIndent + 4:
        if _interrupted(ends, state, row, end):
            break
        row += 1
    state.parentType, state.line = outer, row
    state.push("table_open", "table", 0).map = [line, row]
    return True


def _code(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    return state.sCount[line] - state.blkIndent >= 4 and code(state, line, end, silent)


def _paragraph(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:  # noqa: FBT001
    """Read a paragraph or a setext heading: two rules of markdown-it in one pass."""
    interrupts = state.md.block.ruler.getRules("paragraph")
    outer, state.parentType = state.parentType, "paragraph"
    level, line, end = 0, start + 1, state.lineMax
    while line < end and not state.isEmpty(line):
        indent = state.sCount[line]
        if 0 <= indent <= state.blkIndent + 3:  # a lazy line of a quote is below 0; a deeper indent continues the text
            if indent >= state.blkIndent and (level := _underline(state, line)):
                break
            if _may_begin(state, line, end) and _interrupted(interrupts, state, line, end):
                break
        line += 1
    state.parentType = outer
    state.line = line + (1 if level else 0)
    token = state.push("heading_open" if level else "paragraph_open", f"h{level}" if level else "p", 0)
    token.map = [start, state.line]
    return True


def _interrupted(rules: list[RuleFuncBlockType], state: StateBlock, line: int, end: int) -> bool:
    for rule in rules:  # noqa: SIM110 - twice as fast as any(), and called for every second line
        if rule(state, line, end, True):  # noqa: FBT003
            return True
    return False


def _underline(state: StateBlock, line: int) -> int:
    at = state.bMarks[line] + state.tShift[line]
    mark = state.src[at]
    if mark not in "-=" or state.src[at : state.eMarks[line]].rstrip(" \t").strip(mark):
        return 0
    return 1 if mark == "=" else 2
