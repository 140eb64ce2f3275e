"""Let a model write the lines of a scratchpad: its prompt, and the proof of its answer. Pure.

An answer is proved against the earlier file and the sessions: no fact, name or task may stand in it that they do not
have. What is not proved is not written; the rules' lines are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mdmem.entries.edits.generated import GeneratedLine, GeneratedLines, body, section_names
from mdmem.formats.template import Template, fold
from mdmem.generation.model import Operation, PlanProblem, lines_of
from mdmem.generation.proof import is_empty_answer, line_problem, meaning_problems, named_sections
from mdmem.scratchpad.model import SECTIONS, SessionDigest
from mdmem.text.document import Document
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import FactSource

PROMPT = "scratchpad"


class _TaskFields(NamedTuple):
    path: str
    document: Document  # the file as it is, or the template
    template: Template
    sessions: tuple[SessionDigest, ...]  # newest first
    rules: GeneratedLines  # the lines of the rules, for what an answer leaves out
    most: tuple[int, ...]  # lines of each section
    line_chars: int
    scorer: ImportanceScorer
    unfit: Callable[[str], bool]  # whether the gate refuses a text
    persona: str = ""


class ScratchpadTask(_TaskFields):
    """The inputs of one answer."""

    @cached_property
    def names(self) -> dict[str, str]:
        """The titles of the sections."""
        return section_names(self.template, SECTIONS)

    @cached_property
    def story(self) -> str:
        """The sessions as a prompt shows them, oldest first."""
        return "\n\n".join(map(_told, reversed(self.sessions)))

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The texts that an answer may be based on."""
        entries = (entry.text for entry in self.document.entries)
        lines = (line.text for lines in self.rules.values() for line in lines)
        said = (text for one in self.sessions for text in _texts(one))
        return tuple(filter(None, (*map(body, entries), *lines, *said)))

    def section(self, title: str) -> str | None:
        """Return the alias of the section that a title means."""
        name = self.template.name(title)
        return next((alias for alias, one in self.names.items() if name == one or fold(title) == fold(alias)), None)

    def title(self, title: str) -> str | None:
        """Return the title of the section that a title means."""
        return self.names.get(self.section(title) or "")


def prompt_values(task: ScratchpadTask) -> dict[str, str]:
    """Return the values of the prompt's slots."""
    limits = zip(task.names.values(), task.most, strict=True)
    return {
        "file": task.document.text[task.document.start :].strip("\n"),
        "episodes": task.story or "—",
        "persona": task.persona.strip() or "—",
        "path": task.path,
        "today": task.scorer.today.isoformat(),
        "sections": "\n".join(f"- {name} (≤ {most} × ≤ {task.line_chars})" for name, most in limits),
        "max_chars": str(task.line_chars),
    }


def answered_lines(task: ScratchpadTask, operations: Sequence[Operation]) -> dict[str, tuple[GeneratedLine, ...]]:
    """Return the lines of a proved answer; a section that it leaves out has the lines of the rules."""
    found = dict(task.rules)
    source = task.sessions[0].source if task.sessions else ""
    for one in operations:
        if alias := task.section(one.section):
            lines = lines_of(one.content)
            empty = is_empty_answer(lines)
            found[alias] = () if empty else tuple(GeneratedLine(line, source) for line in map(body, lines) if line)
    return found


def scratchpad_problems(task: ScratchpadTask, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
    """Yield the problems of an answer; an answer without problems is proved and may be written."""
    limits = dict(zip(task.names.values(), task.most, strict=True))
    for found in named_sections(operations, (task.path, task.template.kind), task.title):
        if isinstance(found, PlanProblem):
            yield found
        else:
            yield from _section_problems(task, found[0], limits[found[0]], lines_of(found[1].content))


def _section_problems(task: ScratchpadTask, name: str, most: int, lines: Sequence[str]) -> Iterator[PlanProblem]:
    where = {"section": name}
    if is_empty_answer(lines):
        return
    if len(lines) > most:
        yield PlanProblem("too-many", where | {"count": len(lines), "max": most})
        return
    days = (task.scorer.today.isoformat(), *(one.day for one in task.sessions))
    source = FactSource("\n".join((*task.sources, *days)))
    problems = (line_problem(line, where, task.unfit, source.missing, task.line_chars) for line in lines)
    yield from filter(None, problems)
    yield from meaning_problems(task.sources, lines, task.scorer, where)


def _told(one: SessionDigest) -> str:
    """Return a session as a prompt shows it."""
    head = " · ".join(filter(None, (one.day, one.task, one.outcome)))
    said = [f"{sentence.role}: {sentence.text}" for sentence in one.sentences]
    return "\n".join(filter(None, (f"# {head}", *said, *(line.summary for line in one.episodes), one.response.strip())))


def _texts(one: SessionDigest) -> Iterator[str]:
    yield one.task
    yield one.response
    yield from (line.summary for line in one.episodes)
    yield from (sentence.text for sentence in one.sentences)
