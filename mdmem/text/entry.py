"""The grammar of an entry: checkbox · date · text · #tags · [key:: value] · ^id (DESIGN section 6).

Only the text is required. Fields and ids are what Obsidian and Dataview write; trailing HTML comments with
metadata, as other tools write them, are read and never written. Text in backticks is plain text.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from mdmem.text.inline import mask, specials
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span

_CHECKBOX = pattern(r"\[([ xX])\](?=[ \t]|$)[ \t]*")
_TICKS = ("✅", "☑", "✔")
_DONE = pattern(r"(?:✅|☑️?|✔️?)[ \t]*")
_DATE = pattern(
    r"(?<![\d/.\-])(?P<year>\d{4})(?:(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})"
    r"(?!(?!/\d{4}[-/.])[\d/.\-]*\d)"  # more digits make it a version or a number, unless they begin a date
    r"| ?年 ?(?P<month2>\d{1,2}) ?月 ?(?P<day2>\d{1,2})(?: ?日)?)"
)
_BEFORE_DATE = ("", "**", "__", "[[", "[", "【", "(", "（")  # may open before a date
_TIME = r"(?:[ T]*\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?"
_JOINTS = (":", "：", ",", "，")
_JOINT = r"\s*(?:[:：,，]|[—–-](?=\s))?\s*"
_CLOSE = r"(?:\*\*|__|\]\]|[\]】)）])"
_AFTER_DATE = pattern(_TIME + _JOINT)
_AFTER_CLOSED_DATE = pattern(rf"\s*(?:{_CLOSE}{_TIME}|{_TIME}{_JOINT}{_CLOSE}){_JOINT}")
_TAG = pattern(r"(?<!\]\()#([\d_/-]*[^\W\d_][\w/-]*)")  # `#12` is an issue, not a tag
_NO_BRACKETS = str.maketrans("[]", "()")
_BEFORE_TAG = frozenset("(（[【,，;；、。")  # or white space, or the beginning of the text
_FIELD = pattern(
    r"(?<![A-Za-z0-9_)])\[(?!\s)([^\[\]:：`]+)(?<!\s)::"
    r"((?:[^\[\]]|\[\[[^\[\]]*\]\]|\[[^\[\]]*\](?=\())*)\]"  # a value may contain links of both kinds
)
_ID = pattern(r"(?:^|(?<=\s))\^([A-Za-z0-9-]+)\Z")


class EntryField(NamedTuple):
    """A `[key:: value]` field; spans are offsets in the entry's text."""

    key: str
    value: str
    span: Span
    value_span: Span


class DateMention(NamedTuple):
    """A complete date; `value` is None if there is no such day."""

    text: str
    value: date | None
    span: Span


class EntryParts(NamedTuple):
    """The parts of an entry's line; every span counts from the beginning of that line."""

    done: bool | None  # None if there is neither a checkbox nor a ✅
    checkbox: Span | None
    tick: Span | None  # the leading ✅ with the spaces after it
    dates: tuple[DateMention, ...]
    date: DateMention | None  # the leading one
    tags: tuple[str, ...]
    fields: tuple[EntryField, ...]
    id: str | None
    id_span: Span | None
    meta: Span | None  # the trailing HTML comments
    body: Span  # the text without checkbox, leading date, trailing fields, tags, id and comment

    def field(self, key: str) -> EntryField | None:
        """Return the first field with this key."""
        return next((field for field in self.fields if field.key == key), None)


def read_dates(text: str) -> tuple[DateMention, ...]:
    """Find complete dates, valid or not."""
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
        found.append(DateMention(match.group(), value, Span(*match.span())))
    return tuple(found)


@lru_cache(maxsize=2048)  # the same lines are read for one pack after another
def read_entry(text: str) -> EntryParts:
    """Parse an entry's text; never fails, because any text is an entry."""
    head, meta = _visible(text)
    start, done, checkbox, ticked = 0, None, None, None
    # these checks avoid the regular expressions for most entries
    if head.startswith("[") and (box := _CHECKBOX.match(head)):
        done, checkbox, start = box.group(1) != " ", Span(0, 3), box.end()
    if head[start : start + 1] in _TICKS and (tick := _DONE.match(head, start)):
        done, start, ticked = True, tick.end(), _span(tick)
    dates = read_dates(head)
    first, start = _leading(head, start, dates) if dates else (None, start)
    ident = _ID.search(head) if "^" in head else None
    fields = _fields(text, head) if "::" in head else ()
    tags = tuple(tag for tag in _TAG.finditer(head) if _is_apart(head, tag.start())) if "#" in head else ()
    trailing = [*(field.span for field in fields), *map(_span, tags)] if fields or tags else ()
    end = _body_end(text, ident.start() if ident else len(head), trailing)
    return EntryParts(
        done=done,
        checkbox=checkbox,
        tick=ticked,
        dates=dates,
        date=first,
        tags=tuple(match.group(1) for match in tags),
        fields=fields,
        id=ident.group(1) if ident else None,
        id_span=_span(ident) if ident else None,
        meta=meta,
        body=Span(start, max(start, end)),
    )


