"""Find the live lines of other files that still state a value which a fact has replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.inbox.corrections import OutdatedLine
from mdmem.entries.inbox.waiting_corrections import waiting_corrections
from mdmem.entries.kind_files import files_of
from mdmem.entries.read import live_bytes
from mdmem.facts.model import Fact, NewFact
from mdmem.formats.fact_words import KIND, FactWords
from mdmem.formats.limits import owner_of
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.search.words.terms import is_stop, terms
from mdmem.text.document import Document, Entry, parse
from mdmem.text.entry import statement


class OldValue(NamedTuple):
    """The words by which a line is known that states a replaced value."""

    value: frozenset[str]  # all of them stand in such a line,
    topic: frozenset[str]  # with one of these, which say what the value is of,
    new: frozenset[str]  # and not all of these

    def is_stated(self, text: str) -> bool:
        """Return whether a text states the value."""
        said = frozenset(terms(text))
        return self.value <= said and bool(self.topic & said) and not (self.new and self.new <= said)


def old_value(was: Fact, now: NewFact, words: FactWords, *, ends: bool) -> OldValue | None:
    """Return the words of a value that was replaced, or that `ends` without a new one; None if it has none."""
    own = _content(words.bare(was.text, was.predicate))
    its = frozenset[str]() if ends else _content(words.bare(now.text, now.predicate))
    value = own - its
    spellings = _content(" ".join(words.spellings(was.predicate)))
    topic = (_content(was.text) & _content(now.text)) | spellings
    return OldValue(value, topic - value, its - own) if value else None


class ReplacedValue(NamedTuple):
    """What a decision about a statement took out of force."""

    lines: tuple[Fact, ...]
    now: NewFact
    fact: str  # FILE#ID of the line that says what holds now, or of the one that ended
    ends: bool  # nothing took its place


def stated_values(replaced: Sequence[ReplacedValue], words: FactWords) -> list[tuple[ReplacedValue, OldValue]]:
    """Return what was taken out of force with the words of each value; values without words are left out."""
    every = ((one, old_value(was, one.now, words, ends=one.ends)) for one in replaced for was in one.lines)
    return [(one, value) for one, value in every if value]


def outdated_lines(
    config: WorkspaceConfig, replaced: Sequence[ReplacedValue], words: FactWords
) -> Iterator[OutdatedLine]:
    """Yield the live lines of other files that state what was replaced or has ended.

    Lines that tell events, later lines, generated lines, and lines that say that something ended are left out. A line
    whose correction named a replaced value is corrected anew.
    """
    values = stated_values(replaced, words)
    names = {f"{fact.path}#{fact.key}": one for one in replaced for fact in one.lines}
    waiting = waiting_corrections(config)
    if not values and not waiting:
        return
    colon = say(config.lang, "punctuation.colon")
    for path, document, template in _files(config):
        for entry in _statements(document, template):
            text = statement(entry.text, entry.parts)
            known = waiting.of(path, entry.text)
            by = names.get(known.fact) if known else None
            if by is None and not words.retracts(text):
                stated = (one for one, value in values if not _is_later(entry, one.now.date) and value.is_stated(text))
                by = next(stated, None)
            if by is None or (known and _states(text, by.now, words)):
                continue
            now = "" if by.ends else words.shown(by.now.text, by.now.predicate, by.now.type, colon)
            yield OutdatedLine(path, document, entry, now, by.fact, by.now.date)


def _states(text: str, now: NewFact, words: FactWords) -> bool:
    """Return whether a line states the value that holds now: «I live in Porto» does, where the fact says «lives»."""
    value = _content(words.bare(now.text, now.predicate))
    return bool(value) and value <= frozenset(terms(text))


def _content(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if not is_stop(term))


def _files(config: WorkspaceConfig) -> Iterator[tuple[str, Document, Template]]:
    """Yield the files whose entries are statements that hold until they are changed."""
    for kind in config.schemas.kinds:
        template = config.schemas.get(kind)
        if template is None or kind == KIND or template.entries.recurs or not template.entries.unique:
            continue
        for path in files_of(config, kind):
            data = live_bytes(config, path, config.settings.lint.max_bytes)
            if data is not None:
                document = parse(data)
                yield path, document, config.schemas.match(path, document) or template


def _statements(document: Document, template: Template) -> Iterator[Entry]:
    generated = [block.span for block in document.auto_blocks]
    owners = {entry.line: section for section in document.sections for entry in section.entries}
    for entry in document.entries:
        owner = owner_of(document, template, owners.get(entry.line))
        is_event = owner is not None and owner.entries.recurs
        if not is_event and not any(span.holds(entry.span) for span in generated):
            yield entry


def _is_later(entry: Entry, day: str) -> bool:
    date = entry.parts.date
    return bool(date and date.value and date.value.isoformat() > day)
