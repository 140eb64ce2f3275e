"""Documents: a text with its blocks, entries, sections and comments as spans."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from mdmem.text import blocks
from mdmem.text.blocks import Block
from mdmem.text.entry import EntryParts, read_entry
from mdmem.text.inline import comments, html_comments
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Lines, Span
from mdmem.text.yaml import front_matter
from mdmem.text.yaml.front_matter import FrontMatter

if TYPE_CHECKING:
    from frontmatter import Post

_ENTRY, _MORE, _HEADING, _CODE, _HTML, _FRONT = 1, 2, 4, 8, 16, 32
_NAMES = {
    _FRONT: "front matter", _HTML: "HTML", _CODE: "code", _HEADING: "a heading", _ENTRY: "an entry",
    _MORE: "part of an entry",
}  # fmt: skip
_BLOCKS = {"fence": _CODE, "code": _CODE, "html": _HTML, "heading": _HEADING}


class LineKinds:
    """The kinds of a document's lines, as bits, and the depth of the entry that begins at each."""

    def __init__(self, document: Document) -> None:
        # one more than there are lines: an empty line begins after a final line ending
        self.kinds = [0] * (len(document.lines) + 1)  # several bits: an item may begin with code
        self.blocks = [-1] * len(self.kinds)  # index of the block of code, HTML or front matter that holds the line
        self.depths = [0] * len(self.kinds)  # of the entry that begins there
        for entry in document.entries:
            self._mark(_MORE, entry.line + 1, document.lines.at(entry.text_span.end))
            self._mark(_ENTRY, entry.line, entry.line)
            self.depths[entry.line] = entry.depth
        for index, block in enumerate(document.blocks):
            if kind := _BLOCKS.get(block.kind, 0):
                self._mark(kind, block.line, block.last_line, index)
        for section in document.sections:
            line = document.lines.at(section.heading.start)
            self._mark(_HEADING, line, line)
        if document.front_matter:
            self._mark(_FRONT, 0, document.lines.at(document.front_matter.yaml.end), len(document.blocks))

    def _mark(self, kind: int, first: int, last: int, block: int = -1) -> None:
        for line in range(first, last + 1):
            self.kinds[line] |= kind
            self.blocks[line] = block


def name_kinds(kinds: int) -> str:
    """Return the name of a line's kind; of several, the one that takes precedence."""
    return next((name for bit, name in _NAMES.items() if kinds & bit), "text")


COPY = "context"  # the name of a generated block that repeats what other files say
_AUTO = pattern(r"\s*(/?)mdmem:auto(?:\s+(\S+))?\s*\Z")
_BRACKET = pattern(r"[ ]{0,3}\[([^\[\]\r\n^][^\[\]\r\n]{0,39})\](?:[ \t]*[:：][ \t]*(\S(?:.*\S)?)?)?[ \t]*\Z")
_LINK = pattern(r"(?=[!-~]*[./#:])[!-~]+(?:[ \t]+[\"'(].*)?\Z")  # what a link definition would name
# the beginning of a line that may be a heading: hashes, a bracket, an underline
_MAY_HEAD = pattern(r"(?:\A\ufeff?|[\r\n])[ ]{0,3}(?:\#|\[|[=-]+[ \t]*(?:[\r\n]|\Z))")
_ATX = pattern(r"[ ]{0,3}#{1,6}[ \t]*")


class Entry(NamedTuple):
    """One list item: a memory. `text` is its own text, without marker and nested items."""

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
    def parts(self) -> EntryParts:
        """The parts of the entry's line: checkbox, date, tags, fields, id, body."""
        return read_entry(self.text)


class Section(NamedTuple):
    """A heading with the text below it, up to the next heading of any level."""

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
    """An HTML comment that a renderer would hide; `text` is its content."""

    text: str
    span: Span


class AutoBlock(NamedTuple):
    """Generated text between `<!-- mdmem:auto NAME -->` and its closing mark."""

    name: str
    span: Span
    body: Span


