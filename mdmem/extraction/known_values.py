"""Find what gives a known property another value: «the staging port is now 9090», said of «my staging port is 8080».

A pattern that knows such a sentence would know half of what people say, so it counts only of a property that a live
fact has. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mdmem.extraction.clauses import clauses
from mdmem.extraction.model import ExtractionTask, FactCandidate
from mdmem.extraction.patterns import KNOWN_TYPES, ClauseMatch, is_exact, patterns
from mdmem.extraction.voices import own_sentences
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import FactWords
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern

_NUMBER = pattern(r"\d+")
_VERSION = pattern(r"(?P<thing>\S.*?)[ _]?(?:version|版本)")


class KnownValue(NamedTuple):
    """A statement that gives a live fact another value."""

    said: FactCandidate
    is_sure: bool  # otherwise it is proposed


def known_values(
    task: ExtractionTask, stated: Iterable[tuple[int, ClauseMatch]], found: Sequence[FactCandidate],
    live: Iterable[Fact], words: FactWords,
) -> list[KnownValue]:  # fmt: skip
    """Return what `statements` say of properties that live facts have, and `found` does not hold."""
    by_key = {
        words.predicate(one.predicate): one
        for one in sorted(live, key=lambda one: one.date)
        if one.predicate and not words.is_many(one.predicate) and not words.is_rule(one.type, one.predicate)
    }
    said = {(one.number, words.predicate(one.predicate)) for one in found}
    changed = list[KnownValue]()
    for number, match in stated:
        fact = by_key.get(words.predicate(match.predicate))
        if fact is None or (number, words.predicate(fact.predicate)) in said:
            continue
        one = FactCandidate(
            "fact", fact.subject, fact.predicate, match.text, match.row.importance, number, value=match.value,
            is_update=True, by_user=True,
        )  # fmt: skip
        if task.unfit(one.text) is None and not words.same(one.text, fact.text, fact.predicate):
            changed.append(KnownValue(one, _is_sure(match, fact)))
    return changed


def statements(task: ExtractionTask) -> list[tuple[int, ClauseMatch]]:
    """Return the clauses of the user that may give a property a value, each with its round."""
    known, own = patterns(tuple(task.rows), tuple(task.lists)), clauses(task.settings)
    found = list[tuple[int, ClauseMatch]]()
    for one in own_sentences(task.turns, task.splitter, own, task.settings.sentence_chars):
        if one.asks or own.is_doubtful(one.text):
            continue
        is_order = False
        for clause in own.split(one.text):
            is_order = is_order or own.is_request(clause)
            match = None if is_order and own.may_order(clause) else known.match(clause, KNOWN_TYPES)
            if match and not own.is_doing(match.value, match.predicate):
                found.append((one.number, match))
    return found


def _is_sure(match: ClauseMatch, fact: Fact) -> bool:
    """Return whether a value is of the kind that the fact has: «the port is now blocked» names no other port."""
    is_chinese = has_chinese(match.text)
    old, new = (is_exact(text, is_chinese=is_chinese) for text in (fact.text, match.value))
    return old == new if match.row.type == "renew" else new and bool(_NUMBER.search(fact.text + match.value))


def with_old_versions(
    items: Sequence[FactCandidate], live: Sequence[Fact], words: FactWords
) -> tuple[FactCandidate, ...]:  # fmt: skip
    """Return statements in which a new version names the old one, which another property holds: «I use Node 18»."""
    return tuple(_with_old_version(one, live, words) for one in items)


def is_new_version(one: FactCandidate) -> bool:
    """Return whether a statement says that something has another version, without the old one."""
    return one.is_update and not one.old and _VERSION.fullmatch(one.predicate) is not None


def _with_old_version(one: FactCandidate, live: Sequence[Fact], words: FactWords) -> FactCandidate:
    found = _VERSION.fullmatch(one.predicate) if is_new_version(one) else None
    key = words.predicate(one.predicate)
    if found is None or any(words.predicate(fact.predicate) == key for fact in live):
        return one
    thing = re.escape(found["thing"].replace("_", " "))
    held = re.compile(rf"(?i)(?<![a-z0-9]){thing} ?v?\d[\w.]*(?<!\.)")
    old = [match.group() for fact in live if fact.type != "rule" and (match := held.search(fact.text))]
    return one._replace(old=old[0]) if len(old) == 1 else one
