"""Extract without a model: statements that a pattern knows, rules of the user, and what the runs of tools teach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from mdmem.extraction.clauses import Clauses, clauses
from mdmem.extraction.model import (
    Extraction,
    ExtractionTask,
    FactCandidate,
    FactType,
    Reason,
    is_subject,
    unique,
)
from mdmem.extraction.owners import OwnedProperty, owned_property
from mdmem.extraction.patterns import ClauseMatch, StatementPattern, StatementPatterns, patterns
from mdmem.extraction.runs import run_candidates
from mdmem.extraction.stated_clauses import CHANGED, STATED, SentenceContext, StatedClauses, after, merged
from mdmem.extraction.voices import Quotations, voiced
from mdmem.extraction.withdrawals import COLON, SUBJECT, Withdrawal, withdrawal_reader
from mdmem.facts.model import Effect
from mdmem.formats.session import Turn
from mdmem.messages.catalog import say
from mdmem.settings.phrases import any_of
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern
from mdmem.text.similarity import tokens
from mdmem.wording.script import ScriptedText
from mdmem.wording.transcript import Sentence, is_rule

_EFFECTS: dict[str, Effect] = {"end": "end", "swap": "swap", "after": "swap"}  # of the types of patterns
_LAST_ITEM = pattern(r"\s(?:and|or)\s+[^,]+\Z|，(?:还有|以及|和|跟)[^，]+\Z", re.IGNORECASE)  # of a list
_DECIDED = ("决定", "decisions")  # what was decided holds as a fact, and no rule is made of it
_HABITS = ("习惯", "habits")
_YOU = pattern(r"(?i)\byour?s?\b|你|您")
_LAST_CLAUSE = pattern(r"[,，][^,，]*\Z")
_LEAST_WORDS = 2  # of what is to be remembered


def extract(task: ExtractionTask) -> Extraction:
    """Return what some rounds say that is worth remembering, and why the rest is not kept."""
    found: list[FactCandidate] = []
    dropped: Counter[Reason] = Counter()
    reader = TurnReader(task)
    for turn in task.turns:
        if turn.role == "user":
            items, reasons = _read_in_script(reader, turn)
            found += (one._replace(by_user=True) for one in items)
            dropped.update(reasons)
    found += run_candidates(task)
    kept = []
    for one in unique(found):
        reason = task.unfit(one.text) or _too_slight(one, task)
        if reason:
            dropped[reason] += 1
        else:
            kept.append(one)
    withdrawals = {(one.text, one.type, one.claims): one for one in reader.withdrawals}
    return Extraction(tuple(kept), dropped, tuple(withdrawals.values()))


def _read_in_script(reader: TurnReader, turn: Turn) -> tuple[list[FactCandidate], list[Reason]]:
    """Read one turn of the user with simplified characters, which the patterns have; what is found keeps its own."""
    script, known = ScriptedText(turn.text), len(reader.withdrawals)
    if not script.is_traditional:
        return reader.turn(turn)
    items, reasons = reader.turn(replace(turn, text=script.simple))
    reader.withdrawals[known:] = [one.in_script(script) for one in reader.withdrawals[known:]]
    return [one.in_script(script) for one in items], reasons


def _too_slight(one: FactCandidate, task: ExtractionTask) -> Reason | None:
    if not is_subject(one.subject):
        return "malformed"
    if one.type != "rule" and clauses(task.settings).is_private(f"{one.subject} {one.predicate} {one.text}"):
        return "unfit"
    if one.importance < task.settings.least_importance:
        return "unimportant"
    return "too-long" if len(one.text) > task.settings.max_chars else None


class TurnReader:
    """Reads the turns of one task."""

    def __init__(self, task: ExtractionTask) -> None:
        self._task = task
        self.withdrawals: list[FactCandidate] = []  # of the turns that were read
        self._before = task.before  # the last sentence of the turn before
        self._clauses: Clauses = clauses(task.settings)
        self._withdrawals = withdrawal_reader(task.settings, self._clauses)
        self._patterns: StatementPatterns = patterns(tuple(task.rows), tuple(task.lists))
        self._statements = StatedClauses(self._clauses, self._patterns, task)

    def turn(self, turn: Turn) -> tuple[list[FactCandidate], list[Reason]]:
        """Read one turn of the user."""
        found: list[FactCandidate] = []
        reasons: list[Reason] = []
        if self._clauses.is_transcript(turn.text):
            return found, ["plain"]
        most, last, before = self._task.settings.sentence_chars, 0, ""
        earlier, self._before = self._before, ""
        for one, quotations, unfit in voiced(turn, self._task.splitter, self._clauses, most):
            is_withdrawal = unfit == "request" and not one.asks and self._withdrawals.begins(one.text)
            why = None if is_withdrawal else unfit  # «let's forget the idea» asks for nothing else
            if not why and self._clauses.takes_back(one.text):
                del found[last:]
            verdict = None if why or one.asks else self._withdrawals.verdict(one.text, before or earlier)
            if not why and before and (value := self._withdrawals.right_value(one.text)):
                self._set_right(value, before, one, quotations)
            if verdict:
                del found[last:]
                self.withdrawals.append(self._withdrawn(verdict, one, quotations))
            last, before = len(found), one.text
            self._before = "" if one.asks else before
            items, reason = ([], why) if why else self._sentence(one, quotations)
            found += items
            reasons += [reason] if reason and not items else []
        return found, reasons

    def _set_right(self, value: str, before: str, one: Sentence, quotations: Quotations) -> None:
        """Add the right value to what the sentence before took back or asked about: «8080 is wrong. It's 9090.»"""
        last = self.withdrawals[-1] if self.withdrawals else None
        if last and last.text == quotations.whole(before.strip()):
            if len(last.claims) == 1 and not last.value:
                self.withdrawals[-1] = last._replace(old=last.claims[0], value=value)
        elif old := self._withdrawals.asked(before):
            fix = self._withdrawn(Withdrawal((old,), is_said=True), one, quotations)
            self.withdrawals.append(fix._replace(old=old, value=value))

    def _sentence(self, one: Sentence, quotations: Quotations) -> tuple[list[FactCandidate], Reason | None]:
        if not one.asks and (kept := self._clauses.to_keep(one.text)):
            return self._kept(kept, one, quotations)
        reason: Reason | None = None
        said = quotations.named(one.text)
        if lift := self._lift(said, one, quotations.whole(one.text)):
            return [lift], None
        over = self._ended_rule(said, one, quotations)
        found: list[FactCandidate] = []
        taken = None if one.asks else self._taken_back(said)
        fix = self._corrected(said, one, quotations) if taken else None
        if taken and not taken.is_said and not fix and self._is_momentary(said):
            taken = taken if self._withdrawals.is_past_habit(said) else None
        ruled = one._replace(text=self._clauses.without_reasons(one.text))
        if is_rule(ruled, self._task.weigher) and not (taken and taken.is_said):
            text = quotations.whole(self._lasting(one.text.strip()))
            if text and fix and not over:  # «prices in pounds, not euros» takes the place of a rule about euros
                return [self._rule(text, one.number)._replace(old=fix.old, is_update=True)], None
            if text:
                claims = (over.claims if over.is_whole else (text,)) if over else ()  # «don't call me Al, I'm Bo»
                found.append(self._rule(text, one.number)._replace(claims=claims))
            else:
                reason = "request"
        if one.asks:
            return found, "question"
        if (not taken or taken.is_said) and not fix:
            found += self._restated(said, one)
        items, why = self._stated(said, one, quotations, taken, fix)
        found += [item for item in items if not quotations.has_speech(item.text)]
        return found, reason or why or "plain"

    def _stated(
        self, said: str, one: Sentence, quotations: Quotations, taken: Withdrawal | None, fix: FactCandidate | None
    ) -> tuple[list[FactCandidate], Reason | None]:
        """Return what a sentence states, and add to the withdrawals what it takes back."""
        is_doubtful = self._clauses.is_doubtful(said)
        items, why = ([], None) if is_doubtful else self._joined(said, one, taken) or self._apart(said, one, taken)
        is_open = not (is_doubtful or (taken and taken.is_said) or len(items) > 1)
        whole = self._unordered(said, one, fix, items) if is_open else None
        if whole:
            items, taken, fix = [whole], None, None
        if taken and not taken.is_said:
            is_over = not is_doubtful or self._withdrawals.is_past_habit(said)
            taken = taken if is_over and not any(item.old and item.value for item in items) else None
            fix = None if items else fix
        if taken:
            whole = self._withdrawn(taken, one, quotations)
            self.withdrawals.append(fix._replace(denied=whole.claims) if fix else whole)
        if is_doubtful:
            return [] if taken else self._intended(said, one), "doubtful"
        if self._clauses.is_altered(said):
            items = [item._replace(is_update=True) if item.also else item for item in items]
        return items, why

    def _unordered(
        self, said: str, one: Sentence, fix: FactCandidate | None = None, items: Sequence[FactCandidate] = ()
    ) -> FactCandidate | None:  # fmt: skip
        """Return what a sentence or a clause states by its constituents, in whatever order.

        It must agree with a `fix`. Beside `items` it counts if it tells whose property that is, or what held before.
        """
        user, is_property = self._task.word("user"), self._patterns.is_property
        is_plain = any(item.value and (item.subject != user or is_property(item.predicate)) for item in items)
        match = None if is_plain else self._statements.unordered(said)
        if match is None:
            return None
        found, is_owned = self._candidate(match, one), not match.slots.keys().isdisjoint(("who", "relative"))
        is_better = is_owned and all(item.predicate != found.predicate for item in items)
        is_free = is_better or not items or (found.old and not any(item.value for item in items))
        agrees = fix is None or (fix.old, fix.value) == (found.old, found.value)
        return found if is_free and agrees else None

    def _ended_rule(self, said: str, one: Sentence, quotations: Quotations) -> Withdrawal | None:
        """Return what rule a sentence says to be over, and add it to the withdrawals."""
        over = None if one.asks or self._clauses.is_doubtful(said) else self._withdrawals.ended_rule(said)
        if over:
            ending = self._withdrawn(over, one, quotations)
            rule = self._task.word("rule")
            self.withdrawals.append(ending._replace(type="rule", predicate=rule, is_whole=False))
        return over

    def _taken_back(self, said: str) -> Withdrawal | None:
        """Return what a sentence takes back; none if it only supposes something."""
        is_hypothetical = self._clauses.is_hypothetical(said)
        return None if is_hypothetical else self._withdrawals.read(self._clauses.without_reasons(said))

    def _kept(self, kept: str, one: Sentence, quotations: Quotations) -> tuple[list[FactCandidate], Reason | None]:
        """Return what a sentence asks to remember, word for word where no pattern knows it."""
        withdrawn = len(self.withdrawals)
        found, _ = self._sentence(one._replace(text=kept), quotations)
        if found or len(self.withdrawals) > withdrawn:
            return found, None
        text = quotations.whole(kept).rstrip("。.")
        if self._clauses.points(kept) or len(tokens(text)) < _LEAST_WORDS:
            return [], "vague"
        if self._task.weigher.is_kept(kept) or self._clauses.is_order(kept):
            return [self._rule(quotations.whole(one.text.strip()), one.number)], None
        own, user = self._task.settings, self._task.word("user")
        other = self._task.word("other")
        return [FactCandidate("fact", user, other, text, own.note_importance, one.number, also=True)], None

    def _intended(self, said: str, one: Sentence) -> list[FactCandidate]:
        """Return what the user intends: «I want to move to Ghent in June.»"""
        if self._clauses.is_doubtful(said, may_intend=True):
            return []
        found = [(clause, self._patterns.match(clause, ("plan",))) for clause in self._clauses.split(said)]
        return [
            self._candidate(match, one)
            for clause, match in found
            if match and not self._statements.refused(clause, match)
        ]

    def _is_momentary(self, said: str) -> bool:
        """Return whether a sentence is doubtful, or all of it that takes something back is bound to the moment."""
        parts = [one for one in self._clauses.split(said) if self._withdrawals.takes_back(one, is_said=False)]
        is_bound = all(self._clauses.is_one_off(self._withdrawals.without_deeds(one)) for one in parts or (said,))
        return self._clauses.is_doubtful(said) or is_bound

    def _withdrawn(self, taken: Withdrawal, one: Sentence, quotations: Quotations) -> FactCandidate:
        return FactCandidate(
            "fact", self._task.word("user"), "", quotations.whole(one.text.strip()), 1.0, one.number, effect="end",
            claims=tuple(map(quotations.whole, taken.claims)), is_said=taken.is_said, is_deed=taken.is_deed,
            is_whole=taken.is_whole, leaves=taken.leaves, by_user=True,
        )  # fmt: skip

    def _corrected(self, said: str, one: Sentence, quotations: Quotations) -> FactCandidate | None:
        """Return what a sentence corrects in a statement: «It's Braga, not Porto.»"""
        whole = self._withdrawals.without_mistakes(said)
        raw = self._clauses.opened(said).rstrip("。.！!")
        parts = (_LAST_CLAUSE.sub("", whole), whole, *(whole[at.end() :] for at in COLON.finditer(whole)), raw)
        matches = (self._patterns.match(part, ("correct",)) for part in parts if part)
        match = next((found for found in matches if found), None)
        if match is None or any(self._clauses.points(match.slots[slot]) for slot in ("old", "value")):
            return None
        old, value = (quotations.whole(match.slots[slot]) for slot in ("old", "value"))
        return self._withdrawn(Withdrawal((old,), is_said=True), one, quotations)._replace(old=old, value=value)

    def _restated(self, said: str, one: Sentence) -> list[FactCandidate]:
        """Return what a sentence says anew of a property that was wrong: «I mistyped my birthday: 14 March.»"""
        text = self._withdrawals.restated(said)
        match = self._patterns.match(text, ("fact", "update")) if text else None
        if match is None or self._statements.refused(text, match):
            return []
        return [self._candidate(match, one)._replace(is_update=True)]

    def _lift(self, said: str, one: Sentence, text: str) -> FactCandidate | None:
        """Return the user's word that a rule no longer holds: «emojis are fine now, you can use them again».

        It takes back a rule at once where it says what the assistant may do; otherwise it is proposed.
        """
        matches = [self._patterns.match(clause, ("lift",)) for clause in self._clauses.split(said)]
        lifts = [match for match in matches if match]
        things = [match.slots["thing"] for match in lifts if not self._clauses.points(match.slots["thing"])]
        if not things or one.asks or self._clauses.is_doubtful(said):
            return None
        may = any(match.slots.get("act") for match in lifts)
        return self._rule(text, one.number)._replace(old=things[0], effect="lift" if may else "swap", is_update=True)

    def _joined(
        self, sentence: str, one: Sentence, taken: Withdrawal | None
    ) -> tuple[list[FactCandidate], Reason | None] | None:
        """Match a sentence of several clauses that make one statement, or whose value is a list; None for another."""
        if taken and taken.is_said:
            return None
        said, parts = self._clauses.enumerated(sentence)
        is_list = _LAST_ITEM.search(said) is not None and not any(
            self._statements.known(f"{_lead(part)}{part}", SentenceContext()) for part in parts
        )

        def fits(row: StatementPattern) -> bool:
            return row.is_joined or (is_list and row.type == "preference" and "{than}" not in row.text)

        bare, was_past = self._clauses.bare(said)
        if not parts or was_past or self._clauses.gate(said) == "doubtful":
            return None
        match = self._patterns.match(bare, STATED, fits=fits)
        if match is None or self._statements.refused(bare, match):
            return None
        return [self._candidate(match, one)._replace(claims=taken.claims if taken else ())], None

    def _apart(
        self, sentence: str, one: Sentence, taken: Withdrawal | None
    ) -> tuple[list[FactCandidate], Reason | None]:  # fmt: skip
        """Match the clauses of a sentence one by one; of one that is taken back nothing is stated."""
        found: list[FactCandidate] = []
        reason: Reason | None = None
        context = SentenceContext()
        clauses = list(self._clauses.split(sentence))
        if taken:  # «not the 16th: my exam is on the 17th»
            clauses = [part for clause in clauses for part in COLON.split(clause)]
        for clause in clauses:
            before = context.topic
            items, why, context = self._clause(clause, one, context)
            is_known = items or taken or context.topic != before
            if not is_known and (unordered := self._unordered(clause, one)):
                items = [unordered]
            if taken and taken.is_whole:
                items = [item._replace(claims=taken.claims, is_update=True) for item in items]
            elif taken and self._withdrawals.takes_back(clause, is_said=taken.is_said):
                items = [] if taken.is_said else [item._replace(claims=taken.claims) for item in items]
            found += items
            reason = reason or why
        return merged(found), reason

    def _lasting(self, text: str) -> str:
        """Return what of a sentence holds beyond the task at hand, word for word; empty for nothing.

        A request that is done once and stands before it is left out, unless the rest points back at it. A prohibition
        that only points at a fact of its sentence is none: «My Python is 3.11, leave it alone.» What must be done by a
        day is none either.
        """
        if not self._is_standing(self._clauses.without_reasons(text)):
            return ""
        first, *behind = self._clauses.joints(text)
        while behind and self._is_once(text[first : behind[0]], text[behind[0] :]):
            first, *behind = behind
        rest = text[first:]
        if first and (self._clauses.points_back(rest) or not self._is_standing_rule(rest)):
            first, rest = 0, text
        starts = self._clauses.joints(rest)
        parts = [rest[start:end] for start, end in zip(starts, (*starts[1:], len(rest)), strict=True)]
        ruled = [part for part in parts if self._task.weigher.is_kept(self._clauses.without_reasons(part))]
        if ruled and any(
            all(map(is_none, ruled)) for is_none in (self._states_task, self._is_decision, self._is_habit)
        ):
            return ""
        if ruled and all(map(self._clauses.points_back, ruled)) and any(map(self._states_fact, parts)):
            return ""
        return rest

    def _is_once(self, clause: str, rest: str) -> bool:
        """Return whether a clause is a request that is done once: it begins like one, or before what lasts."""
        weigher, said = self._task.weigher, self._clauses.opened(clause)
        if self._clauses.is_standing(clause) or self._clauses.is_doubtful(clause):
            return False
        is_request = self._clauses.gate(said) == "request"
        return is_request or (weigher.begins_lasting(rest) and not weigher.is_conditional(said))

    def _is_standing(self, text: str) -> bool:
        return self._clauses.is_standing(text) or self._task.weigher.is_lasting(text)

    def _is_standing_rule(self, text: str) -> bool:
        return self._is_standing(text) and self._task.weigher.is_kept(text)

    def _states_fact(self, clause: str) -> bool:
        found = next(self._clauses.split(clause), "")
        return bool(found) and self._statements.known(found, SentenceContext()) is not None

    def _states_task(self, clause: str) -> bool:
        found = self._statements.known(next(self._clauses.split(clause), ""), SentenceContext())
        return found is not None and found.row.type == "task"

    def _is_decision(self, clause: str) -> bool:
        found = next(self._clauses.split(clause), "")
        return self._patterns.match(found, ("fact",), fits=lambda row: row.predicate in _DECIDED) is not None

    def _is_habit(self, clause: str) -> bool:
        """Return whether a clause says what the user does or has from now on, and asks nothing of the assistant."""
        found = self._statements.known(next(self._clauses.split(clause), ""), SentenceContext())
        if found is None or _YOU.search(clause):
            return False
        is_timed = any_of(self._task.settings.end_times).search(found.slots.get("often", "")) is not None
        return is_timed or found.row.predicate in _HABITS or "event" in found.slots

    def _rule(self, text: str, number: int) -> FactCandidate:
        return FactCandidate(
            "rule", self._task.word("user"), self._task.word("rule"), text, self._task.settings.rule_importance,
            number, also=True, permanent=self._clauses.is_permanent(text),
        )  # fmt: skip

    def _clause(
        self, clause: str, one: Sentence, context: SentenceContext
    ) -> tuple[list[FactCandidate], Reason | None, SentenceContext]:  # fmt: skip
        """Match one clause, or both sides of its «and»."""
        if len(clause) > self._task.settings.clause_chars:
            return [], "too-long", SentenceContext()
        if (halves := self._clauses.halves(clause)) and halves[1]:
            if match := self._patterns.match(clause, STATED, fits=attrgetter("is_joined")):
                return [self._candidate(match, one)], None, SentenceContext()
            items, _, after = self._whole(halves[1], one, self._subject_of(halves[0], context))
            if items or SUBJECT.match(halves[1]):
                left, reason, between = self._whole(halves[0], one, context)
                return [*left, *items], reason, after if items else between
            if self._statements.known(clause, context) is None:
                return self._whole(halves[0], one, context)
        return self._whole(clause, one, context)

    def _subject_of(self, left: str, context: SentenceContext) -> SentenceContext:
        found = self._statements.known(left, context)
        return after(found, context) if found else self._statements.unknown(left, context, is_half=True)

    def _whole(
        self, clause: str, one: Sentence, context: SentenceContext
    ) -> tuple[list[FactCandidate], Reason | None, SentenceContext]:  # fmt: skip
        match = self._statements.known(clause, context)
        if match is None or self._clauses.is_request(clause):
            return [], self._clauses.gate(clause), self._statements.unknown(clause, context)
        behind = after(match, context)
        if match.row.type == "past":
            return [], None, behind
        reason = self._statements.refused(clause, match)
        return ([], reason, behind) if reason else ([self._candidate(match, one)], None, behind)

    def _candidate(self, match: ClauseMatch, one: Sentence) -> FactCandidate:
        row = match.row
        kind: FactType = "preference" if row.type == "preference" else "fact"
        owned = owned_property(match, self._task.settings) or OwnedProperty("", match.predicate)
        is_told = match.since and not self._clauses.is_relative(match.since)
        text = f"{owned.which}{match.text}"
        text = say(self._task.lang, "extract.dated", text=text, days=match.since) if is_told else text
        return FactCandidate(
            kind, owned.owner or self._task.word("user"), owned.name, text, row.importance, one.number,
            value=match.value, old=self._clauses.bare(match.slots.get("old", ""))[0],
            also=row.also and not match.is_new,
            effect=_EFFECTS.get(row.type, ""), is_update=match.is_new or row.type in (*CHANGED, "after"),
            tense=row.tense,
        )  # fmt: skip


def _lead(part: str) -> str:
    """Return the subject that a part of a list would have if it were a clause."""
    return "我" if has_chinese(part) else "I "