def statement(text: str, parts: EntryParts | None = None) -> str:
    """Return what an entry says: its body, and the tags right behind it, for they may be its last words."""
    parts = parts or read_entry(text)
    others = (*(field.span for field in parts.fields), parts.id_span, parts.meta)
    end = min((one.start for one in others if one and one.start >= parts.body.end), default=len(text))
    return text[parts.body.start : end].strip()


def plain(text: str, fields: Container[str]) -> str:
    """Return an entry's text without its id and without the fields with these keys."""
    if "::" not in text and "^" not in text:
        return text
    parts = read_entry(text)
    spans = [field.span for field in parts.fields if field.key.casefold() in fields]
    for span in sorted([*spans, *([parts.id_span] if parts.id_span else [])], reverse=True):
        text = f"{text[: span.start].rstrip(' ')}{text[span.end :]}"
    return text.rstrip()


def without_fields(text: str) -> str:
    """Return a text with `(key: value)` for each `[key:: value]`, so that quoted fields are not the entry's own."""
    if "::" not in text:
        return text
    for field in reversed(read_entry(text).fields):
        text = f"{text[: field.span.start]}({field.key}: {field.value}){text[field.span.end :]}"
    return text


def without_brackets(text: str) -> str:
    """Return a text as the value of a field can hold it: with parentheses for square brackets."""
    return text.translate(_NO_BRACKETS)


def strip_fields(line: str, fields: Sequence[str], *, ids: bool) -> str:
    """Return a line without the fields and the id that are not shown."""
    if "::" not in line and "^" not in line:
        return line
    parts = read_entry(line)
    spans = [field.span for field in parts.fields if field.key not in fields]
    spans += [parts.id_span] if parts.id_span and not ids else []
    for span in sorted(spans, reverse=True):
        line = line[: span.start].rstrip(" \t") + line[span.end :]
    return line


def _is_apart(head: str, at: int) -> bool:
    return at == 0 or head[at - 1].isspace() or head[at - 1] in _BEFORE_TAG


def _visible(text: str) -> tuple[str, Span | None]:
    """Return the text before its trailing comments, and their span; code and comments are masked by backticks."""
    end = _trim(text, len(text))
    if "`" not in text and "<!--" not in text:
        return text[:end], None
    found, meta = list(specials(text)), None
    for is_code, span in reversed(found):
        if is_code or span.end != end:
            break
        meta = Span(span.start, meta.end if meta else span.end)
        end = _trim(text, span.start)
    return mask(text, (span for _, span in found), "`")[:end], meta


def _leading(head: str, start: int, dates: tuple[DateMention, ...]) -> tuple[DateMention | None, int]:
    """Find the leading date of an entry and the offset of its text; brackets before the date must close after it."""
    first = dates[0]
    opened, end = head[start : first.span.start].rstrip(), first.span.end
    if first.span.start < start or opened not in _BEFORE_DATE:
        return None, start
    if not opened and head[end : end + 1] in _JOINTS:  # the most common form, without a regular expression
        return first, len(head) - len(head[end + 1 :].lstrip())
    after = (_AFTER_CLOSED_DATE if opened else _AFTER_DATE).match(head, end)
    return (first, after.end()) if after else (None, start)


def _fields(text: str, head: str) -> tuple[EntryField, ...]:
    return tuple(
        EntryField(match.group(1), _span(match, 2).of(text).strip(), _span(match), _span(match, 2))
        for match in _FIELD.finditer(head)
    )


def _body_end(text: str, end: int, trailing: Iterable[Span]) -> int:
    """Return the end of the text before trailing fields, tags and the spaces between them."""
    end = _trim(text, end)
    starts = {span.end: span.start for span in trailing} if trailing else {}
    while end in starts:
        end = _trim(text, starts[end])
    return end


def _span(match: re.Match[str], group: int = 0) -> Span:
    return Span(*match.span(group))


def _trim(text: str, end: int) -> int:
    while end and text[end - 1].isspace():  # a slice for each of many tags would take quadratic time
        end -= 1
    return end


_BYTES = 6  # twelve hexadecimal characters


def entry_key(text: str) -> str:
    """Return the key of an entry: a hash of its text without the checkbox."""
    parts = read_entry(text)
    start = next((span.end for span in (parts.tick, parts.checkbox) if span), 0)
    from hashlib import blake2b  # with OpenSSL, which a merge and most lints do not need

    return blake2b(comparison_key(text[start:]).encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()


def statement_key(text: str) -> str:
    """Return the key of what an entry says, which stays the same when its fields or its checkbox change."""
    return entry_key(statement(text))


_LIST_MARKER = pattern(r"(?:[-*+•][ \t\u3000]+|[-*+•](?=\[)|\d{1,2}[.)][ \t\u3000]+)")


def bare(line: str) -> str:
    """Return a line without its list marker."""
    match = _LIST_MARKER.match(line)
    return line[match.end() :].strip() if match else line
