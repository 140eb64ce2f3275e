"""Let a model word the lines of patterns: its prompt, and the proof of its answer. Pure.

What was run and what came of it is found by rule. A line of the answer must hold the code of one of these patterns, and
may say nothing that the runs, the sessions or the piece do not say; otherwise the lines of the rules are proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mdmem.entries.edits.generated import body
from mdmem.formats.template import Template
from mdmem.generation.model import Operation, PlanProblem, lines_of
from mdmem.generation.proof import is_empty_answer, line_problem, meaning_problems, named_sections
from mdmem.learning.edits import pattern_key
from mdmem.learning.model import LearnedPattern
from mdmem.text.document import Document
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import FactSource

PROMPT = "learning"
_NEW_LINES = "\n\n"


class WordingTask(NamedTuple):
    """The inputs of one answer."""

    path: str
    document: Document  # the piece
    template: Template
    patterns: tuple[LearnedPattern, ...]
    line_chars: int
    scorer: ImportanceScorer
    unfit: Callable[[str], bool]  # whether the gate refuses a text

    def section(self, one: LearnedPattern) -> str:
        """Return the title of the section of a pattern."""
        return self.template.name(one.section) or one.section

    @property
    def sources(self) -> tuple[str, ...]:
        """The texts that an answer may be based on."""
        found = (text for one in self.patterns for text in (one.text, one.shown, *one.purposes))
        return (*(entry.text for entry in self.document.entries), *found)


def prompt_values(task: WordingTask) -> dict[str, str]:
    """Return the values of the prompt's slots."""
    runs = (f"[{task.section(one)}] {one.text}\n{' · '.join(one.purposes)}\n{one.shown}" for one in task.patterns)
    return {
        "file": task.document.text.strip("\n"),
        "runs": _NEW_LINES.join(runs),
        "path": task.path,
        "today": task.scorer.today.isoformat(),
        "max_chars": str(task.line_chars),
    }


def worded(task: WordingTask, operations: Sequence[Operation]) -> tuple[LearnedPattern, ...]:
    """Return the patterns in the words of a proved answer; what it leaves out keeps the words of the rules."""
    lines = {one: line for operation in operations for line in _lines(operation) if (one := _pattern(task, line))}
    return tuple(one._replace(text=lines.get(one, one.text)) for one in task.patterns)


def wording_problems(task: WordingTask, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
    """Yield the problems of an answer; an answer without problems is proved and may be proposed."""
    titles = {task.section(one) for one in task.patterns}

    def title(named: str) -> str | None:
        name = task.template.name(named)
        return name if name in titles else None

    source = FactSource("\n".join((*task.sources, task.scorer.today.isoformat())))
    for found in named_sections(operations, (task.path, task.template.kind), title):
        if isinstance(found, PlanProblem):
            yield found
            continue
        where, lines = {"section": found[0]}, _lines(found[1])
        for line in lines:
            named = _pattern(task, line)
            if named is None or task.section(named) != found[0]:
                yield PlanProblem("no-run", where)
        problems = (line_problem(line, where, task.unfit, source.missing, task.line_chars) for line in lines)
        yield from filter(None, problems)
        yield from meaning_problems(task.sources, lines, task.scorer, where)


def _lines(operation: Operation) -> tuple[str, ...]:
    lines = lines_of(operation.content)
    return () if is_empty_answer(lines) else tuple(filter(None, map(body, lines)))


def _pattern(task: WordingTask, line: str) -> LearnedPattern | None:
    """Return the pattern whose code a line holds."""
    code = set(pattern_key(line))
    return next((one for one in task.patterns if code.issuperset(pattern_key(one.text))), None)
