"""The blocks of a file that an index has a row for: headings, entries, and all other text by block.

Most memory files are headings, one-line items and paragraphs of whole lines, nothing nested, quoted, underlined or
fenced. Of such a file the lines say all, ten times faster than a parser; where one line is not so, the parser is
asked. A test holds both ways to the same answer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from mdmem.core.document import Document
from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple

# how a text may begin so that it is nothing but text: `1.` opens a list, `[a]:` a definition, `***` is a rule
_BEGIN = r"(?:\[[ xX]\] (?=\S))?(?:\*\*)?(?:(?!\d{1,9}[.)](?:[ \n]|\Z))[A-Za-z0-9]|[^\x00-\x7f\s]|[\"'(@$&%](?=\w))"
_LINE = pattern(
    rf"(?P<item>[-*+] (?={_BEGIN}))|(?P<heading>(#{{1,6}}) +(?=[^\s#]))|(?P<blank>[ \t]*\Z)|(?P<text>{_BEGIN})"
)
_ODD = ("\r", "\0", "<!--", "\ufeff")
_LONGEST = 1_000  # characters of a row that is no entry; a longer block is several, cut between lines


class Line(NamedTuple):
    """A block of a file."""

    kind: str  # heading, entry, text
    start: int
    end: int
    line: int  # 0-based
    level: int = 0  # of a heading
    title: str = ""


def read_lines(document: Document, max_lines: int) -> Iterator[Line]:
    """Give the blocks of a file in its order; one of more lines has none: it is text, as it is for the linter."""
    text, start = document.text, document.start
    if text.count("\n") >= max_lines:
        return _cut(text, iter([Line("text", start, len(text), text.count("\n", 0, start))]))
    plain = plain_lines(text, start)
    return _cut(text, parsed_lines(document) if plain is None else iter(plain))


def plain_lines(text: str, start: int) -> list[Line] | None:
    """Read a plain file by its lines; None where it is not plain. `start` is where its Markdown begins."""
    if any(odd in text for odd in _ODD):
        return None
    found: list[Line] = []
    number, at, open_text, after_item = text.count("\n", 0, start), start, False, False
    for raw in text[start:].split("\n"):
        match = _LINE.match(raw)
        if match is None:
            return None
        kind = match.lastgroup
        if kind == "blank":
            open_text = after_item = False
        elif kind == "heading":
            title = raw[match.end() :].rstrip(" \t")
            if title.endswith("#"):
                return None
            found.append(Line("heading", at, at + len(raw), number, len(match.group(3)), title.strip()))
            open_text = after_item = False
        elif kind == "item":
            found.append(_item(raw, at, number, match.end()))
            open_text, after_item = False, True
        elif after_item:
            return None  # it goes on with the item above
        elif open_text:
            found[-1] = found[-1]._replace(end=at + len(raw))
        else:
            found.append(Line("text", at, at + len(raw), number))
            open_text = True
        number, at = number + 1, at + len(raw) + 1
    return found


def parsed_lines(document: Document) -> Iterator[Line]:
    """Read any file by the parser's blocks."""
    found: list[Line] = []
    titles = {section.heading.start: section for section in document.sections}
    own = []
    for block in document.blocks:
        if block.kind == "item" and not block.quoted:
            own += [block.text.start] if block.text.start < block.text.end else []
            found.append(Line("entry", block.text.start, block.text.end, document.lines.at(block.text.start)))
    own.sort()
    for block in document.blocks:
        if block.kind == "paragraph":
            found += _paragraph(document, block.span.start, block.span.end, own)
        elif block.kind in ("fence", "code", "table", "html"):
            found.append(Line("text", block.span.start, block.span.end, block.line))
    for section in titles.values():
        span = section.heading
        line = document.lines.at(span.start)
        found.append(Line("heading", span.start, span.end, line, section.level, section.title))
    yield from sorted(found, key=lambda line: (line.start, line.kind != "heading"))


def _paragraph(document: Document, start: int, end: int, own: list[int]) -> Iterator[Line]:
    """Give a paragraph that is no entry's own text, without the lines that name sections the old way."""
    at = bisect_left(own, start)
    if at < len(own) and own[at] < end:
        return
    text = document.text
    headings = {section.heading for section in document.sections if section.style == "bracket"}
    begin = start
    for span in sorted(span for span in headings if start <= span.start < end):
        if text[begin : span.start].strip():
            yield Line("text", begin, span.start, document.lines.at(begin))
        begin = min(end, span.end + 1)
    if text[begin:end].strip():
        yield Line("text", begin, end, document.lines.at(begin))


def _item(raw: str, at: int, number: int, begin: int) -> Line:
    text = raw[begin:]
    begin += len(text) - len(text.lstrip())
    return Line("entry", at + begin, at + begin + len(raw[begin:].rstrip()), number)


def _cut(text: str, lines: Iterator[Line]) -> Iterator[Line]:
    """Cut blocks that are too long for one row between their lines."""
    for line in lines:
        start, number = line.start, line.line
        while line.kind == "text" and line.end - start > _LONGEST:
            stop = text.rfind("\n", start, start + _LONGEST) + 1
            if stop <= start:
                stop = start + _LONGEST
            yield Line("text", start, stop, number)
            number += text.count("\n", start, stop)
            start = stop
        yield line._replace(start=start, line=number)
