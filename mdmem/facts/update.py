"""Decides what a statement does to the facts that a file holds: one pure function, the same for every writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from mdmem.facts.claims import is_same_matter
from mdmem.facts.known_facts import KnownFacts
from mdmem.facts.model import Decision, Fact, NewFact
from mdmem.formats.fact_words import FactWords, restates
from mdmem.formats.session import read_rounds

_RULE = "rule"
SaidAt: TypeAlias = Callable[[str], str]  # when the round of a source was said; empty if it is not known


class FactVerdict(NamedTuple):
    """A decision, and the lines that it is about."""

    decision: Decision
    lines: tuple[Fact, ...] = ()  # confirmed, replaced or retracted; for `late` those after it; for `ask` in question


def unknown(_source: str) -> str:
    """Return that no time is known."""
    return ""


def decide(known: KnownFacts, new: NewFact, today: str, said_at: SaidAt = unknown) -> FactVerdict:
    """Decide about one statement; `new.date` is an ISO day, and `said_at` orders what different sessions say of a day.

    Nothing was said after `today`: a line with a later date, written by hand, counts as one of today.

    new      nothing of this predicate is known
    confirm  a line says it already
    update   it replaces the live lines of its predicate, or the one that was chosen, and those that end with it
    late     a newer value is known: it belongs among the older ones
    beside   it holds together with the others of its predicate
    retract  something no longer holds, and nothing took its place; without lines nothing is known of it
    ask      it may replace a line, and nothing says so: without an answer it stands beside
    """
    words = known.words
    is_many = words.is_many(new.predicate)
    chosen = known.named(new.replaces.removeprefix("^")) if new.replaces else []
    if new.effect == "end" and chosen:
        return FactVerdict("retract", tuple(one for one in chosen if not _is_later(one, new, today, said_at)))
    near = [] if is_many or known.has_live(new.predicate) else known.near(new)
    named = [one for one in _named(known, new) if not _is_later(one, new, today, said_at)]
    if new.effect == "end" or (new.effect and len(named) != 1):
        return FactVerdict("retract", tuple(named) if new.effect == "end" else ())
    ends = words.retracts(new.text) and not (new.is_update or words.is_rule(new.type, new.predicate))
    chosen = chosen or (named if ends or len(named) == 1 else [])
    if same := _known(known, [*chosen, *known.alike(new), *near], new, today, said_at):
        return FactVerdict("confirm", (same,))
    if ends:
        own = known.live(new.predicate)
        hit = chosen or [one for one in (*own, *near) if words.concerns(new.text, one.text, new.predicate)]
        if hit:
            return FactVerdict("retract", tuple(one for one in hit if not _is_later(one, new, today, said_at)))
        if own and not is_many:
            return FactVerdict("ask", tuple(own))
        if ended := _ended(known, new):
            return FactVerdict("confirm", (ended,))
    if new.is_update and not chosen:
        own = known.live(new.predicate)
        chosen = [one for one in own if words.takes_place_of(new.text, one.text, new.predicate)]
    if not chosen and (new.also or is_many):
        return FactVerdict("beside" if known.has_live(new.predicate) else "new")
    return _replacing(known, new, chosen, near, today, said_at)


def _replacing(
    known: KnownFacts, new: NewFact, chosen: Sequence[Fact], near: Sequence[Fact], today: str, said_at: SaidAt
) -> FactVerdict:
    """Decide about the statement of a predicate that has one value, which says nothing that is known."""
    words, own = known.words, known.live(new.predicate)
    if not chosen and (whole := _whole(own, new, words)):
        return FactVerdict("confirm", (whole,))
    own, apart = _apart(own, new, words, today, said_at)
    changed = new.is_update or words.reports_change(new.text)
    targets = [*(chosen or own or (near if changed and len(near) == 1 else []))]
    if changed:
        targets += [one for one in known.ending(new.predicate) if not new.source or one.source != new.source]
    if not targets:
        return FactVerdict("ask", tuple(near)) if near else FactVerdict("beside" if apart else "new")
    if any(_is_later(one, new, today, said_at) for one in targets):
        return FactVerdict("late", tuple(targets))
    return FactVerdict("update", tuple(targets))


def _named(known: KnownFacts, new: NewFact) -> list[Fact]:
    """Return the live lines that hold the old value of a statement."""
    return _naming(known.every_live(), new, known.words) if new.old else []


def _naming(lines: Sequence[Fact], new: NewFact, words: FactWords) -> list[Fact]:
    """Return those of some lines that hold the old value of a statement; a rule ends rules only, a fact no rule.

    Where a line of another kind names it too, «I left London» may be about either: then it ends nothing.
    """
    if not new.old:
        return []
    naming = [
        one
        for one in lines
        if (one.type == _RULE) == (new.type == _RULE) and words.names_value(one.text, one.predicate, new.old)
    ]
    if new.type == _RULE and not new.effect:  # «prices in pounds, not euros» is about no other rule with euros
        naming = [one for one in naming if is_same_matter(one.text, new.text, new.old, words)]
    found = [
        one
        for one in naming
        if not words.outlasts(one.predicate, new.predicate) and words.may_hold_old(one.predicate, new.predicate)
    ]
    return found if new.effect != "end" or len(found) == len(naming) else []


def _whole(own: Sequence[Fact], new: NewFact, words: FactWords) -> Fact | None:
    """Return the line whose date contains the partial date of a statement: who was born on May 3 was born in May."""
    if (date := words.partial_date(new.text, new.predicate)) is None:
        return None
    known = ((one, words.partial_date(one.text, one.predicate)) for one in own)
    return next((one for one, held in known if held and held.contains(date)), None)


def _apart(
    own: Sequence[Fact], new: NewFact, words: FactWords, today: str, said_at: SaidAt
) -> tuple[list[Fact], list[Fact]]:
    """Return the lines that a statement may replace, and those that hold together with it.

    A month and a year of birth hold together; a date with both replaces them.
    """
    if (date := words.partial_date(new.text, new.predicate)) is None:
        return list(own), []
    replaced: list[Fact] = []
    apart: list[Fact] = []
    for one in own:
        held = words.partial_date(one.text, one.predicate)
        is_earlier_part = held and date.contains(held) and not _is_later(one, new, today, said_at)
        (apart if held and date.agrees(held) and not is_earlier_part else replaced).append(one)
    return replaced, apart


def _known(
    known: KnownFacts, about: Sequence[Fact], new: NewFact, today: str, said_at: SaidAt
) -> Fact | None:  # fmt: skip
    """Return the line that says the same: a live one, or an older one of the same day and predicate.

    An older one counts where a newer value is known, and where it is the same statement, which is read once more.
    A line of another predicate counts only if its text says what it is about: «yes» and «tea» say it of anything.
    """
    words = known.words
    for one in about:
        if not words.may_be_same(new.text, one.text, new.predicate):
            continue
        if words.same(new.text, one.text, new.predicate) or words.says(one.text, new.text):
            return one
    predicate, compared = words.predicate(new.predicate), {id(one) for one in about}
    others = (
        one for one in known.saying(new.text)
        if id(one) not in compared and words.predicate(one.predicate) != predicate
    )  # fmt: skip
    if same := next((one for one in others if _is_one_statement(one, new, words)), None):
        return same
    stated = [one for one in known.stated(new) if restates(one.text, new.text)]
    newer = bool(stated) and any(_is_later(one, new, today, said_at) for one in (*about, *known.live(new.predicate)))
    return next((one for one in stated if newer or (new.source and one.source == new.source)), None)


def _is_one_statement(one: Fact, new: NewFact, words: FactWords) -> bool:
    if not restates(one.text, new.text):
        return False
    return words.stands_alone(new.text, new.predicate) or words.stands_alone(one.text, one.predicate)


def _ended(known: KnownFacts, new: NewFact) -> Fact | None:
    """Return the older line that a retraction of the same day has ended already."""
    words, key = known.words, known.words.predicate(new.predicate)
    day = known.ended_on(new.date)
    about = (one for one in day if words.predicate(one.predicate) == key
             and words.concerns(new.text, one.text, new.predicate))  # fmt: skip
    return next(iter((*about, *_naming(day, new, words))), None)


def _is_later(one: Fact, new: NewFact, today: str, said_at: SaidAt) -> bool:
    """Return whether a line was said after a statement: on a later day, or in a later round of the same day."""
    if (day := min(one.date, today)) != new.date:
        return day > new.date
    (session, _, rounds), (other, _, others) = one.source.partition("#"), new.source.partition("#")
    if session != other:
        was, now = said_at(one.source), said_at(new.source)
        return bool(was and now) and was > now
    said, given = read_rounds(rounds), read_rounds(others)
    return said is not None and given is not None and said[0] > given[0]


def raised(confidence: float, factor: float) -> float:
    """Return the confidence of a fact that was confirmed once more; it stays below 1 (K042)."""
    new = round(confidence + (1 - confidence) * factor, 4)
    return new if new < 1 else confidence
