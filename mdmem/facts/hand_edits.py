"""Find what a person replaced or ended in a facts file with an editor, and the lines that still state it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edited_by_hand import hand_edits, readable_bytes
from mdmem.entries.inbox.corrections import OutdatedLine
from mdmem.entries.inbox.items import inbox_path
from mdmem.entries.inbox.proposals import earlier_corrections
from mdmem.entries.kind_files import files_of
from mdmem.entries.model import Outcome
from mdmem.facts.edits import document_facts, title_of
from mdmem.facts.inbox_lines import proposal_edits
from mdmem.facts.model import Fact, NewFact
from mdmem.facts.old_values import ReplacedValue, outdated_lines
from mdmem.facts.read import fact_template, fact_words, stem
from mdmem.formats.fact_words import KIND, FactWords
from mdmem.linter.sources import OutdatedMark
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.similarity import comparison_key


class FactEdit(NamedTuple):
    """One edit of a facts file without mdmem: the live facts before it, and all facts after it."""

    day: str  # ISO, on which it was seen
    before: tuple[Fact, ...]
    after: tuple[Fact, ...]


class OutdatedByHand(NamedTuple):
    """What was replaced or ended by hand, and the lines of which no correction was proposed yet."""

    replaced: tuple[ReplacedValue, ...]
    lines: tuple[OutdatedLine, ...]


def outdated_by_hand(config: WorkspaceConfig) -> OutdatedByHand:
    """Return the lines that state what a person replaced or ended in a facts file with an editor.

    A line whose correction for the same fact waits, or was rejected, is left out.
    """
    words = fact_words(config)
    replaced = tuple(_replaced(config, words))
    lines = list(outdated_lines(config, replaced, words)) if replaced else []
    if not lines:
        return OutdatedByHand(replaced, ())
    known = earlier_corrections(config, config.settings.extract.inbox_changes)
    return OutdatedByHand(replaced, tuple(one for one in lines if _named(one) not in known))


def outdated_marks(config: WorkspaceConfig) -> Mapping[str, tuple[OutdatedMark, ...]]:
    """Return the lines of `outdated_by_hand` by path, as `lint` marks them."""
    marks: dict[str, tuple[OutdatedMark, ...]] = {}
    for one in outdated_by_hand(config).lines:
        marks[one.path] = (*marks.get(one.path, ()), OutdatedMark(one.entry.line, one.fact))
    return marks


def correct_hand_edits(config: WorkspaceConfig, *, dry_run: bool = False) -> Outcome:
    """Propose in the inbox to correct the lines that state what was replaced or ended by hand."""
    commit = ChangeRequest(config, "correct", KEEPER, say(config.lang, "correction.reason"), dry_run=dry_run)
    path = inbox_path(config)
    found = outdated_by_hand(config)

    def change(files: DraftFiles) -> Edits:
        return proposal_edits(commit, files, (), found.lines, found.replaced)

    if not found.lines:
        return Outcome("unchanged", say(config.lang, "correction.nothing"), "", path)
    commit.run(change)
    return commit.outcome(say(config.lang, "correction.proposed", count=len(found.lines), inbox=path), path)


def _replaced(config: WorkspaceConfig, words: FactWords) -> Iterator[ReplacedValue]:
    """Yield what was replaced or ended by hand and is still so: what somebody states again holds again."""
    edits = list(_fact_edits(config, words))
    if not edits:
        return
    now = [
        fact for path in files_of(config, KIND) for fact in _facts(config, path, readable_bytes(config, path), words)
    ]
    live = {_name(fact, words): fact for fact in now if fact.live}
    texts = {comparison_key(fact.text) for fact in live.values()}
    newer = dict[tuple[str, str], Fact | None]()  # by the name of a fact, what took its place
    for edit in edits:
        for was, new in _changes(edit, words):
            last = newer.setdefault(_name(was, words), new)
            while last and _name(last, words) not in live and newer.get(_name(last, words), last) is not last:
                last = newer[_name(last, words)]
            if comparison_key(was.text) in texts or (last and _name(last, words) not in live):
                continue
            by = live[_name(last, words)] if last else was
            day = by.date if by.date > was.date else edit.day
            said = NewFact(by.subject, by.predicate, by.text, by.type, day)
            yield ReplacedValue((was,), said, f"{by.path}#{by.key}", ends=last is None)


def _named(one: OutdatedLine) -> tuple[str, ...]:
    """Return what `earlier_corrections` knows of the correction of a line."""
    return one.path, comparison_key(one.entry.text), one.fact, comparison_key(one.now)


def _changes(edit: FactEdit, words: FactWords) -> Iterator[tuple[Fact, Fact | None]]:
    """Yield the facts that an edit took out of force, each with the one that took its place."""
    live = {_name(fact, words): fact for fact in edit.after if fact.live}
    known = {_name(fact, words) for fact in edit.before}
    new = [fact for name, fact in live.items() if name not in known]
    for was in edit.before:
        if _name(was, words) not in live:
            yield was, _successor(was, edit.after, new, words)


def _successor(was: Fact, after: Sequence[Fact], new: Sequence[Fact], words: FactWords) -> Fact | None:
    """Return the line that took the place of a fact: named by it, with its id, of its property, or in its line."""
    ended = next((one for one in after if not one.live and _is_same_line(was, one)), None)
    if ended and ended.superseded_by:
        return next((one for one in after if one.live and one.id == ended.superseded_by), None)
    key = words.predicate(was.predicate)
    own = [one for one in new if words.predicate(one.predicate) == key]
    found = [one for one in own if one.line == was.line] or ([] if not key or words.is_many(key) else own)
    return next((one for one in new if was.id and one.id == was.id), None) or next(iter(found), None)


def _is_same_line(one: Fact, other: Fact) -> bool:
    return bool(one.id and one.id == other.id) or comparison_key(one.text) == comparison_key(other.text)


def _name(fact: Fact, words: FactWords) -> tuple[str, str]:
    return words.predicate(fact.predicate), comparison_key(fact.text)


def _fact_edits(config: WorkspaceConfig, words: FactWords) -> Iterator[FactEdit]:
    """Yield the edits of facts files by hand, newest first."""
    for edit in hand_edits(config, files_of(config, KIND)):
        live = tuple(fact for fact in _facts(config, edit.path, edit.before, words) if fact.live)
        yield FactEdit(min(edit.time[:10], config.day), live, _facts(config, edit.path, edit.after, words))


def _facts(config: WorkspaceConfig, path: str, data: bytes, words: FactWords) -> tuple[Fact, ...]:
    document = parse(data)
    template = config.schemas.match(path, document) or fact_template(config)
    return document_facts(path, document, template, words, title_of(document) or stem(path))
