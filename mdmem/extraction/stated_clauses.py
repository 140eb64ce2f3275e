"""Finds the statement that a clause makes, or a whole sentence by its constituents, and what makes it none.

A clause may leave unsaid what the clauses before it have said; `SentenceContext` holds that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from mdmem.extraction.clauses import OWN, Clauses, normal
from mdmem.extraction.model import ExtractionTask, FactCandidate, Reason
from mdmem.extraction.owners import owned_property
from mdmem.extraction.patterns import ClauseMatch, StatementPattern, StatementPatterns
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern

CHANGED = ("update", "retract", "end", "swap")
STATED = ("fact", "preference", *CHANGED)
_TIMED = (*STATED, "plan")
_ARTICLE = pattern(r"(?i)\Athe\s+")
_SUBJECTS = ("attribute", "thing", "asset", "who", "relative", "pet", "event", "work", "site", "product", "role",
             "placed", "topic", "transport", "paper", "software", "business", "own", "exact")  # fmt: skip
_IT = pattern(r"(?i)\b(?:it|this)\b")
_NO_CARRY = ("养", "owns", "姓名", "name")  # behind these a clause without a subject may be about something else


class SentenceContext(NamedTuple):
    """What the clauses before left for the next one of a sentence."""

    subject: str = ""  # words that stand for a subject that was left out
    topic: str = ""  # the thing that was spoken of
    ended: str = ""  # the predicate of what no longer holds
    is_order: bool = False  # they were an order that is done once
    is_other: bool = False  # they were about somebody else: a clause without a subject is not about the user


def after(match: ClauseMatch, context: SentenceContext) -> SentenceContext:
    """Return what a clause leaves for the next one."""
    slots = match.slots
    ended = match.row.predicate if match.row.type in ("end", "retract") else ""
    topic = slots.get("thing") or slots.get("attribute") or context.topic
    if match.row.predicate in _NO_CARRY[:2] or "who" in slots:
        return SentenceContext("", topic, ended, is_other="who" in slots and not OWN.match(slots["who"]))
    is_chinese = has_chinese(match.row.text)
    if relative := slots.get("relative"):
        return SentenceContext(f"我{relative}" if is_chinese else f"my {relative}", topic, ended, is_other=True)
    subject = "" if "attribute" in slots or "thing" in slots else "我" if is_chinese else "I"
    return SentenceContext(subject, topic, ended)


def merged(items: Sequence[FactCandidate]) -> list[FactCandidate]:
    """Return statements in which what took a thing's place names it: «I left Shell and joined BP» is one change."""
    found: list[FactCandidate] = []
    for one in items:
        before = found[-1] if found else None
        if before and before.old and before.predicate == one.predicate and one.is_update and not one.old:
            found[-1] = one._replace(old=before.old)
        elif before and before.predicate == one.predicate and before.is_update and not (before.value or one.effect):
            found[-1] = one._replace(is_update=True)  # it only ended: 我离职了，现在在字节上班
        else:
            found.append(one)
    return found


