"""A file's bytes as the pieces that an index holds of them, by the kind of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from mdmem.core.document import Document
from mdmem.core.entry import read_dates
from mdmem.core.pattern import pattern
from mdmem.core.template import Template
from mdmem.index.lines import Line, read_lines
from mdmem.index.piece import Content, Piece, Spot

ARTIFACT, SESSION = "artifact", "session"
_HIDDEN = pattern(
    "<!--.*?(?:-->|\\Z)|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]",
    re.DOTALL,
)
_SPEAKER = pattern(  # behind a time a full-width colon needs no space
    r"(?P<time>[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]? +)?"
    r"(?:\*\*)?(?P<who>[^\W\d_][\w .'-]{0,30}?)(?:\*\*)?(?:[:：](?:\*\*)?\s|(?(time)：|(?!)))"
)
_DAY = pattern(r"(?<!\d)(\d{4})-?(\d{2})-?(\d{2})(?!\d)")
_FRONT = pattern(
    r"[^\w\n]{0,8}(?:[xX]\] )?[^\w\n]{0,8}(\d{4})(?:[-/.]|年 ?)(\d{1,2})(?:[-/.]| ?月 ?)(\d{1,2})(?![\d.])"
)
_HEAD = ("title", "summary", "description", "task", "filename", "original_filename", "tool_name", "input", "tags")
_DATES = ("created_at", "started", "date")


def read_content(path: str, data: bytes, template: Template | None) -> Content:
    """Take a file apart; never fails, whatever it holds. Of an artifact only the front matter is looked at (G002)."""
    document = Document(data)
    head = _Head(path, document)
    found = list(head.pieces())
    kind = template.kind if template else ""
    turns = _turns(document, path, head, template) if template and kind == SESSION else []
    if turns:
        found += _blocks(Document(document.text[: turns[0].start].encode("utf-8", "surrogateescape")), head)
    elif kind != ARTIFACT:
        found += _blocks(document, head)
    return Content(tuple(head.spots), tuple(piece for piece in (*found, *turns) if piece.text), head.agent)


def visible(text: str) -> str:
    """Give what a reader sees of a text: no comments, no invisible characters (law 11)."""
    return text if text.isascii() and "<!--" not in text else _HIDDEN.sub("", text)


class _Head:
    """What holds for a whole file: its date, whose it is, the words of its name; and the places found so far."""

    def __init__(self, path: str, document: Document) -> None:
        self.document = document
        self.values = document.front_matter.values if document.front_matter else {}
        folders, _, name = path.rpartition("/")
        said = next((str(self.values[key]) for key in _DATES if self.values.get(key)), "")
        self.date = day(said) or day(name)
        self.words = f"{folders.replace('/', ' ')} {name.rpartition('.')[0]}"
        parts = path.split("/")
        ours = len(parts) > 2 and parts[0] in ("agents", ".notes")
        self.agent = parts[1] if ours else str(self.values.get("agent") or "")
        self._above: list[Line] = []
        self.spots = [self._spot("", "")]

    def enter(self, line: Line) -> int:
        """Begin a place at a heading; give its number."""
        while self._above and self._above[-1].level >= line.level:
            self._above.pop()
        self.spots.append(self._spot(line.title, " › ".join(one.title for one in self._above)))
        self._above.append(line)
        return len(self.spots) - 1

    def pieces(self) -> Iterator[Piece]:
        """Give what the front matter says of the file, as one piece."""
        front = self.document.front_matter
        nodes = [node for key in _HEAD if front and (node := front.node(key))]
        if not (front and nodes):
            return
        said = [self.values[key] for key in _HEAD if self.values.get(key)]
        text = " · ".join(" ".join(map(str, one)) if isinstance(one, list) else str(one) for one in said)
        start = min(node.key.start if node.key else node.span.start for node in nodes)
        end = max(node.span.end for node in nodes)
        yield self.piece(start, end, self.document.lines.at(start), "summary", 0, text)

    def piece(self, start: int, end: int, line: int, kind: str, spot: int, text: str, speaker: str = "") -> Piece:
        """Make a piece; its date is the one it begins with, else its place's."""
        text = visible(text).strip()
        when = self.spots[spot].date
        if kind != "heading" and (own := day_in_front(text)):
            when = own
        if kind == "entry" and (match := _SPEAKER.match(text)):
            speaker = match["who"]
        return Piece(start, end, line, kind, spot, when, speaker, text)

    def _spot(self, title: str, trail: str) -> Spot:
        title, trail = visible(title), visible(trail)
        return Spot(title, trail, day(title) or self.date, " ".join((title, trail.replace("›", " "), self.words)))


def day(text: str) -> str:
    """Give the first day that a name or heading tells, in ISO's form; empty where there is none."""
    for match in _DAY.finditer(text):
        if found := _iso(*match.groups()):
            return found
    said = next((one.value for one in read_dates(text) if one.value), None) if "年" in text or "/" in text else None
    return said.isoformat() if said else ""


def day_in_front(text: str) -> str:
    """Give the day that an entry begins with."""
    match = _FRONT.match(text)
    return _iso(*match.group(1, 2, 3)) if match else ""


@lru_cache(maxsize=10_000)
def _iso(year: str, month: str, number: str) -> str:
    try:
        return date(int(year), int(month), int(number)).isoformat()
    except ValueError:
        return ""


def _turns(document: Document, path: str, head: _Head, template: Template) -> list[Piece]:
    from mdmem.core.session import read_session

    found = []
    for turn in read_session(document, path, template).turns:
        piece = head.piece(turn.start, turn.end, turn.line, "turn", 0, turn.text, turn.speaker or turn.role)
        found.append(piece._replace(date=day(turn.time) or piece.date))
    return found


def _blocks(document: Document, head: _Head) -> Iterator[Piece]:
    """Give entries, headings and the other blocks."""
    spot = 0
    for line in read_lines(document):
        if line.kind == "heading":
            spot = head.enter(line)
        text = line.title or document.text[line.start : line.end]
        yield head.piece(line.start, line.end, line.line, line.kind, spot, text)
