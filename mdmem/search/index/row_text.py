"""Splits a file into headings and pieces for the index: by lines if it is simple Markdown, else by the parser."""

# The format of sessions is imported when a session is read: most refreshes read none.
from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from mdmem.formats.template import Template, fold
from mdmem.search.index.ignored import Ignored, footer_start
from mdmem.search.index.piece import HeadingPath, IndexedContent, IndexedPiece, visible
from mdmem.text.document import COPY, Document
from mdmem.text.entry import read_dates
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span


def digest(data: bytes, size: int = 16) -> bytes:
    """Return a digest of `size` bytes."""
    return blake2b(data, digest_size=size).digest()


# How a line of plain text may begin: `1.` would open a list, `[a]:` a definition, `***` a rule.
_BEGIN = r"(?:\[[ xX]\] (?=\S))?(?:\*\*)?(?:(?!\d{1,9}[.)](?:[ \n]|\Z))[A-Za-z0-9]|[^\x00-\x7f\s]|[\"'(@$&%](?=\w))"
_LINE = pattern(
    rf"(?P<item>[-*+] (?={_BEGIN}))|(?P<heading>(#{{1,6}}) +(?=[^\s#]))|(?P<blank>[ \t]*\Z)|(?P<text>{_BEGIN})"
)
_ODD = ("\r", "\0", "<!--", "\ufeff")
_LONGEST = 1_000  # characters of a text row; longer blocks are split between lines


class FileBlock(NamedTuple):
    """A block of a file."""

    kind: str  # heading, entry, text
    start: int
    end: int
    line: int  # 0-based
    level: int = 0  # of a heading
    title: str = ""


def read_lines(document: Document, max_lines: int) -> Iterator[FileBlock]:
    """Yield the blocks of a file in order; a file of more than `max_lines` lines is one text, as for the linter."""
    text, start = document.text, document.start
    if text.count("\n") >= max_lines or ("\r" in text and len(document.lines) > max_lines):
        return _cut(text, iter([FileBlock("text", start, len(text), text.count("\n", 0, start))]))
    plain = plain_lines(text, start)
    return _cut(text, parsed_lines(document) if plain is None else iter(plain))


def plain_lines(text: str, start: int) -> list[FileBlock] | None:
    """Read simple Markdown line by line from `start`; return None if the file needs the parser."""
    if any(odd in text for odd in _ODD):
        return None
    found: list[FileBlock] = []
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
            found.append(FileBlock("heading", at, at + len(raw), number, len(match.group(3)), title.strip()))
            open_text = after_item = False
        elif kind == "item":
            found.append(_item(raw, at, number, match.end()))
            open_text, after_item = False, True
        elif after_item:
            return None  # a continuation of the item above
        elif open_text:
            found[-1] = found[-1]._replace(end=at + len(raw))
        else:
            found.append(FileBlock("text", at, at + len(raw), number))
            open_text = True
        number, at = number + 1, at + len(raw) + 1
    return found


def parsed_lines(document: Document) -> Iterator[FileBlock]:
    """Yield the blocks of any file, from the parser."""
    found: list[FileBlock] = []
    titles = {section.heading.start: section for section in document.sections}
    own = []
    for block in document.blocks:
        if block.kind == "item" and not block.quoted:
            own += [block.text.start] if block.text.start < block.text.end else []
            found.append(FileBlock("entry", block.text.start, block.text.end, document.lines.at(block.text.start)))
    own.sort()
    brackets = sorted({section.heading for section in document.sections if section.style == "bracket"})
    for block in document.blocks:
        if block.kind == "paragraph":
            found += _paragraph(document, block.span, own, brackets)
        elif block.kind in ("fence", "code", "table", "html"):
            found.append(FileBlock("text", block.span.start, block.span.end, block.line))
    for section in titles.values():
        span = section.heading
        line = document.lines.at(span.start)
        found.append(FileBlock("heading", span.start, span.end, line, section.level, section.title))
    yield from sorted(found, key=lambda line: (line.start, line.kind != "heading"))


def _paragraph(document: Document, span: Span, own: list[int], brackets: list[Span]) -> Iterator[FileBlock]:
    """Yield a paragraph outside entries, without the `brackets`: lines that are section headings in the old format."""
    start, end = span
    at = bisect_left(own, start)
    if at < len(own) and own[at] < end:
        return
    text = document.text
    begin = start
    for heading in brackets[bisect_left(brackets, (start,)) : bisect_left(brackets, (end,))]:
        if text[begin : heading.start].strip():
            yield FileBlock("text", begin, heading.start, document.lines.at(begin))
        begin = min(end, heading.end + 1)
    if text[begin:end].strip():
        yield FileBlock("text", begin, end, document.lines.at(begin))


