"""A Markdown file as a tree of spans over its untouched text (DESIGN section 2).

There is no Markdown writer: every change is an `Edit` of the text, so the round trip is true by construction.
Everything but the text itself is worked out when it is first asked for.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from mdmem.core import blocks, frontmatter
from mdmem.core.blocks import Block
from mdmem.core.entry import Parts, mask_code, read_entry
from mdmem.core.frontmatter import FrontMatter
from mdmem.core.text import Lines, Span

_AUTO = re.compile(r"\s*(/?)mdmem:auto(?:\s+(\S+))?\s*\Z")
_BRACKET = re.compile(r"[ ]{0,3}\[([^\[\]\r\n]{1,40})\](?:[ \t]*[:：][ \t]*(\S.*)?)?[ \t]*\Z")
_ATX = re.compile(r"[ ]{0,3}#{1,6}[ \t]*")


class Entry(NamedTuple):
    """One list item: a memory. `text` is what it says itself, without marker and without nested items."""

    text: str
    span: Span  # from the marker to the end of its last line, nested items included
    marker: Span  # `-`, `*`, `+`, `1.`, `1)`
    text_span: Span
    depth: int  # 0 for an item of an outermost list
    ordered: bool
    line: int  # 0-based, as all line numbers in spans
    last_line: int
    blocks: int  # further blocks below its own paragraph that are no list items

    @property
    def parts(self) -> Parts:
        """What the entry's line says: checkbox, date, tags, fields, id, body."""
        return read_entry(self.text)


class Section(NamedTuple):
    """A heading with what stands below it, down to the next heading of any level."""

    title: str
    level: int
    style: str  # `atx`, `setext`, or `bracket` for a `[name]` line of the older formats
    heading: Span
    title_span: Span
    body: Span
    note: str  # what follows a bracket name: `[name]: note`
    entries: tuple[Entry, ...]
    parent: int | None  # index of the enclosing section in `Document.sections`


class Comment(NamedTuple):
    """An HTML comment that a renderer would hide; `text` is what stands inside."""

    text: str
    span: Span


class AutoBlock(NamedTuple):
    """Generated text between `<!-- mdmem:auto NAME -->` and its closing mark."""

    name: str
    span: Span
    body: Span


class Document:
    """One file: its text, and everything in it as spans."""

    def __init__(self, data: bytes) -> None:
        # surrogateescape maps any bytes to text and back, so nothing is ever "undecodable, hence empty"
        self.text = data.decode("utf-8", "surrogateescape")

    def to_bytes(self) -> bytes:
        """Give the file's bytes; always those it was parsed from (law 1)."""
        return self.text.encode("utf-8", "surrogateescape")

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text."""
        return Lines(self.text)

    @cached_property
    def front_matter(self) -> FrontMatter | None:
        """The YAML block at the top, or None."""
        return frontmatter.find(self.text)

    @cached_property
    def start(self) -> int:
        """Where the Markdown begins: behind a byte order mark and the front matter."""
        if self.front_matter:
            return self.front_matter.span.end
        return 1 if self.text.startswith("\ufeff") else 0

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every block in the order of the text, as markdown-it-py sees them."""
        return blocks.read(self.text, self.lines, self.start)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every list item outside block quotes, nested ones after the one they stand in."""
        return tuple(_entry(self, block) for block in self.blocks if block.kind == "item" and not block.quoted)

    @cached_property
    def fences(self) -> tuple[Block, ...]:
        """Fenced and indented code blocks, wherever they stand."""
        return tuple(block for block in self.blocks if block.kind in ("fence", "code"))

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The headings in order, each with its own entries."""
        return _sections(self)

    @cached_property
    def preamble(self) -> Span:
        """What stands between the front matter and the first heading."""
        return Span(self.start, self.sections[0].heading.start if self.sections else len(self.text))

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The HTML comments that hide text from a reader, with an unclosed one running to its block's end."""
        return tuple(_comments(self)) if "<!--" in self.text else ()

    @cached_property
    def auto_blocks(self) -> tuple[AutoBlock, ...]:
        """The closed auto blocks; unbalanced marks are left to the linter."""
        return _auto_blocks(self.auto_marks)

    @cached_property
    def auto_marks(self) -> tuple[tuple[bool, str, Span], ...]:
        """Every auto mark as (closing?, name, span)."""
        marks = ((_AUTO.match(comment.text), comment.span) for comment in self.comments)
        return tuple((bool(mark.group(1)), mark.group(2) or "", span) for mark, span in marks if mark)

    def bracket(self, line: int) -> re.Match[str] | None:
        """Match a line that names a section the old way, `[name]` or `[name]: note`."""
        return _BRACKET.match(self.lines.text(line))


