"""Let a model shorten an identity file: its prompt, and the proof of its answer. Pure.

An answer is proved section by section against the source: nothing may stand in it that the source does not say, and
every rule must stand in it. What is not proved is not written; the rules' text is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mdmem.formats.template import fold
from mdmem.generation.model import Operation, PlanProblem, lines_of
from mdmem.generation.proof import is_empty_answer, line_problem, meaning_problems, named_sections
from mdmem.identity.model import CompileTarget, IdentityLine, IdentitySection, IdentityText
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, tokens
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import FactSource

_TOP = "—"  # names what stands above all headings
_MARKUP = pattern(r"<!--|--!?>|</?[A-Za-z][^<>]*>")


class _CompileFields(NamedTuple):
    target: CompileTarget
    path: str  # of the source
    text: IdentityText  # with the narrative
    most: int  # tokens
    restated: float  # share of a rule's words that a line must have to say the same
    count: Callable[[str], int]
    scorer: ImportanceScorer
    unfit: Callable[[str], bool]  # whether the gate refuses a text


class CompileTask(_CompileFields):
    """The inputs of one answer."""

    @cached_property
    def sections(self) -> dict[str, IdentitySection]:
        """The sections with lines, by the names that an answer gives them; a title that occurs twice is numbered."""
        found: dict[str, IdentitySection] = {}
        for one in self.text.sections:
            if one.lines:
                name, number = one.title or _TOP, 2
                while name in found:
                    name, number = f"{one.title or _TOP} ({number})", number + 1
                found[name] = one
        return found

    @property
    def prompt(self) -> str:
        """The name of the prompt's template."""
        return f"compile_{self.target.replace('.', '_')}"

    def section(self, title: str) -> str | None:
        """Return the name of the section that a title means."""
        bare = title.lstrip("# ").strip()
        names = (name for name in self.sections if name == bare or (fold(name) and fold(name) == fold(bare)))
        return next(names, _TOP if not bare and _TOP in self.sections else None)


def prompt_values(task: CompileTask) -> dict[str, str]:
    """Return the values of the prompt's slots."""
    blocks = ("\n".join((f"## {name}", *(line.item for line in one.lines))) for name, one in task.sections.items())
    rules = [line for one in task.sections.values() for line in one.lines if line.kept and not line.why]
    return {
        "file": "\n\n".join(blocks),
        "path": task.path,
        "today": task.scorer.today.isoformat(),
        "sections": "\n".join(f"- {name}" for name in task.sections),
        "kept": "\n".join(f"- {one_line(line.text)}" for line in rules) or _TOP,
        "max_tokens": str(task.most),
    }


def answered_text(task: CompileTask, operations: Sequence[Operation]) -> IdentityText:
    """Return the text of a proved answer, in the order of the source."""
    said: dict[IdentitySection, tuple[str, ...]] = {}
    for one in operations:
        name, lines = task.section(one.section), lines_of(one.content)
        if name and not is_empty_answer(lines):
            said[task.sections[name]] = lines
    return IdentityText(
        tuple(
            one._replace(lines=tuple(map(IdentityLine, said.get(one, ())))) if one.lines else one
            for one in task.text.sections
        )
    )


def compile_problems(task: CompileTask, operations: Sequence[Operation]) -> Iterator[PlanProblem]:
    """Yield the problems of an answer; an answer without problems is proved and may be written."""
    named: dict[str, tuple[str, ...]] = {}
    for found in named_sections(operations, (task.path, task.target), task.section):
        if isinstance(found, PlanProblem):
            yield found
        else:
            lines = lines_of(found[1].content)
            named[found[0]] = () if is_empty_answer(lines) else lines
    if not any(named.values()):
        yield PlanProblem("empty", {"section": next(iter(task.sections), _TOP)})
    for name, section in task.sections.items():
        yield from _section_problems(task, name, section, named.get(name, ()))
    if (used := task.count(answered_text(task, operations).markdown())) > task.most:
        yield PlanProblem("too-many-tokens", {"count": used, "max": task.most})


def _section_problems(
    task: CompileTask, name: str, section: IdentitySection, lines: Sequence[str]
) -> Iterator[PlanProblem]:
    where = {"section": name}
    texts = [one_line(line.text) for line in section.lines]
    source = FactSource("\n".join((section.title, *texts)))

    def unfit(line: str) -> bool:
        return _MARKUP.search(line) is not None or task.unfit(line)

    yield from filter(None, (line_problem(line, where, unfit, source.missing) for line in lines))
    yield from meaning_problems(texts, lines, task.scorer, where)
    keys = "\n".join(map(comparison_key, lines))
    for rule, text in zip(section.lines, texts, strict=True):
        if rule.kept and not rule.why and comparison_key(text) not in keys and not _is_restated(task, text, lines):
            yield PlanProblem("rule-lost", where | {"text": text})


def _is_restated(task: CompileTask, rule: str, lines: Sequence[str]) -> bool:
    """Return whether a line has all facts of a rule and most of its words, and is a rule itself."""
    words, is_rule = tokens(rule), task.scorer.is_kept(rule)
    for line in lines:
        has_words = len(words & tokens(line)) >= task.restated * len(words)
        if has_words and is_rule and task.scorer.is_kept(line) and not FactSource(line).missing(rule):
            return True
    return False
