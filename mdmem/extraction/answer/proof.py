"""Prove what a model states by the rounds that it was shown: nothing invented, nothing that is not worth keeping."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from mdmem.extraction.answer.model_answer import Statement, Statements
from mdmem.extraction.clauses import clauses
from mdmem.extraction.model import Extraction, ExtractionTask, FactCandidate, Reason, is_subject, unique
from mdmem.extraction.rules import extract
from mdmem.formats.session import Turn
from mdmem.formats.tool_turn import read_tool_run
from mdmem.generation.meaning import doubts
from mdmem.text.inline import one_line
from mdmem.text.similarity import comparison_key, tokens
from mdmem.text.spans import LINE_END
from mdmem.wording.literals import FactSource
from mdmem.wording.transcript import Sentence

_MEANING = ("unfounded", "negated", "certain")  # doubts about a statement for which a person must look at it
_USELESS: tuple[Reason, ...] = (
    "malformed",
    "too-long",
    "unfit",
)  # a statement left out for its form; the others are a judgement
_SELF = ("我", "本人", "i", "me", "the user", "user", "用户", "主人")


def shown(task: ExtractionTask, turns: Sequence[Turn]) -> str:
    """Write rounds as a prompt shows them: a line for each turn's head, its text below; of a tool its summary."""
    return "\n\n".join(
        f"#{turn.number} {turn.speaker or turn.role} {turn.time}".rstrip() + f"\n{_said(task, turn)}"
        for turn in turns
        if turn.text.strip()
    )


def _said(task: ExtractionTask, turn: Turn) -> str:
    text, most = turn.text.strip(), task.settings.prompt_chars
    run = read_tool_run(text) if turn.role == "tool" else None
    if run is None or len(run.result) <= most:
        return text
    return text.replace(run.result, run.result[:most].rpartition("\n")[0] or run.result[:most], 1)