def _item(raw: str, at: int, number: int, begin: int) -> FileBlock:
    text = raw[begin:]
    begin += len(text) - len(text.lstrip())
    return FileBlock("entry", at + begin, at + begin + len(raw[begin:].rstrip()), number)


def _cut(text: str, lines: Iterator[FileBlock]) -> Iterator[FileBlock]:
    """Split text blocks that are too long for one row between their lines."""
    for line in lines:
        start, number = line.start, line.line
        while line.kind == "text" and line.end - start > _LONGEST:
            stop = text.rfind("\n", start, start + _LONGEST) + 1
            if stop <= start:
                stop = start + _LONGEST
            yield FileBlock("text", start, stop, number)
            number += text.count("\n", start, stop)
            start = stop
        yield line._replace(start=start, line=number)


ARTIFACT, SESSION = "artifact", "session"
_COPY_MARK = f"mdmem:auto {COPY}"
_EPISODE = "episode"  # an alias of the section of a session, and the kind of its lines
_SPEAKER = pattern(  # after a time a full-width colon needs no space
    r"(?P<time>[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]? +)?"
    r"(?:\*\*)?(?P<who>[^\W\d_][\w .'-]{0,30}?)(?:\*\*)?(?:[:：](?:\*\*)?\s|(?(time)：|(?!)))"
)
_DAY = pattern(r"(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)")
_FRONT = pattern(
    r"[^\w\n]{0,8}(?:[xX]\] )?[^\w\n]{0,8}(\d{4})(?:[-/.]|年 ?)(\d{1,2})(?:[-/.]| ?月 ?)(\d{1,2})(?![\d.])"
)
_TOLD = ("title", "summary", "description", "task", "filename", "original_filename")  # front matter that is shown
_NAMES = ("tool_name", "input")  # front matter that is searchable, and shown only if there is none of the others
_TAGS = "tags"
_SEPARATOR = pattern(r"[,，、;；\s]+")
_DATES = ("created_at", "started", "date")


def read_content(path: str, data: bytes, template: Template | None, ignored: Ignored, max_lines: int) -> IndexedContent:
    """Split a file into pieces; never raises. Only the front matter of an artifact is read (G002)."""
    document = Document(data)
    head = _Head(path, document, ignored)
    found = list(head.pieces())
    kind = template.kind if template else ""
    turns = _turns(document, path, head, template) if template and kind == SESSION else []
    if kind == SESSION:
        above = Document(document.text[: turns[0].start].encode("utf-8", "surrogateescape")) if turns else document
        found += _episode(_blocks(above, head, max_lines), head, template)
    elif kind != ARTIFACT:
        found += _blocks(document, head, max_lines)
    pieces = tuple(piece for piece in (*found, *turns) if piece.text)
    return IndexedContent(tuple(head.spots), pieces, head.agent, head.tags)


def scalar(raw: str) -> str:
    """Return the value of a front matter scalar from its source text; faster than YAML."""
    first, _, rest = raw.partition("\n")
    if first[:1] in ("|", ">"):
        return "\n".join(line.strip() for line in rest.strip().splitlines())
    flat = " ".join(raw.split())
    for quote, escaped in (('"', '\\"'), ("'", "''")):
        if len(flat) > 1 and flat[0] == flat[-1] == quote:
            return flat[1:-1].replace(escaped, quote)
    return flat


def _is_heading(document: Document, title: str) -> bool:
    pattern = rf"^#{{1,6}}[ \t]+{re.escape(title.strip())}[ \t#]*$"
    return re.search(pattern, document.text, re.MULTILINE) is not None


def _lines(value: object) -> list[str]:
    lines = value if isinstance(value, list) else str(value).splitlines()
    return [stripped for line in lines if (stripped := str(line).strip())]


def _tags(value: object) -> tuple[str, ...]:
    """Parse `tags:`, a list or words separated by commas or spaces; a leading # is dropped."""
    found = value if isinstance(value, list) else _SEPARATOR.split(str(value or ""))
    return tuple(dict.fromkeys(tag for one in found if (tag := str(one).strip().removeprefix("#"))))