def parse(data: bytes) -> Document:
    """Give the document that these bytes are; never fails, whatever they hold."""
    return Document(data)


def _entry(document: Document, block: Block) -> Entry:
    own = Span(block.text.start, block.text.end)
    return Entry(
        text=own.of(document.text),
        span=block.span,
        marker=block.marker,
        text_span=own,
        depth=block.depth,
        ordered=block.info.isdigit(),
        line=block.line,
        last_line=block.last_line,
        blocks=block.extra,
    )


def _headings(document: Document) -> list[tuple[str, int, str, Span, Span, str, int]]:
    found = []
    for block in document.blocks:
        if block.kind == "heading" and block.depth == 0 and not block.quoted:
            style = "atx" if block.line == block.last_line else "setext"
            raw = block.span.of(document.text)
            title = Span(block.span.start, document.lines.span(max(block.line, block.last_line - 1)).end)
            if match := _ATX.match(raw) if style == "atx" else None:
                begin = block.span.start + match.end()
                title = Span(begin, begin + len(_unclosed(raw[match.end() :])))
            found.append((title.of(document.text).strip(), block.level, style, block.span, title, "", block.last_line))
    if any(level > 1 for _, level, *_ in found):
        return found
    for block in document.blocks:
        if block.kind != "paragraph" or block.depth or block.quoted:
            continue
        for line in range(block.line, block.last_line + 1):
            if (match := document.bracket(line)) and match.group(1).strip(" xX"):
                start = document.lines.span(line).start
                name = Span(start + match.start(1), start + match.end(1))
                whole = document.lines.span(line)
                note = (match.group(2) or "").rstrip()
                found.append((match.group(1).strip(), 2, "bracket", whole, name, note, line))
    return sorted(found, key=lambda heading: heading[3])


def _unclosed(title: str) -> str:
    """Take off a heading's closing `##`; by hand, as a pattern for it is quadratic in a run of spaces."""
    bare = title.rstrip(" \t")
    hashless = bare.rstrip("#")
    return hashless.rstrip(" \t") if not hashless or hashless[-1] in " \t" else bare


def _sections(document: Document) -> tuple[Section, ...]:
    headings = _headings(document)
    entries = document.entries
    sections: list[Section] = []
    above: list[int] = []  # the sections that enclose the next one
    at = 0
    for index, (title, level, style, heading, title_span, note, last_line) in enumerate(headings):
        stop = headings[index + 1][3].start if index + 1 < len(headings) else len(document.text)
        while at < len(entries) and entries[at].span.start < heading.start:
            at += 1
        first = at
        while at < len(entries) and entries[at].span.start < stop:
            at += 1
        while above and sections[above[-1]].level >= level:
            above.pop()
        parent = above[-1] if above else None
        above.append(index)
        body = Span(document.lines.full(last_line).end, stop)
        sections.append(Section(title, level, style, heading, title_span, body, note, entries[first:at], parent))
    return tuple(sections)


def _comments(document: Document) -> list[Comment]:
    found = []
    for block in document.blocks:
        if block.kind == "html":
            text, start = block.span.of(document.text), block.span.start
        elif block.kind in ("paragraph", "heading", "table"):
            text, start = mask_code(block.span.of(document.text)), block.span.start
        else:
            continue
        if "<!--" not in text:
            continue
        opened = text.find("<!--")
        while opened >= 0 and (closed := text.find("-->", opened + 4)) >= 0:
            whole = Span(start + opened, start + closed + 3)
            found.append(Comment(Span(whole.start + 4, whole.end - 3).of(document.text), whole))
            opened = text.find("<!--", closed + 3)
        if block.kind == "html" and opened >= 0:
            found.append(Comment(text[opened + 4 :], Span(start + opened, start + len(text))))
    return found


def _auto_blocks(marks: tuple[tuple[bool, str, Span], ...]) -> tuple[AutoBlock, ...]:
    found = []
    opened: tuple[str, Span] | None = None
    for closing, name, span in marks:
        if closing and opened:
            found.append(AutoBlock(opened[0], Span(opened[1].start, span.end), Span(opened[1].end, span.start)))
            opened = None
        elif not closing:
            opened = (name, span)
    return tuple(found)