class Document:
    """One file: its text, and its structure as spans."""

    def __init__(self, data: bytes) -> None:
        # surrogateescape maps any bytes to text and back, so that no file is undecodable
        self.text = data.decode("utf-8", "surrogateescape")

    def to_bytes(self) -> bytes:
        """Return the file's bytes, which equal those it was parsed from (law 1)."""
        return self.text.encode("utf-8", "surrogateescape")

    def post(self) -> Post:
        """Return the file as a python-frontmatter `Post`, for other programs; changes are made by `Edit`s.

        The values are those of `front_matter`: dates stay text, and no key is refused. `frontmatter.dumps` writes it
        in exact YAML.
        """
        from mdmem.text.yaml.post import post  # loads YAML; most memory files have no front matter

        return post(self.front_matter.values if self.front_matter else {}, self.text[self.start :])

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text."""
        return Lines(self.text)

    @cached_property
    def front_matter(self) -> FrontMatter | None:
        """The YAML block at the top, or None."""
        return front_matter.find(self.text)

    @cached_property
    def start(self) -> int:
        """The offset at which the Markdown begins: after a byte order mark and the front matter."""
        if self.front_matter:
            return self.front_matter.span.end
        return 1 if self.text.startswith("\ufeff") else 0

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every block in the order of the text, as markdown-it-py parses them."""
        return blocks.read(self.text, self.lines, self.start)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every list item outside block quotes, nested ones after the item that contains them."""
        return tuple(_entry(self, block) for block in self.blocks if block.kind == "item" and not block.quoted)

    @cached_property
    def fences(self) -> tuple[Block, ...]:
        """Fenced and indented code blocks."""
        return tuple(block for block in self.blocks if block.kind in ("fence", "code"))

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The headings in order, each with its own entries."""
        return _sections(self)

    @cached_property
    def preamble(self) -> Span:
        """The span between the front matter and the first heading."""
        return Span(self.start, self.sections[0].heading.start if self.sections else len(self.text))

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The HTML comments that hide text from a reader; an unclosed one ends with its block."""
        return tuple(_comments(self)) if "<!--" in self.text else ()

    @cached_property
    def auto_blocks(self) -> tuple[AutoBlock, ...]:
        """The closed auto blocks; the linter reports unbalanced marks."""
        return _auto_blocks(self.auto_marks)

    @cached_property
    def auto_marks(self) -> tuple[tuple[bool, str, Span], ...]:
        """Every auto mark as (closing?, name, span)."""
        ours = (comment for comment in self.comments if "mdmem:auto" in comment.text)
        marks = ((_AUTO.match(comment.text), comment.span) for comment in ours)
        return tuple((bool(mark.group(1)), mark.group(2) or "", span) for mark, span in marks if mark)

    @cached_property
    def line_kinds(self) -> LineKinds:
        """The kind of each line, to verify a change."""
        return LineKinds(self)

    def bracket(self, line: int) -> re.Match[str] | None:
        """Match a line that names a section in the old format, `[name]` or `[name]: note`; not a link definition."""
        match = _BRACKET.match(self.lines.text(line))
        return None if match is None or _LINK.match(match.group(2) or "") else match


def parse(data: bytes) -> Document:
    """Parse bytes into a document; never fails."""
    return (_small if len(data) < _SMALL else _large)(data)


# Several checks of a change, and several steps of a verb, parse the same text; few large documents are cached.
_SMALL = 100_000  # bytes
_small = lru_cache(maxsize=32)(Document)
_large = lru_cache(maxsize=2)(Document)  # before and after a change


def _entry(document: Document, block: Block) -> Entry:
    return Entry(
        block.text.of(document.text), block.span, block.marker, block.text, block.depth, bool(block.info),
        block.line, block.last_line, block.extra,
    )  # fmt: skip


class _Heading(NamedTuple):
    """A heading whose section is not read yet."""

    level: int
    style: str
    span: Span
    title: Span
    last_line: int
    note: str = ""


def _headings(document: Document) -> list[_Heading]:
    outer = [block for block in document.blocks if not block.depth and not block.quoted]
    found = [_heading(document, block) for block in outer if block.kind == "heading"]
    if any(heading.level > 1 for heading in found):
        return found
    paragraphs = [block for block in outer if block.kind == "paragraph"]
    brackets = [heading for block in paragraphs for heading in _brackets(document, block)]
    return sorted(found + brackets, key=lambda heading: heading.span) if brackets else found


def _heading(document: Document, block: Block) -> _Heading:
    if block.line < block.last_line:
        title = Span(block.span.start, document.lines.end(block.last_line - 1))
        return _Heading(block.level, "setext", block.span, title, block.last_line)
    raw = block.span.of(document.text)
    opening = _ATX.match(raw)
    begin = opening.end() if opening else 0
    words = raw[begin:].rstrip(" \t")
    bare = words.rstrip("#")
    if not bare or bare.endswith((" ", "\t")):  # the closing run of `## a ##`
        words = bare.rstrip(" \t")
    start = block.span.start + begin
    return _Heading(block.level, "atx", block.span, Span(start, start + len(words)), block.line)


def _brackets(document: Document, block: Block) -> Iterator[_Heading]:
    lines = document.lines
    for line in range(block.line, block.last_line + 1):
        if (match := document.bracket(line)) and match.group(1).strip(" xX"):
            start = lines.start(line)
            name = Span(start + match.start(1), start + match.end(1))
            yield _Heading(2, "bracket", lines.span(line), name, line, match.group(2) or "")


def _sections(document: Document) -> tuple[Section, ...]:
    if not _MAY_HEAD.search(document.text):
        return ()  # its blocks need not be parsed
    headings = _headings(document)
    entries = document.entries
    sections: list[Section] = []
    starts = [entry.span.start for entry in entries]
    enclosing: list[int] = []  # indexes of the headings above, each of a lower level than the next
    for index, heading in enumerate(headings):
        stop = headings[index + 1].span.start if index + 1 < len(headings) else len(document.text)
        own = entries[bisect_left(starts, heading.span.start) : bisect_left(starts, stop)]
        while enclosing and sections[enclosing[-1]].level >= heading.level:
            enclosing.pop()
        parent = enclosing[-1] if enclosing else None
        enclosing.append(index)
        body = Span(document.lines.full(heading.last_line).end, stop)
        title = heading.title.of(document.text).strip()
        sections.append(
            Section(title, heading.level, heading.style, heading.span, heading.title, body, heading.note, own, parent)
        )
    return tuple(sections)


def _comments(document: Document) -> Iterator[Comment]:
    finders = {"html": html_comments, "paragraph": comments, "heading": comments, "table": comments}
    for block in document.blocks:
        find = finders.get(block.kind)
        text = block.span.of(document.text) if find else ""
        for span in find(text) if find and "<!--" in text else ():
            end = span.end - 3 if text.endswith("-->", 0, span.end) else span.end
            inside = Span(block.span.start + span.start, block.span.start + span.end)
            yield Comment(text[span.start + 4 : end], inside)


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


class LabelledLine(NamedTuple):
    """A line with a label, and the text after its colon."""

    span: Span
    value: str
    value_span: Span  # with the spaces and signs around the value


def labelled(document: Document, labels: tuple[str, ...], *, outside: Sequence[Span] = ()) -> LabelledLine | None:
    """Return the first line outside code, and outside these spans, that begins with one of the labels."""
    if not labels:
        return None
    ends = [fence.span.end for fence in document.fences]
    for match in _pattern(labels).finditer(document.text, document.start):
        span = Span(match.start(1), match.end(2))
        fence = bisect_right(ends, span.start)  # the first fence that ends after the line
        inside = fence < len(ends) and span.start >= document.fences[fence].span.start
        if not inside and not any(one.holds(span) for one in outside):
            return LabelledLine(span, match.group(2).strip(" \t*_`"), Span(*match.span(2)))
    return None


@cache
def _pattern(labels: tuple[str, ...]) -> Pattern:
    words = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    line = r"(?:\A|(?<=[\r\n]))[ \t]{0,8}(?:[-*+][ \t]{1,8})?[*_]{0,3}"
    return pattern(rf"{line}((?:{words})[*_]{{0,3}}[ \t]{{0,8}}[:：]([^\r\n]*))", re.IGNORECASE)
