"""Find two names of one property in the live facts of a subject, and propose to keep one line of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits import replace
from mdmem.entries.inbox.proposals import InboxDraft, add_proposal, earlier_proposals, hunks
from mdmem.entries.kind_files import files_of
from mdmem.facts.edits import with_fields
from mdmem.facts.model import Fact
from mdmem.facts.read import fact_words, facts_in, first_part
from mdmem.formats.fact_words import KIND, FactWords
from mdmem.messages.catalog import say
from mdmem.search.words.terms import is_stop, terms
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import apply_edits
from mdmem.text.similarity import comparison_key

_RULE = "rule"


class OneProperty(NamedTuple):
    """Two live lines whose names of properties mean one: the line that holds, and the one that would end."""

    kept: Fact
    ended: Fact
    is_known: bool  # the template lists the names as one; otherwise the lines only hold the same value

    def sentence(self, lang: str) -> str:
        """Return what a person is asked."""
        key = "known" if self.is_known else "same-value"
        names = {"name": self.kept.predicate, "other": self.ended.predicate}
        return say(lang, f"fact.one-property-{key}", **names, new=self.kept.text, old=self.ended.text)


def one_properties(config: WorkspaceConfig) -> tuple[OneProperty, ...]:
    """Return the pairs of lines that name one property of a subject twice, and that were not proposed yet."""
    words, subjects = fact_words(config), dict[str, list[Fact]]()
    for path in files_of(config, KIND):
        own = subjects.setdefault(first_part(config, path, words), [])
        own += (one for one in facts_in(config, path, words) if one.live and one.predicate and not one.masked)
    found = [one for facts in subjects.values() for one in _pairs([one for one in facts if one.type != _RULE], words)]
    known = earlier_proposals(config, config.settings.extract.inbox_changes) if found else frozenset()
    return tuple(one for one in found if comparison_key(one.sentence(config.lang)) not in known)


def propose_one_property(config: WorkspaceConfig, one: OneProperty) -> bool:
    """Propose to end one of two lines; accepting it is the one command. Return False if the lines have changed."""
    commit = ChangeRequest(config, "correct", KEEPER, say(config.lang, "correction.reason"))
    path, done = one.ended.path, False

    def change(files: DraftFiles) -> Edits:
        nonlocal done
        document = files[path]
        entry = next((own for own in document.entries if own.line + 1 == one.ended.line), None) if document else None
        if document is None or entry is None or one.ended.text not in entry.text:
            return {}
        name = one.kept.id if one.kept.path == path else f"{one.kept.path}#{one.kept.id}"
        fields = {"superseded": config.day} | ({"superseded_by": name} if one.kept.id else {})
        edits = replace(document, entry, with_fields(entry.text, fields)).edits
        commit.gate.examine(path, document, edits)
        (hunk,) = hunks(document.text, apply_edits(document.text, edits))
        draft = InboxDraft(commit, files, hunk.lines)
        add_proposal(commit, draft, path, hunk, one.sentence(config.lang))
        done = True
        return draft.edits()

    commit.run(change)
    return done


def _pairs(facts: Sequence[Fact], words: FactWords) -> Iterator[OneProperty]:
    """Yield each line that would end, once, with the newest line that means the same property."""
    ended = set[Fact]()
    for older, newer in combinations(sorted(facts, key=lambda one: one.date), 2):
        if older in ended or older.predicate == newer.predicate or words.is_many(older.predicate):
            continue
        is_known = words.predicate(older.predicate) == words.predicate(newer.predicate)
        if is_known and words.partial_date(older.text, older.predicate):
            continue
        if is_known or _hold_same_value(older, newer, words):
            ended.add(older)
            yield OneProperty(_newest(facts, newer, words), older, is_known)


def _newest(facts: Sequence[Fact], one: Fact, words: FactWords) -> Fact:
    """Return the newest live line of the property of a fact."""
    key = words.predicate(one.predicate)
    return max((other for other in facts if words.predicate(other.predicate) == key), key=lambda other: other.date)


def _hold_same_value(one: Fact, other: Fact, words: FactWords) -> bool:
    """Return whether two properties that the template does not know have one value, which is more than a number."""
    if words.is_many(other.predicate) or any(len(words.predicate_names(own.predicate)) > 1 for own in (one, other)):
        return False
    values = [frozenset(terms(words.bare(own.text, own.predicate))) for own in (one, other)]
    return values[0] == values[1] and any(not is_stop(term) and not term.isdigit() for term in values[0])
