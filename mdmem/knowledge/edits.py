"""The edits of knowledge: a task plan that runs a function, and the keys of a piece's front matter. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mdmem.entries.edits.add import add
from mdmem.entries.edits.content import EditPlan
from mdmem.formats.knowledge.piece_functions import INTERFACE, FunctionStep
from mdmem.formats.task_plan import section_name
from mdmem.formats.template import Template
from mdmem.plan.draft import PlanDraft, insertion, lead, position_below, row
from mdmem.plan.edits import find_step
from mdmem.text.document import Document
from mdmem.text.edit import Edit


class RunLine(NamedTuple):
    """A line of a plan's state: a word of the template's parts, and its value."""

    part: str
    value: str


def begin_plan(template: Template, state: Sequence[RunLine], steps: Sequence[FunctionStep]) -> EditPlan:
    """Return the edits from no file to a plan that runs some steps."""
    draft = PlanDraft(None, template)
    name = section_name(template, "state")
    lines = _state_lines(template, state)
    if lines:
        draft.edit(add(draft.document, template, lines, section=name or None).edits)
    first = steps[0].text
    draft.edit(add(draft.document, template, [f"[ ] {first}"], section=section_name(template, "todo") or None).edits)
    own = lead(draft.document, draft.todo.steps[0])
    position = position_below(draft.document, draft.todo, 0)
    rows = [_step_line(own, step) for step in steps[1:]]
    if rows:
        draft.edit([insertion(draft.document, position, rows)])
    draft.check_steps([(step.depth, step.text, False) for step in steps])
    return draft.edit_plan(0)


def extend_plan(
    document: Document, template: Template, under: str, state: Sequence[RunLine], steps: Sequence[FunctionStep]
) -> EditPlan:
    """Return the edits that add some steps below a step, as its last ones; the first of them is current.

    Raises:
        TargetError: no step matches, or more than one.
        VerificationError: the lines would not be read as steps.
    """
    draft = PlanDraft(document, template)
    index = find_step(draft.todo, under)
    before = [row(step) for step in draft.todo.steps]
    position = position_below(draft.document, draft.todo, index)
    draft.edit([insertion(draft.document, position, [_step_line(position.lead, step) for step in steps])])
    new = [(position.depth + step.depth, step.text, False) for step in steps]
    draft.check_steps([*before[: position.first], *new, *before[position.first :]])
    name = section_name(template, "state")
    draft.edit(add(draft.document, template, _state_lines(template, state), section=name or None).edits)
    return draft.edit_plan(position.first)


def number_below(document: Document, template: Template, under: str) -> tuple[str, int]:
    """Return the number of a step, and how many steps it has directly below it."""
    todo = PlanDraft(document, template).todo
    index = find_step(todo, under)
    depth = todo.steps[index].depth + 1
    return todo.steps[index].number, sum(todo.steps[at].depth == depth for at in range(index + 1, todo.end(index)))


def _state_lines(template: Template, state: Sequence[RunLine]) -> list[str]:
    words = {line.part: template.parts.get(line.part, (line.part,))[0] for line in state}
    return [f"{words[line.part]}: {line.value}" for line in state if line.value]


def _step_line(own: str, step: FunctionStep) -> str:
    marker = own.lstrip()
    return f"{own[: len(own) - len(marker)]}{' ' * len(marker) * step.depth}{marker}[ ] {step.text}"


def steps_edits(
    document: Document, template: Template, interface: Mapping[str, str], steps: Sequence[str]
) -> tuple[Edit, ...]:
    """Return the edit that writes a function at the end of the section of steps: its interface, and a numbered list.

    `interface` has the texts behind `inputs`, `outputs` and `needs`, words of the template's parts.
    """
    name = section_name(template, "steps")
    section = next(one for one in document.sections if template.named(one) == name)
    body = section.body.of(document.text)
    at = section.body.start + len(body.rstrip())
    ending = document.lines.ending
    labels = {part: template.parts.get(part, (part,))[0] for part in INTERFACE}
    lines = [f"- {labels[part]}: {interface[part]}" for part in INTERFACE if interface.get(part)]
    numbered = [f"{number}. {step}" for number, step in enumerate(steps, 1)]
    blocks = [ending.join(block) for block in (lines, numbered) if block]
    return (Edit.insert(at, "".join(ending * 2 + block for block in blocks)),)


def without_key(document: Document, key: str) -> tuple[Edit, ...]:
    """Return the edit that removes a key of the front matter with its lines; none if it is not there."""
    front = document.front_matter
    node = front.node(key) if front else None
    if node is None or node.key is None:
        return ()
    lines = document.lines
    first, last = lines.at(node.key.start), lines.at(max(node.key.start, node.span.end - 1))
    return (Edit.replace(lines.start(first), lines.full(last).end, ""),)
