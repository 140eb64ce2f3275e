"""The type of a pin, and the reader and writer of its line (G009, G019 to G024).

`- **title**：summary [type:: …] [source:: …] [artifact:: …] [created:: …] [ttl:: …] ^id`. A line without a title, a
date or an id is a pin too; its summary is the whole text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b

from mdmem.entries.edits.content import content
from mdmem.formats.limits import last_day
from mdmem.formats.template import EntryRule
from mdmem.messages.catalog import say
from mdmem.text.document import Document, Entry
from mdmem.text.entry import entry_key, read_entry
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span

FIELDS = ("type", "source", "artifact", "created", "ttl")  # in the order in which they are written
_TITLED = pattern(r"\*\*([^*]+)\*\*[ \t]*[:：][ \t]*")


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin; values that its line does not have are empty."""

    key: str  # `^id`, or the key of its text
    type: str
    title: str
    summary: str
    source: str
    artifact: str
    created: str  # ISO
    ttl: str  # its own time to live; empty for that of the kind
    until: str  # its last day, ISO; empty while it depends on future sessions
    expired: bool
    line: int  # 1-based
    text: str  # as in the file


def read_pin(entry: Entry, default: str, today: date, sessions: tuple[date, ...] = ()) -> Pin:
    """Return an entry as a pin; `default` is the kind's time to live, `sessions` the sorted days of all sessions."""
    parts = entry.parts
    title, summary = read_body(entry.text)
    values = {name: field.value for name in FIELDS if (field := parts.field(name))}
    last = last_day(parts, default, sessions)
    return Pin(
        key=f"^{parts.id}" if parts.id else entry_key(entry.text),
        type=values.get("type", ""),
        title=title,
        summary=summary,
        source=values.get("source", ""),
        artifact=values.get("artifact", ""),
        created=values.get("created", ""),
        ttl=values.get("ttl", ""),
        until=last.isoformat() if last else "",
        expired=bool(last and last < today),
        line=entry.line + 1,
        text=entry.text,
    )


def read_body(text: str) -> tuple[str, str]:
    """Return the title and the summary of a pin's text."""
    body = read_entry(text).body.of(text).strip()
    titled = _TITLED.match(body)
    return (titled.group(1).strip(), body[titled.end() :].strip()) if titled else ("", body)


def write_body(title: str, summary: str, lang: str) -> str:
    """Return the text of a pin with a title and a summary."""
    bare = title.replace("*", "").strip()
    return f"**{bare}**{say(lang, 'punctuation.colon')}{summary}" if bare else summary


def with_body(text: str, body: str) -> str:
    """Return a pin's text with another title and summary; fields and id stay."""
    span = read_entry(text).body
    rest = text[span.end :]
    return f"{text[: span.start]}{body}{'' if rest[:1].isspace() or not rest else ' '}{rest}"


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """Return a text with fields set: existing ones are replaced, new ones added, those with an empty value removed.

    Raises:
        UsageError: a value cannot be written as a field.
    """
    for key, value in fields.items():
        field = read_entry(text).field(key)
        if field and value:
            span = Span(field.span.start, field.span.end)
            text = f"{text[: span.start]}[{key}:: {value}]{text[span.end :]}"
        elif field:
            text = text[: field.span.start].rstrip() + text[field.span.end :]
        elif value:
            text = content(text, {key: value}, EntryRule()).text
    return text


def same_pin(document: Document, title: str, summary: str) -> Entry | None:
    """Return the entry of a pin with the same summary or title; None if there is none."""
    summary_key, title_key = comparison_key(summary), comparison_key(title)
    for entry in document.entries:
        other, body = read_body(entry.text)
        if not entry.depth and (
            (title_key and comparison_key(other) == title_key) or comparison_key(body) == summary_key
        ):
            return entry
    return None


def pin_id(body: str, used: frozenset[str]) -> str:
    """Return a short, unused id computed from the text of a pin."""
    digest = blake2b(body.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return next(name for size in range(5, 33) if (name := f"p{digest[:size]}") not in used)