class StatedClauses:
    """The patterns of one task, asked for clauses and sentences."""

    def __init__(self, words: Clauses, rows: StatementPatterns, task: ExtractionTask) -> None:
        """Bind to the words that frame a statement, and to patterns."""
        self._clauses, self._patterns = words, rows
        self._settings, self._weigher = task.settings, task.weigher

    def unordered(self, said: str) -> ClauseMatch | None:
        """Return what a sentence states by its constituents, in whatever order; a request states nothing."""
        text = self._clauses.opened(normal(said))
        match = self._patterns.read(text) if len(text) <= self._settings.clause_chars else None
        if match is None or self._clauses.is_request(next(self._clauses.split(said), "")):
            return None
        rest, since = self._clauses.without_since(text)
        if since and text.endswith(rest):  # in «it went from 9 to 10» the first words are no time
            match = match._replace(is_new=True, since=since)
        gate = self._clauses.gate(text)
        is_kept = not gate or (gate == "doubtful" and "old" in match.slots)  # «it was 8080 before, now it is 9090»
        return match if is_kept and not self.refused(text, match) else None

    def known(self, clause: str, context: SentenceContext) -> ClauseMatch | None:
        """Return the pattern that knows a clause, without the words that say that it holds now, or since when."""
        plain, is_now = self._clauses.without_now(clause)
        match = self._known_as_said(plain, context) or (self._known_as_said(clause, context) if is_now else None)
        if match is None or match.row.type == "past":
            rest, since = self._clauses.without_since(clause)
            later = self._known_as_said(rest, context) if since else None
            if since and not later and has_chinese(rest):  # 供货商四月起是恒达
                later = self._known_as_said(f"我的{rest}", context)
            if later and later.row.type != "past":
                return later._replace(is_new=True, since=since)
        return match._replace(is_new=True) if match and is_now else match

    def unknown(self, clause: str, context: SentenceContext, *, is_half: bool = False) -> SentenceContext:
        """Return what a clause that no pattern knows leaves for the next one."""
        is_other = self._clauses.names_other(clause, is_half=is_half)
        is_other = is_other or (context.is_other and not self._clauses.names_user(clause))
        is_order = context.is_order or self._clauses.is_request(clause)
        return context._replace(subject="", is_order=is_order, is_other=is_other)

    def _known_as_said(self, clause: str, context: SentenceContext) -> ClauseMatch | None:
        """Return the pattern that knows a clause; one without a subject is not the user's behind somebody else."""
        match = self._known_in(clause, context)
        if match and context.is_order and match.row.type in CHANGED and self._clauses.may_order(clause):
            return None
        return None if match and context.is_other and _lacks_subject(clause, match) else match

    def _known_in(self, clause: str, context: SentenceContext) -> ClauseMatch | None:
        """Return the pattern that knows a clause, with what the clauses before it leave unsaid."""
        clause = self._clauses.owned(clause)
        bare, was_past = self._clauses.bare(clause)
        if task := self._patterns.match(clause, ("task",)) or self._patterns.match(bare, ("task",)):
            return task  # a day behind «on» or in front of 之前 is not of the past, and «must» of a day is no rule
        if self._weigher.is_kept(clause) and self._clauses.is_standing(clause):
            return None
        types: tuple[str, ...] = CHANGED if was_past else STATED
        if self._clauses.gate(clause) == "doubtful":
            types = ()
        elif timed := self._patterns.match(clause, _TIMED, fits=attrgetter("is_timed")):
            return timed
        gap = "" if has_chinese(bare) else " "
        said = _IT.sub(context.topic, bare, count=1) if context.topic else bare
        if types and (match := self._patterns.match(said, types)):
            return match
        if context.ended and types and (match := self._behind_an_end(said, context, types)):
            return match
        if context.topic and types and (match := self._patterns.match(f"{context.topic}{gap}{bare}", ("update",))):
            return match
        if context.subject and not OWN.match(bare) and types:
            match = self._patterns.match(f"{context.subject}{gap}{bare}", types)
            if match and "name" not in match.row.slots:
                return match
        if types and gap and (match := self._patterns.match(f"I {bare}", ("update",))):
            return match
        return self._patterns.match(bare, ("past",))

    def _behind_an_end(self, said: str, context: SentenceContext, types: tuple[str, ...]) -> ClauseMatch | None:
        """Return what a clause says took the place of what ended: 我离职了，现在在字节上班."""
        gap, fits = "" if has_chinese(said) else " ", partial(_follows, context)
        whole = f"{context.subject}{gap}{said}" if context.subject and not OWN.match(said) else ""
        match = self._patterns.match(whole, types, fits=fits) if whole else None
        return match or self._patterns.match(said, ("after",), fits=fits)

    def refused(self, clause: str, match: ClauseMatch) -> Reason | None:
        clause = clause.replace(match.since, " ") if match.since else clause
        is_update = match.is_new or match.row.type in (*CHANGED, "after")
        if self._clauses.is_one_off(clause, is_update=is_update, is_timed=match.row.is_timed):
            return "transient"
        if not self._clauses.is_thing(match.slots.get("thing", "")):
            return "vague"
        said = match.slots.get("value") or match.slots.get("exact", "")
        is_property = match.row.type != "preference" and not match.slots.keys().isdisjoint(_SUBJECTS)
        is_doing = is_property and self._clauses.is_doing(said, match.predicate)
        if is_doing or self._clauses.is_state(match.value):
            return "transient"
        if owned_property(match, self._settings) is None:
            return "vague"
        values = [match.slots.get(slot, "") for slot in ("value", "exact", "habit", "who", "thing", "old")]
        return "vague" if any(self._clauses.points(value) for value in values if value) else None


def _lacks_subject(clause: str, match: ClauseMatch) -> bool:
    """Return whether a clause has no subject of its own that its match is about."""
    said = _ARTICLE.sub("", clause)
    names = (match.slots.get(name, "") for name in _SUBJECTS)
    is_owned = OWN.search(said) is not None or not match.slots.keys().isdisjoint(("relative", "pet"))
    return not is_owned and not any(name and said.startswith(name) for name in names)


def _follows(context: SentenceContext, row: StatementPattern) -> bool:
    return row.predicate == context.ended