class _Head:
    """The attributes of a whole file (date, owner, tags, searchable name), and the headings entered so far."""

    def __init__(self, path: str, document: Document, ignored: Ignored) -> None:
        self.document, self.ignored = document, ignored
        self.values = document.front_matter.values if document.front_matter else {}
        folders, _, name = path.rpartition("/")
        dated = next((str(self.values[key]) for key in _DATES if self.values.get(key)), "")
        self.date = day(dated) or day(name)
        self.tags = _tags(self.values.get(_TAGS))
        names = (word for key in _NAMES if self.values.get(key) for word in _lines(self.values[key]))
        self.words = " ".join((folders.replace("/", " "), name.rpartition(".")[0], *self.tags, *names))
        parts = path.split("/")
        ours = len(parts) > 2 and parts[0] in ("agents", ".notes")
        self.agent = parts[1] if ours else str(self.values.get("agent") or "")
        self._above: list[FileBlock] = []
        self.spots = [self._spot("", "")]

    def enter(self, line: FileBlock) -> int:
        """Enter a heading and return its number."""
        while self._above and self._above[-1].level >= line.level:
            self._above.pop()
        self.spots.append(self._spot(line.title, " › ".join(one.title for one in self._above)))
        self._above.append(line)
        return len(self.spots) - 1

    def pieces(self) -> Iterator[IndexedPiece]:
        """Yield a piece for each front matter value; a title that a heading repeats is skipped."""
        front, text = self.document.front_matter, self.document.text
        keys = [key for key in _TOLD if self.values.get(key)] or [key for key in _NAMES if self.values.get(key)]
        for key in keys:
            node = front.node(key) if front else None
            if node is None or (key == "title" and _is_heading(self.document, str(self.values[key]))):
                continue
            start, end = node.span.start, node.span.end
            yield self.piece(start, end, self.document.lines.at(start), "summary", 0, scalar(text[start:end]))

    def piece(
        self, start: int, end: int, line: int, kind: str, spot: int, text: str, speaker: str = ""
    ) -> IndexedPiece:
        """Return a piece; its date is the one it begins with, else its heading's."""
        text = visible(text).strip()
        when = self.spots[spot].date
        if kind != "heading" and (own := day_in_front(text)):
            when = own
        if kind == "entry" and (match := _SPEAKER.match(text)):
            speaker = match["who"]
        words = text if kind == "turn" else self.ignored.words(text)
        return IndexedPiece(start, end, line, kind, spot, when, speaker, text, words)

    def _spot(self, title: str, trail: str) -> HeadingPath:
        title, trail = visible(title), visible(trail)
        return HeadingPath(
            title, trail, day(title) or self.date, " ".join((title, trail.replace("›", " "), self.words))
        )


def day(text: str) -> str:
    """Return the first date in a name or heading, as ISO; empty if there is none."""
    for match in _DAY.finditer(text):
        if found := _iso(*match.groups()):
            return found
    found_day = (
        next((one.value for one in read_dates(text) if one.value), None) if "年" in text or "/" in text else None
    )
    return found_day.isoformat() if found_day else ""


def day_in_front(text: str) -> str:
    """Return the date that an entry begins with."""
    match = _FRONT.match(text)
    return _iso(*match.group(1, 2, 3)) if match else ""


@lru_cache(maxsize=10_000)
def _iso(year: str, month: str, number: str) -> str:
    try:
        return date(int(year), int(month), int(number)).isoformat()
    except ValueError:
        return ""


def _turns(document: Document, path: str, head: _Head, template: Template) -> list[IndexedPiece]:
    from mdmem.formats.session import read_session

    found = []
    for turn in read_session(document, path, template).turns:
        piece = head.piece(turn.start, turn.end, turn.line, "turn", 0, turn.text, turn.speaker or turn.role)
        found.append(piece._replace(date=day(turn.time) or piece.date))
    return found


def _episode(found: list[IndexedPiece], head: _Head, template: Template | None) -> list[IndexedPiece]:
    """Return the pieces above the turns, those of the episode as such; the entities of the session are words of it."""
    name = template.name(_EPISODE) if template else None
    own = {
        at for at, one in enumerate(head.spots) if name and one.title and template and template.name(one.title) == name
    }
    entities = head.values.get("entities")
    words = " ".join(map(str, entities)) if isinstance(entities, list) else str(entities or "")
    for at in own:
        head.spots[at] = head.spots[at]._replace(words=f"{head.spots[at].words} {words}")
    return [one._replace(kind=_EPISODE) if one.spot in own and one.kind == "entry" else one for one in found]


def _blocks(document: Document, head: _Head, max_lines: int) -> list[IndexedPiece]:
    """Return entries, headings and the other blocks, without non-memory text."""
    ignored, spot, found = head.ignored, 0, list[IndexedPiece]()
    end = footer_start(document.text) if ignored.footer else len(document.text)
    copies = [one.body for one in document.auto_blocks if one.name == COPY] if _COPY_MARK in document.text else ()
    for line in read_lines(document, max_lines):
        if line.kind == "heading":
            spot = head.enter(line)
        text = line.title or document.text[line.start : line.end]
        if line.start < end and not any(one.start <= line.start < one.end for one in copies):
            found.append(head.piece(line.start, line.end, line.line, line.kind, spot, text))
    filled = {piece.spot for piece in found if piece.kind == "entry"}
    written = {at for at, one in enumerate(head.spots) if one.title and fold(one.title) in ignored.sections}
    return [
        piece
        for piece in found
        if piece.kind == "heading"
        or (
            piece.spot not in written
            and ignored.is_memory(piece.text, is_entry=piece.kind == "entry", is_alone=piece.spot not in filled)
        )
    ]