class StatementProof:
    """What the rounds of a task bear out."""

    def __init__(self, task: ExtractionTask) -> None:
        self._task = task
        self._clauses = clauses(task.settings)

    def check(self, answer: Statements, known: Sequence[str] = ()) -> Extraction:
        """Return the statements that may be written, and why the others may not.

        The user's rules, and what the user takes back, are always there.

        Where the rounds bear out nothing that the model states, what is found by rule is there too: otherwise the
        rounds would count as extracted, and nobody would look at them again.

        Args:
            answer: what the model stated.
            known: the ids of the facts that the model was shown.
        """
        by_rule = extract(self._task)
        rules = [one for one in by_rule.items if one.type == "rule"]
        dropped = Counter(answer.dropped)
        found: list[FactCandidate] = []
        for one in answer.items:
            reason = self._refused(one)
            if reason:
                dropped[reason] += 1
            elif not any(_says(rule.text, one.text) for rule in rules):
                is_plain = any(_says(item.text, one.text) for item in by_rule.items)
                found.append(self._candidate(one, known)._replace(by_model=not is_plain))
        most = self._task.settings.max_items * len(self._task.rounds)
        best = sorted(found, key=lambda one: -one.importance)[:most]
        if len(best) < len(found):
            dropped["too-many"] += len(found) - len(best)
        kept = sorted((one for one in found if one in best), key=lambda one: one.number)
        useless = bool(kept) or any(dropped[reason] for reason in _USELESS)
        has_failed = useless and all(one.unsure for one in kept)
        return Extraction(unique([*kept, *(by_rule.items if has_failed else rules)]), dropped, by_rule.withdrawals)

    def _refused(self, one: Statement) -> Reason | None:
        own = self._task.settings
        if len(one.text) > own.max_chars:
            return "too-long"
        if one.importance < own.least_importance:
            return "unimportant"
        if Sentence(one.text, "user", 0).asks:
            return "question"
        if not is_subject(one.subject):
            return "malformed"
        if one.type != "rule" and self._clauses.is_private(f"{one.subject} {one.predicate} {one.text}"):
            return "unfit"
        key = comparison_key(one.text)
        if key in self._pasted and key not in comparison_key(self._spoken_text):
            return "plain"
        gate: Reason | None
        if one.type == "rule":
            gate = None if self._clauses.is_standing(one.text) else "request"
        else:
            gate = self._clauses.gate(self._clauses.opened(one.text)) or (
                "transient" if self._clauses.is_one_off(one.text, is_update=one.is_update) else None
            )
        return gate or self._task.unfit(one.text) or self._task.unfit(f"{one.subject} {one.predicate}: {one.text}")

    def _candidate(self, one: Statement, known: Sequence[str]) -> FactCandidate:
        about_user = not one.subject or one.subject.casefold() in _SELF
        subject = self._task.word("user") if about_user else one.subject
        predicate = "_".join(one.predicate.split()) or self._task.word("rule" if one.type == "rule" else "other")
        first, last, is_sure = self._place(one)
        return FactCandidate(
            one.type, subject, predicate, one.text, one.importance, first, last,
            old=one.replaces if one.replaces in known else "", is_update=one.is_update, also=one.type == "rule",
            permanent=one.type == "rule" and self._clauses.is_permanent(one.text), unsure=not is_sure,
        )  # fmt: skip

    def _place(self, one: Statement) -> tuple[int, int, bool]:
        """Return the rounds that a statement rests on, and whether they bear it out."""
        task, words = self._task, tokens(one.text)
        told = f"{one.text} {one.subject}"
        ground = [(number, source) for number, source in self._sources if not source.missing(told)]
        best = max(ground, key=lambda found: len(words & self._words[found[0]]), default=None)
        if best is None:
            is_sure = not self._whole.missing(told)
            return task.first, task.last if task.last > task.first else 0, is_sure and self._means(one, self._lines)
        return best[0], 0, self._means(one, self._lines)

    def _means(self, one: Statement, lines: Sequence[str]) -> bool:
        if one.type == "rule":
            return any(comparison_key(one.text) in comparison_key(line) for line in lines)
        return not any(doubt.kind in _MEANING for doubt in doubts(lines, (one.text,), self._task.weigher))

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {turns[0].number: "\n".join(self._told(turns)) for turns in self._task.rounds}

    def _told(self, turns: Sequence[Turn]) -> Iterator[str]:
        """Yield who speaks and what is said, without the number and the time of a round: these are no part of it.

        In the lines of a conversation that somebody pasted, others speak of themselves.
        """
        for turn in turns:
            if not self._clauses.is_transcript(turn.text):
                yield f"{turn.speaker}\n{_said(self._task, turn)}"

    @cached_property
    def _pasted(self) -> str:
        """The lines of conversations that somebody pasted."""
        pasted = (turn.text for turn in self._task.turns if self._clauses.is_transcript(turn.text))
        return "\n".join(comparison_key(line) for text in pasted for line in LINE_END.split(text))

    @cached_property
    def _sources(self) -> list[tuple[int, FactSource]]:
        return [(number, FactSource(text)) for number, text in self._texts.items()]

    @cached_property
    def _words(self) -> dict[int, frozenset[str]]:
        return {number: frozenset(tokens(text)) for number, text in self._texts.items()}

    @cached_property
    def _whole(self) -> FactSource:
        return FactSource(self._spoken_text)

    @cached_property
    def _spoken_text(self) -> str:
        return "\n\n".join(self._texts.values())

    @cached_property
    def _lines(self) -> list[str]:
        return list(self._spoken())

    def _spoken(self) -> Iterator[str]:
        for turn in self._task.turns:
            for line in LINE_END.split(turn.text):
                if said := one_line(line):
                    yield from self._task.splitter.split(said)


def _says(rule: str, text: str) -> bool:
    return comparison_key(text) in comparison_key(rule) or comparison_key(rule) in comparison_key(text)
