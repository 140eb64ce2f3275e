"""A pin: what must not be forgotten now, on one line with its kind, its evidence and its time (G009, G019 to G024).

`- **title**：summary [type:: …] [source:: …] [artifact:: …] [created:: …] [ttl:: …] ^id`. A line that a person wrote
without a title, a date or an id is a pin too; its summary is the whole text.
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
    """One pin, as a program wants it; what its line does not say is empty."""

    key: str  # `^id`, or the key of its text
    type: str
    title: str
    summary: str
    source: str
    artifact: str
    created: str  # ISO
    ttl: str  # its own; empty where the kind's holds
    until: str  # its last day, ISO; empty while only sessions to come decide
    expired: bool
    line: int  # 1-based
    text: str  # as it stands in the file


def read_pin(entry: Entry, default: str, today: date, sessions: tuple[date, ...] = ()) -> Pin:
    """Read a pin; `default` is the kind's time to live, `sessions` the days of the sessions there were, sorted."""
    parts = entry.parts
    title, summary = read_body(entry.text)
    said = {name: field.value for name in FIELDS if (field := parts.field(name))}
    last = last_day(parts, default, sessions)
    return Pin(
        key=f"^{parts.id}" if parts.id else entry_key(entry.text),
        type=said.get("type", ""),
        title=title,
        summary=summary,
        source=said.get("source", ""),
        artifact=said.get("artifact", ""),
        created=said.get("created", ""),
        ttl=said.get("ttl", ""),
        until=last.isoformat() if last else "",
        expired=bool(last and last < today),
        line=entry.line + 1,
        text=entry.text,
    )


def read_body(text: str) -> tuple[str, str]:
    """Return title and summary of a pin's line."""
    body = read_entry(text).body.of(text).strip()
    titled = _TITLED.match(body)
    return (titled.group(1).strip(), body[titled.end() :].strip()) if titled else ("", body)


def write_body(title: str, summary: str, lang: str) -> str:
    """Write title and summary as the text of a line."""
    bare = title.replace("*", "").strip()
    return f"**{bare}**{say(lang, 'punctuation.colon')}{summary}" if bare else summary


def with_body(text: str, body: str) -> str:
    """Return a pin's line another text; its fields and its id stay."""
    span = read_entry(text).body
    rest = text[span.end :]
    return f"{text[: span.start]}{body}{'' if rest[:1].isspace() or not rest else ' '}{rest}"


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """Return a line these fields: in the place of those of the same name, or behind them; an empty value takes one out.

    Raises:
        UsageError: a value cannot be written as one.
    """
    for key, value in fields.items():
        known = read_entry(text).field(key)
        if known and value:
            span = Span(known.span.start, known.span.end)
            text = f"{text[: span.start]}[{key}:: {value}]{text[span.end :]}"
        elif known:
            text = text[: known.span.start].rstrip() + text[known.span.end :]
        elif value:
            text = content(text, {key: value}, EntryRule()).text
    return text


def same_pin(document: Document, title: str, summary: str) -> Entry | None:
    """Find a pin that says the same, or bears the same title."""
    wanted, called = comparison_key(summary), comparison_key(title)
    for entry in document.entries:
        other, said = read_body(entry.text)
        if not entry.depth and ((called and comparison_key(other) == called) or comparison_key(said) == wanted):
            return entry
    return None


def pin_id(body: str, known: frozenset[str]) -> str:
    """Make a short id of what a pin says, which no other bears."""
    digest = blake2b(body.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return next(name for size in range(5, 33) if (name := f"p{digest[:size]}") not in known)
