"""Read the live lines of a file for the night: what may be merged or may fade, and what always stays. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from mdmem.facts.edits import FactFile, title_of
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import FactWords
from mdmem.formats.template import Template
from mdmem.linter.detect.field_values import fits, meant
from mdmem.night.duplicates import NightLine
from mdmem.settings.keeper_tables import DecaySettings
from mdmem.text.document import Document, Entry
from mdmem.text.entry import EntryParts, entry_key, statement_key
from mdmem.text.similarity import comparison_key

_WRITTEN = ("source", "confidence", "origin")  # fields that mdmem writes; a person writes a line without them
_RULE, _PERMANENT = "rule", "permanent"


class FactLine(NamedTuple):
    """A live fact with its entry."""

    line: NightLine
    fact: Fact
    priority: str
    fields: Mapping[str, str]

    @property
    def recall_key(self) -> str:
        """The key under which its recalls are counted."""
        return statement_key(self.line.entry.text)


class NightRules(NamedTuple):
    """By what lines are read."""

    words: FactWords
    decay: DecaySettings
    rule_marks: tuple[str, ...]  # marks of a rule, wherever they stand
    pins: str  # the text of the pins, as it is compared


def fact_lines(path: str, document: Document, template: Template, rules: NightRules) -> tuple[FactLine, ...]:
    """Return the live facts of a file; lines with others below them are left out."""
    file = FactFile(path, title_of(document), document, template, rules.words, template.lang)
    return tuple(
        _fact_line(entry, fact, template, rules) for entry, fact in file.entries if fact.live and _is_plain(entry)
    )


def entry_lines(document: Document) -> tuple[NightLine, ...]:
    """Return the entries of another file, section by section; to-dos and generated lines are left out.

    The date is part of what is compared: the same on another day may have happened again.
    """
    found = []
    generated = document.auto_blocks
    starts = [block.span.start for block in generated]
    for section in document.sections:
        for entry in section.entries:
            if not _is_plain(entry) or entry.parts.done is not None or not (text := _body(entry)):
                continue
            before = bisect_right(starts, entry.marker.start) - 1
            if before >= 0 and generated[before].span.holds(entry.marker):
                continue
            date = _day(entry.parts)
            line = NightLine(
                entry_key(entry.text), section.title, f"{date} {text}", "", date, entry, entry.parts.id or "",
                fixed=False, by_hand=is_by_hand(entry.parts),
            )  # fmt: skip
            found.append(line)
    return tuple(found)


def is_by_hand(parts: EntryParts) -> bool:
    """Return True if a line is as a person writes it: mdmem writes where a line comes from, or how sure it is."""
    return not any(parts.field(key) for key in _WRITTEN)


def _fact_line(entry: Entry, fact: Fact, template: Template, rules: NightRules) -> FactLine:
    fields = {field.key: field.value for field in reversed(entry.parts.fields)}
    kind, priority = (_choice(fields.get(key, ""), key, template) for key in ("type", "priority"))
    fixed = (
        kind == _RULE
        or priority == _PERMANENT
        or any(mark in entry.text for mark in rules.rule_marks)
        or _is_pinned(entry, fact, rules)
    )
    line = NightLine(
        entry_key(entry.text), kind or "fact", fact.text, rules.words.predicate(fact.predicate), fact.date, entry,
        fact.id, fixed=fixed, by_hand=is_by_hand(entry.parts),
    )  # fmt: skip
    return FactLine(line, fact, priority, fields)


def _choice(value: str, key: str, template: Template) -> str:
    """Return a value as the template spells it."""
    rule = template.entries.fields.get(key)
    return value if not value or rule is None or fits(value, rule) else meant(value, rule, template.parts)


def _is_pinned(entry: Entry, fact: Fact, rules: NightRules) -> bool:
    if any(tag.casefold() in rules.decay.pinned for tag in entry.parts.tags):
        return True
    if not rules.pins:
        return False
    named = bool(fact.id) and any(f"{fact.path}#{mark}{fact.id}".casefold() in rules.pins for mark in ("", "^"))
    key = comparison_key(fact.text)
    return named or (bool(key) and key in rules.pins)


def pins_text(document: Document | None) -> str:
    """Return the pins as they are compared with facts."""
    entries = document.entries if document else ()
    return "\n".join(f"{comparison_key(entry.text)}\n{entry.text.casefold()}" for entry in entries)


def _is_plain(entry: Entry) -> bool:
    return not entry.depth and entry.line == entry.last_line and not entry.blocks


def _body(entry: Entry) -> str:
    return entry.parts.body.of(entry.text).strip()


def _day(parts: EntryParts) -> str:
    return parts.date.value.isoformat() if parts.date and parts.date.value else ""
