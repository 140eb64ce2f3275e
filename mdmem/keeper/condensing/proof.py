"""Prove an answer before it is written: its form, its rules and facts, and that no entry is lost (law 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from mdmem.formats.joined_line import NO_ORIGINALS, Originals, plain
from mdmem.formats.template import fold
from mdmem.generation.model import Operation, PlanProblem, lines_of
from mdmem.generation.proof import is_empty_answer, meaning_problems, named_sections
from mdmem.keeper.condensing.sections import KeeperSection, keeper_sections
from mdmem.keeper.model import CompactionTask
from mdmem.text.document import Document
from mdmem.text.inline import one_line
from mdmem.text.similarity import comparison_key, tokens
from mdmem.wording.literals import FactSource

_DATE_CHARS = 12  # of a date that an answer adds to an undated entry


def plan_problems(task: CompactionTask, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
    """Yield the problems of an answer; an answer without problems is proved and may be written."""
    sections_by_name = {section.name: section for section in keeper_sections(task)}
    free = _free_chars(sections_by_name.values(), operations)
    named: set[str] = set()
    for found in named_sections(operations, (task.path, task.template.kind), partial(section_of, task)):
        if isinstance(found, PlanProblem):
            yield found
            continue
        name, operation = found
        named.add(name)
        if name in sections_by_name:
            yield from _section(sections_by_name[name], operation, free)
        elif operation.content.strip():
            yield PlanProblem("invented-section", {"section": name})
    if task.compacts:
        for name in sections_by_name.keys() - named:
            yield PlanProblem("left-out", {"section": name})


def section_of(task: CompactionTask, title: str) -> str | None:
    """Return the name of the section that a title means; None if there is no such section."""
    name = task.template.name(title)
    if name:
        return name
    found = (section.name for section in keeper_sections(task))
    return next((one for one in found if fold(one) == fold(title) and fold(title)), None)


def _free_chars(found: Collection[KeeperSection], operations: Sequence[Operation]) -> int:
    """Return how many characters of the view an answer leaves free; negative if it needs too many."""
    room = sum(section.share or 0 for section in found)
    return room - sum(len(line) for one in operations for line in lines_of(one.content))


def _section(section: KeeperSection, operation: Operation, free: int) -> Iterator[PlanProblem]:
    where = {"section": section.name}
    if section.task.compacts and section.is_small_enough:
        return
    if len(operation.content) > 2 * sum(map(len, section.texts)) + 200 * len(section.entries):
        yield PlanProblem("too-long", where | {"chars": len(operation.content)})
        return
    lines = lines_of(operation.content)
    if is_empty_answer(lines) and not is_empty_answer(list(map(plain, section.texts))):
        if section.task.compacts or not all(map(section.is_over, section.entries)):
            yield PlanProblem("empty", where)
        return
    before = set(section.texts)
    new = [line for line in lines if line not in before]
    yield from _form(section, lines, new, free)
    yield from _lost_rules(section, (*lines, *section.nested_lines(lines)))
    whole = Originals((*section.texts, *section.units))
    worded = [line for line in new if not whole.makes(line)]  # whole entries need no proof
    yield from _invented_facts(section, worded)
    is_choice = (
        not (section.joins or new) and len(lines) >= section.compact_to
    )  # unchanged entries, as many as may stay
    if new or (section.task.compacts and not is_choice):
        yield from _coverage(section, (*lines, *section.nested_lines(lines)))
    yield from meaning_problems((*section.texts, *section.units), worded, section.task.scorer, where)


def _form(section: KeeperSection, lines: Sequence[str], new: Sequence[str], free: int) -> Iterator[PlanProblem]:
    """Yield the problems of form: too many lines, lines that are too long or unfit, a section that grew."""
    where = {"section": section.name}
    most = section.compact_to + len(section.fixed) if section.task.compacts else len(section.texts)
    most_chars = section.rule.max_chars
    if section.task.compacts and free < 0 and section.share is not None:
        most_chars = section.max_chars
    if len(lines) > most:
        yield PlanProblem("too-many", where | {"count": len(lines), "max": most})
    for line in new:
        if most_chars is not None and len(line) > most_chars:
            yield PlanProblem("entry-too-long", where | {"chars": len(line), "max": most_chars})
        if section.task.unfit(line):
            yield PlanProblem("unfit", where)
    dates = _DATE_CHARS * len(new)
    if not section.task.compacts and sum(map(len, lines)) > sum(map(len, section.texts)) + dates:
        yield PlanProblem("grew", where)


def _lost_rules(section: KeeperSection, lines: Sequence[str]) -> Iterator[PlanProblem]:
    """Yield the rules and corrections that are not in the lines word for word."""
    joined = "\n".join(map(comparison_key, lines))
    for text in section.verbatim:
        if comparison_key(text) not in joined:
            yield PlanProblem("rule-lost", {"section": section.name, "text": text})
    for entry in section.fixed:
        if one_line(entry.text) not in lines:
            yield PlanProblem("rule-lost", {"section": section.name, "text": ""})


def _invented_facts(section: KeeperSection, new: Sequence[str]) -> Iterator[PlanProblem]:
    """Yield the facts that were not in the section; an entry that is marked as unsure may contain them."""
    if not new:
        return
    old = FactSource("\n".join(section.texts))
    for line in new:
        if (found := old.missing(line)) and not section.task.scorer.is_unsure(line):
            yield PlanProblem("invented", {"section": section.name, "facts": ", ".join(found[:3])})


def _coverage(section: KeeperSection, lines: Sequence[str]) -> Iterator[PlanProblem]:
    """Yield a problem if the lines cover too few of the entries."""
    covered = tokens(" ".join(lines))
    texts = section.units if section.task.compacts else tuple(map(plain, section.texts))
    traces = [len(words & covered) >= min(2, len(words)) for words in map(tokens, texts)]
    if sum(traces) < section.task.scorer.settings.least_kept * len(traces) and not _is_full(section, lines):
        yield PlanProblem("too-little", {"section": section.name, "count": sum(traces), "all": len(traces)})


def _is_full(section: KeeperSection, lines: Sequence[str]) -> bool:
    """Return whether the lines use most of the room, or no omitted entry fits into the rest."""
    most, share = section.max_chars, section.task.scorer.settings.full_at
    if most is None or not section.task.compacts:
        return False
    used, joined = sum(map(len, lines)), "\n".join(map(comparison_key, lines))
    missing = [len(unit) for unit in section.units if comparison_key(unit) not in joined]
    return used > share * most * section.compact_to or used + 2 + min(missing, default=0) > most * section.compact_to


def lost_entries(
    before: Document, after: Document, archived: str, originals: Originals = NO_ORIGINALS
) -> tuple[str, ...]:
    """Return the earlier entries that are neither in the file nor in the archive; there must be none (law 6)."""
    left = {comparison_key(one.text) for one in after.entries}

    def is_kept(text: str) -> bool:
        return text in originals or plain(text) in archived or comparison_key(plain(text)) in comparison_key(archived)

    return tuple(
        one.text
        for one in before.entries
        if one.text.strip() and comparison_key(one.text) not in left
        and not (is_kept(one.text) or all(map(is_kept, originals.units(one.text))))
    )  # fmt: skip
