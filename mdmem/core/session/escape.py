"""Puts any text into a session so that it reads back as it was, and looks as it did.

Two means, and only where they are needed: a backslash before a line that would be read as a heading of ours, as
Markdown has it; and a fence, longer than any in the text, around a text that does not stand alone, because it leaves
a fence or a comment open or would be hidden. Lines that begin so by themselves get one backslash more, so that taking
one away gives back every text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.core.document import Document
from mdmem.core.pattern import pattern
from mdmem.core.session.marks import is_turn, is_turns
from mdmem.core.template import Template
from mdmem.core.text import Lines

_LINE = r"[ ]{0,3}(?:\#{1,3}(?![^ \t\r\n])|(?:=+|-+)[ \t]*(?![^\r\n]))"  # what may be a heading, or underline one
_ESCAPED = pattern(rf"(?:(?<=[\r\n])|\A)\\(?=\\*{_LINE})")
_ALREADY = pattern(rf"\\+{_LINE}")
_FENCED = pattern(r"(`{4,})verbatim\n(.*)\n\1\Z", re.DOTALL)
_TICKS = pattern(r"`+")
# Without one of these no line is a heading, opens a block that stays open, or is hidden.
_NOTABLE = pattern(r"(?:\A|[\r\n])[ \t]*(?:[#=\\]|```|~~~|-+[ \t]*(?![^\r\n]))|<[A-Za-z/!?]")
_LEVEL = 3  # of a turn: what stands deeper belongs to its text
_FRAME = "### 1 user 00:00\n"
_TRIES = 4


def escape(text: str, template: Template) -> str:
    """Give what stands in the file for a text."""
    if not _NOTABLE.search(text):
        return text
    plain = _escaped(text, template)
    return _fenced(text, template) if plain is None or _FENCED.match(plain) else plain


def unescape(written: str) -> str:
    """Give the text for what stands in the file."""
    fenced = _FENCED.match(written)
    inner = fenced[2] if fenced and _longest(fenced[2]) < len(fenced[1]) else written
    return _ESCAPED.sub("", inner) if "\\" in inner else inner


def _escaped(text: str, template: Template) -> str | None:
    """Escape the lines that need it; None where that does not make the text stand alone."""
    lines = Lines(text)
    marked = {line for line in range(len(lines)) if _always(lines.text(line), template)}
    for _ in range(_TRIES):  # a heading that is none any more may be underlined by what follows
        written = _mark(text, lines, marked)
        more = _headings(written)
        if not more:
            return written if more is not None else None
        marked |= more
    return None


def _fenced(text: str, template: Template) -> str:
    lines = Lines(text)
    inner = _mark(text, lines, {line for line in range(len(lines)) if _always(lines.text(line), template)})
    fence = "`" * max(4, _longest(inner) + 1)
    return f"{fence}verbatim\n{inner}\n{fence}"


def _always(line: str, template: Template) -> bool:
    """Tell whether a line is escaped wherever it stands: it is a mark of ours, or looks escaped already."""
    return is_turn(line) or is_turns(line, template) or _ALREADY.match(line) is not None


def _mark(text: str, lines: Lines, marked: set[int]) -> str:
    starts = (lines.start(line) for line in sorted(marked))
    return "\\".join(_cut(text, starts)) if marked else text


def _cut(text: str, starts: Iterator[int]) -> Iterator[str]:
    done = 0
    for start in starts:
        yield text[done:start]
        done = start
    yield text[done:]


def _headings(written: str) -> set[int] | None:
    """Give the lines to escape, by what Markdown sees in the text; None where the text does not stand alone."""
    document = Document(f"{_FRAME}\n{written}\n\n{_FRAME}".encode("utf-8", "surrogateescape"))
    if document.comments or any(block.kind == "html" for block in document.blocks):
        return None
    outer = [block for block in document.blocks if block.kind == "heading" and not block.depth and not block.quoted]
    found = [block for block in outer if block.level <= _LEVEL]
    last = document.lines.at(len(document.text) - len(_FRAME))
    if found[-1].line != last:
        return None
    shift = 2  # lines of the frame above
    return {(max(block.line, block.last_line)) - shift for block in found[1:-1]}


def _longest(text: str) -> int:
    return max((match.end() - match.start() for match in _TICKS.finditer(text)), default=0)


def is_text(text: str) -> bool:
    """Tell whether a text can be written as UTF-8 at all: lone surrogates cannot."""
    return not any("\ud800" <= char <= "\udfff" for char in text) if not text.isascii() else True
