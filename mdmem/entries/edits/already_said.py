"""Finds the entry that already says what a new one says: with another date, other punctuation, or more words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mdmem.entries.edits.add import two_days
from mdmem.entries.edits.content import EditNote
from mdmem.formats.fact_words import any_word
from mdmem.formats.limits import owner_of
from mdmem.formats.template import EntryRule, Template
from mdmem.linter.detect.relative_dates import relative
from mdmem.linter.rule import quote
from mdmem.text.document import Document, Entry, Section
from mdmem.text.entry import entry_key, read_entry
from mdmem.text.similarity import comparison_key, covers

_SHOWN = 160  # characters of an entry that a message quotes


class SameWords(NamedTuple):
    """When two texts say the same."""

    least: float  # the share of common words
    min_chars: int  # shorter texts are compared as a whole only, and within their section
    qualifiers: tuple[str, ...]  # words that limit what a clause says


class _EntryText(NamedTuple):
    text: str  # without date, tags, fields and id
    done: bool


class SaidEntries:
    """The entries of a file that a new one may repeat."""

    def __init__(self, document: Document, template: Template | None, target: Section | None, words: SameWords) -> None:
        """Bind to a file; the new entries are for the section `target`."""
        self._words = words
        self._here = target.heading.start if target else None
        by_section: dict[Section | None, list[Entry]] = {}
        for section, entry in _outer(document):
            by_section.setdefault(section, []).append(entry)
        self._known = [
            (entry, section)
            for section, entries in by_section.items()
            if (rule := _rule(document, template, section)).unique and not rule.recurs and not _is_log(entries)
            for entry in entries
        ]

    def split(self, texts: Sequence[str]) -> tuple[list[str], list[EditNote]]:
        """Return the texts that are new, and notes about the others, or about entries that say a part of a new one."""
        new: list[str] = []
        notes: list[EditNote] = []
        for text in texts:
            said = _entry_text(text)
            if entry := self._saying(said):
                notes.append(_note("duplicate", text, entry))
                continue
            if entry := self._part_of(said):
                notes.append(_note("part", text, entry))
            new.append(text)
        return new, notes

    def _saying(self, said: _EntryText) -> Entry | None:
        """Return the entry that says a text; one about a relative day is said anew on each day."""
        if relative(said.text):
            return None
        return next((entry for entry in self._candidates(said) if self._covers(_entry_text(entry.text), said)), None)

    def _part_of(self, said: _EntryText) -> Entry | None:
        """Return an entry of which a longer text says everything."""
        return next((entry for entry in self._candidates(said) if self._covers(said, _entry_text(entry.text))), None)

    def _candidates(self, said: _EntryText) -> Iterable[Entry]:
        is_long = len(said.text) >= self._words.min_chars
        return (one for one, section in self._known if is_long or (section and section.heading.start) == self._here)

    def _covers(self, line: _EntryText, said: _EntryText) -> bool:
        if line.done is not said.done:
            return False
        if comparison_key(line.text) == comparison_key(said.text):
            return True
        if len(said.text) < self._words.min_chars or not covers(line.text, said.text, self._words.least):
            return False
        limits = any_word(self._words.qualifiers)
        return limits.findall(line.text.casefold()) == limits.findall(said.text.casefold())


def _is_log(entries: Sequence[Entry]) -> bool:
    """Return whether a section says one thing under several dates: then each date is an event of its own."""
    days: dict[str, object] = {}
    for entry in entries:
        parts = entry.parts
        key, day = comparison_key(parts.body.of(entry.text)), parts.date and parts.date.value
        if day and days.setdefault(key, day) != day:
            return True
    return False


def _note(kind: str, text: str, entry: Entry) -> EditNote:
    new, parts = read_entry(text), entry.parts
    is_equal = comparison_key(new.body.of(text)) == comparison_key(parts.body.of(entry.text))
    said = "" if is_equal and not two_days(new, parts) else quote(entry.text, _SHOWN)
    return EditNote(kind, {"text": text, "line": entry.line + 1, "key": entry_key(entry.text), "said": said})


def _outer(document: Document) -> Iterable[tuple[Section | None, Entry]]:
    """Yield the outermost entries with their sections; generated lines are no entries of their own."""
    owners = {entry.line: section for section in document.sections for entry in section.entries}
    generated = [block.span for block in document.auto_blocks]
    for entry in document.entries:
        if not entry.depth and not any(span.holds(entry.span) for span in generated):
            yield owners.get(entry.line), entry


def _rule(document: Document, template: Template | None, section: Section | None) -> EntryRule:
    owner = owner_of(document, template, section) if template and section else None
    return owner.entries if owner else template.entries if template else EntryRule()


def _entry_text(text: str) -> _EntryText:
    parts = read_entry(text)
    return _EntryText(parts.body.of(text).strip(), bool(parts.done))
