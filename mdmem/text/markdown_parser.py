"""The Markdown parser: CommonMark with tables, as the block rules of markdown-it-py, which read common lines first.

The inline parser never runs: it would take half the time, and no span is derived from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, code, fence, heading, hr, html_block, list_block, reference
from markdown_it.rules_block import table as table_block
from markdown_it.utils import OptionsDict

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.utils import OptionsType

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
    by_sign: dict[str, list[RuleFuncBlockType]] = {}
    for name, first, rule, interrupts in (
        ("fence", "`~", fence, [*everywhere, "list"]),
        ("blockquote", ">", _shallow(_DEEPEST_QUOTE, blockquote), [*everywhere, "list"]),
        ("hr", "*-_", _rule, [*everywhere, "list"]),
        ("list", "*+-0123456789", _shallow(_DEEPEST_LIST, list_block), everywhere),
        ("reference", "[", reference, []),
        ("html_block", "<", html_block, everywhere),
        ("heading", "#", heading, everywhere),
    ):
        built.block.ruler.at(name, _at(first, rule), {"alt": interrupts})
        for sign in first:
            by_sign.setdefault(sign, []).append(rule)
    built.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    built.block.ruler.at("code", _code, {"alt": []})
    built.block.ruler.at("paragraph", _paragraph, {"alt": []})
    built.block.ruler.before("table", "any", _any_block(by_sign))
    return built


def _any_block(by_sign: Mapping[str, Sequence[RuleFuncBlockType]]) -> RuleFuncBlockType:
    """Return the one rule that begins blocks: it tries the rules of markdown-it for the first sign of a line.

    The ruler asks the rules themselves only what interrupts a paragraph, a list or a quote.
    """

    def begin(state: StateBlock, line: int, end: int, silent: bool) -> bool:  # noqa: FBT001
        if _words(state, line, end, silent) or _table(state, line, end, silent) or _code(state, line, end, silent):
            return True
        for rule in by_sign.get(state.src[state.bMarks[line] + state.tShift[line]], ()):
            if rule(state, line, end, silent):
                return True
        return _paragraph(state, line, end, silent)

    return begin


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
