"""The grammar of an entry: checkbox · date · text · #tags · [key:: value] · ^id (DESIGN section 6).

Only the text is required. Fields and ids are what Obsidian and Dataview write; trailing HTML comments with
metadata, as other tools write them, are read and never written. What stands in backticks is text.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from mdmem.core.inline import mask_code as mask_code  # noqa: PLC0414 - part of the grammar that this module speaks
from mdmem.core.text import Span

_CHECKBOX = re.compile(r"\[([ xX])\](?=[ \t]|$)[ \t]*")
_DONE = re.compile(r"(?:✅|☑️?|✔️?)[ \t]*")
_DATE = re.compile(
    r"(?<![\d/.\-])(?P<year>\d{4})(?:(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?![\d/.\-]*\d)"
    r"|年(?P<month2>\d{1,2})月(?P<day2>\d{1,2})日?)"
)
_LEAD = re.compile(r"[\[【(（]?\s*")
_AFTER_DATE = re.compile(
    r"\s*[\]】)）]?(?:[ T]*\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?\s*(?:[:：]|[—–-](?=\s)|[,，])?\s*"
)
_TAG = re.compile(r"(?<![^\s(（\[【,，;；、。])#([\d_/-]*[^\W\d_][\w/-]*)")  # `#12` is an issue, not a tag
_FIELD = re.compile(r"\[([^\[\]:：\s](?:[^\[\]:：]*[^\[\]:：\s])?)::((?:[^\[\]]|\[\[[^\[\]]*\]\])*)\]")
_ID = re.compile(r"(?:^|(?<=\s))\^([A-Za-z0-9-]+)\Z")


class Field(NamedTuple):
    """A `[key:: value]` field; spans are offsets in the entry's text."""

    key: str
    value: str
    span: Span
    value_span: Span


class Mention(NamedTuple):
    """A date written out in full; `value` is None when no calendar has that day."""

    text: str
    value: date | None
    span: Span


class Parts(NamedTuple):
    """What an entry's line says; every span is an offset in that line."""

    done: bool | None  # None where there is neither a checkbox nor a ✅
    checkbox: Span | None
    dates: tuple[Mention, ...]
    date: Mention | None  # the leading one
    tags: tuple[str, ...]
    fields: tuple[Field, ...]
    id: str | None
    id_span: Span | None
    meta: Span | None  # a trailing HTML comment
    body: Span  # the text without checkbox, leading date, trailing fields, tags, id and comment

    def field(self, key: str) -> Field | None:
        """Give the first field of that key."""
        return next((field for field in self.fields if field.key == key), None)


def read_dates(text: str) -> tuple[Mention, ...]:
    """Find the dates that are written out in full, possible or not."""
    found = []
    for match in _DATE.finditer(text):
        year, month, day = (
            int(match["year"]),
            int(match["month"] or match["month2"]),
            int(match["day"] or match["day2"]),
        )
        try:
            value = date(year, month, day)
        except ValueError:
            value = None
        found.append(Mention(match.group(), value, Span(*match.span())))
    return tuple(found)


def read_entry(text: str) -> Parts:
    """Take an entry's text apart; never fails, for any text is an entry."""
    clean = mask_code(text)
    meta = clean.rfind("<!--") if clean.rstrip(" \t").endswith("-->") else -1
    stop = len(clean[:meta].rstrip(" \t")) if meta >= 0 else len(clean.rstrip())
    head, start, done, checkbox = clean[:stop], 0, None, None
    if box := _CHECKBOX.match(head):
        done, checkbox, start = box.group(1) != " ", Span(0, 3), box.end()
    if tick := _DONE.match(head, start):
        done, start = True, tick.end()
    dates = read_dates(head) if any(char.isdigit() for char in head) else ()
    lead = _LEAD.match(head, start)
    date_at = lead.end() if lead else start
    first = next((found for found in dates if found.span.start == date_at), None)
    if first and (after := _AFTER_DATE.match(head, first.span.end)):
        start = after.end()
    ident = _ID.search(head)
    fields = _fields(head) if "::" in head else ()
    tags = tuple(match.group(1) for match in _TAG.finditer(head)) if "#" in head else ()
    return Parts(
        done=done,
        checkbox=checkbox,
        dates=dates,
        date=first,
        tags=tags,
        fields=fields,
        id=ident.group(1) if ident else None,
        id_span=Span(*ident.span()) if ident else None,
        meta=Span(stop, len(text)) if meta >= 0 else None,
        body=Span(start, max(start, _body_end(head, ident, fields))),
    )


def _fields(head: str) -> tuple[Field, ...]:
    return tuple(
        Field(match.group(1), match.group(2).strip(), Span(*match.span()), Span(*match.span(2)))
        for match in _FIELD.finditer(head)
    )


def _body_end(head: str, ident: re.Match[str] | None, fields: tuple[Field, ...]) -> int:
    """Walk back over what trails the text: id, fields, tags and the spaces between them."""
    end = _trim(head, ident.start() if ident else len(head))
    ends = {field.span.end: field.span.start for field in fields}
    ends |= {match.end(): match.start() for match in _TAG.finditer(head)} if "#" in head else {}
    while end in ends:
        end = _trim(head, ends[end])
    return end


def _trim(text: str, end: int) -> int:
    while end and text[end - 1].isspace():
        end -= 1
    return end
