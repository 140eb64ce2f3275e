"""The edits of a task plan: finish, move to, add, remove and move steps; set the phase; find a step by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mdmem.entries.edits.add import add
from mdmem.entries.edits.content import EditNote, EditPlan
from mdmem.entries.edits.find import is_vague, nearest_texts
from mdmem.entries.edits.rewrite import remove
from mdmem.errors import TargetError, UsageError
from mdmem.formats.task_plan import NUMBER, TodoItem, TodoList, mark_pattern, section_name
from mdmem.formats.template import Template, fold
from mdmem.plan.draft import PlanDraft, insertion, position_at, position_below, position_beside, removal, row, shifted
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry


def find_step(todo: TodoList, name: str) -> int:
    """Return the index of a step by its number, by `.` for the current one, or by a part of its text.

    A text that is too short to name an entry is too short to name a step.

    Raises:
        TargetError: no step matches, or more than one; `candidates` are `number text`.
    """
    wanted = name.strip()
    if wanted == ".":
        return current(todo)
    numbered = todo.find(wanted)
    if numbered is not None:
        return numbered
    found = [] if NUMBER.fullmatch(wanted) or not wanted else [
        at for at, step in enumerate(todo.steps) if wanted in step.text
    ]  # fmt: skip
    if len(found) == 1 and not (is_vague(wanted) and todo.steps[found[0]].text != wanted):
        return found[0]
    near = [todo.steps[at] for at in found] or nearest_texts(wanted, todo.steps, lambda step: step.text) or todo.steps
    candidates = tuple(f"{step.number} {step.text}" for step in near[:8])
    raise TargetError(f"no one step is `{wanted[:60]}`", candidates=candidates, count=len(found))


def current(todo: TodoList) -> int:
    """Return the index of the current step.

    Raises:
        TargetError: there is none; `candidates` are the open steps.
    """
    if todo.at is None:
        left = tuple(f"{step.number} {step.text}" for step in todo.steps if not step.done)
        raise TargetError("no step is current", candidates=left[:8])
    return todo.at


def finish(document: Document, template: Template, name: str = ".") -> EditPlan:
    """Mark a step as done; if it was the current one, the pointer moves on.

    Raises:
        TargetError: no step matches, or more than one.
        UsageError: steps below it are open.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    index = find_step(todo, name)
    if below := todo.open_below(index):
        numbers = ", ".join(todo.steps[at].number for at in below)
        raise UsageError(f"step {todo.steps[index].number} has open steps below it: {numbers}", hint=numbers)
    todo = draft.edit(_checkbox_edits([todo.steps[index]], "x"))
    at = after(todo, index) if todo.at is None or todo.at == index else todo.at
    return draft.edit_plan(at)


def next_step(document: Document, template: Template) -> EditPlan:
    """Make the next open step the current one; the former one stays open.

    Raises:
        TargetError: no step is open.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    start = -1 if todo.at is None else todo.at
    left = [at for at, step in enumerate(todo.steps) if not step.done]
    if not left:
        raise TargetError("no step is open")
    return draft.edit_plan(next((at for at in left if at > start), left[0]))


def go_to(document: Document, template: Template, name: str) -> EditPlan:
    """Make a step the current one (D052), and reopen the steps that are to be done again, such as a loop's body (D051).

    Reopened are, for an earlier step: all steps from it to the current one. For a finished step below the current one:
    it and the rest below the current one. For the current step: the steps below it. For a finished later step: it and
    the steps below it. In all cases, the steps above the target are reopened too.

    Raises:
        TargetError: no step matches, or more than one.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    index = find_step(todo, name)
    reopened = {index, *_steps_to_reopen(todo, index)}
    above = todo.above(index)
    while above is not None:
        reopened.add(above)
        above = todo.above(above)
    draft.edit(_checkbox_edits([todo.steps[at] for at in sorted(reopened) if todo.steps[at].done], " "))
    edit_plan = draft.edit_plan(index)
    numbers = tuple(todo.steps[at].number for at in sorted(reopened - {index}) if todo.steps[at].done)
    return edit_plan._replace(notes=(EditNote("reopened", {"numbers": ", ".join(numbers)}),) if numbers else ())


def set_phase(document: Document, template: Template, phase: str) -> EditPlan:
    """Set the phase of the task.

    Raises:
        UsageError: the template has no such phase; the hint lists its phases.
    """
    phases = template.parts.get("phases", ())
    found = next((one for one in phases if fold(one) == fold(phase)), "")
    if not found:
        raise UsageError(f"`{phase[:60]}` is no phase", hint=", ".join(phases))
    draft = PlanDraft(document, template)
    return draft.edit_plan(current_or_first_open(draft.todo), phase=found)


def current_or_first_open(todo: TodoList) -> int | None:
    """Return the index of the current step, or else of the first open one; None if all are done."""
    if todo.at is not None:
        return todo.at
    return next((at for at, step in enumerate(todo.steps) if not step.done), None)


def after(todo: TodoList, index: int, gone: Iterable[int] = ()) -> int | None:
    """Return the index of the step after a finished one: the next open step beside it, or else the one above it.

    After the last step, return the first open one; None if all are done. Steps in `gone` do not count.
    """
    excluded = set(gone)
    at: int | None = index
    while at is not None:
        depth, up = todo.steps[at].depth, todo.above(at)
        end = len(todo.steps) if up is None else todo.end(up)
        beside = (one for one in range(at + 1, end) if todo.steps[one].depth == depth)
        found = next((one for one in beside if not todo.steps[one].done and one not in excluded), None)
        if found is not None:
            return found
        if up is not None and not todo.steps[up].done and up not in excluded:
            return up
        at = up
    return next((at for at, step in enumerate(todo.steps) if not step.done and at not in excluded), None)


def _steps_to_reopen(todo: TodoList, index: int) -> range:
    at, done = todo.at, todo.steps[index].done
    if at is None:
        return range(index, len(todo.steps))
    if index < at:
        return range(index, at)
    if index == at:
        return range(index, todo.end(index))
    if not done:
        return range(index, index)
    return range(index, todo.end(at) if index < todo.end(at) else todo.end(index))


def _checkbox_edits(steps: Iterable[TodoItem], mark: str) -> list[Edit]:
    found = ((step.entry.text_span.start, step.entry.parts.checkbox) for step in steps if step.done != (mark == "x"))
    return [Edit.replace(start + box.start + 1, start + box.end - 1, mark) for start, box in found if box]


def add_steps(
    document: Document | None, template: Template, texts: Sequence[str], *, behind: str = "", under: str = ""
) -> EditPlan:
    """Add steps at the end, after a step, or below one as its last steps; in a new plan the first one is current.

    Raises:
        TargetError: no step matches, or more than one.
        UsageError: a text is empty, or two positions are named.
        VerificationError: the lines would not be read as steps.
    """
    if behind and under:
        raise UsageError("a step goes behind another or below it, not both")
    draft = PlanDraft(document, template)
    todo, lines = draft.todo, [_step_text(text, template) for text in texts]
    rows, at = [row(step) for step in todo.steps], todo.at
    if not (todo.steps or behind or under):
        name = section_name(template, "todo")
        draft.edit(add(draft.document, template, [f"[ ] {line}" for line in lines], section=name or None).edits)
        draft.check_steps([(0, line, False) for line in lines])
        return draft.edit_plan(0)
    index = find_step(todo, behind or under) if behind or under else _last(todo)
    position = (position_below if under else position_beside)(draft.document, todo, index)
    draft.edit([insertion(draft.document, position, [f"{position.lead}[ ] {line}" for line in lines])])
    draft.check_steps(
        [*rows[: position.first], *((position.depth, line, False) for line in lines), *rows[position.first :]]
    )
    return draft.edit_plan(
        current_or_first_open(draft.todo) if at is None else at + len(lines) * (at >= position.first)
    )


def remove_steps(document: Document, template: Template, names: Sequence[str]) -> EditPlan:
    """Remove steps with their nested steps; the note `removed` has their lines in the file.

    Raises:
        TargetError: no step matches, or more than one.
        VerificationError: other steps would change.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    named = sorted({find_step(todo, name) for name in names})
    gone = {at for head in named for at in range(head, todo.end(head))}
    heads = [at for at in named if not any(other < at < todo.end(other) for other in named)]
    at = current_or_first_open(todo)
    if at in gone:
        at = after(todo, next(head for head in heads if head <= at < todo.end(head)), gone)
    left = [index for index in range(len(todo.steps)) if index not in gone]
    draft.edit(remove(draft.document, [todo.steps[head].entry for head in heads]).edits)
    draft.check_steps([row(todo.steps[index]) for index in left])
    notes = (EditNote("removed", {"lines": tuple(todo.steps[head].entry.line for head in heads), "count": len(gone)}),)
    return draft.edit_plan(None if at is None else left.index(at))._replace(notes=notes)


def move_step(document: Document, template: Template, name: str, to: str) -> EditPlan:
    """Move a step with its nested steps, so that its number is `to` afterwards.

    Raises:
        TargetError: no step matches, or the number is not possible; `candidates` are the numbers of its level.
        VerificationError: other steps would change.
    """
    draft = PlanDraft(document, template)
    todo, at = draft.todo, current_or_first_open(draft.todo)
    index = find_step(todo, name)
    step, block = todo.steps[index], [*range(index, todo.end(index))]
    left = [one for one in range(len(todo.steps)) if one not in block]
    if not left:
        raise TargetError("there is no other place", candidates=(step.number,))
    before = draft.document
    draft.edit([removal(before, step)])
    draft.check_steps([row(todo.steps[one]) for one in left])
    position = position_at(draft.document, draft.todo, to)
    deeper = position.depth - step.depth
    draft.edit([insertion(draft.document, position, shifted(before, step, position))])
    order = [*left[: position.first], *block, *left[position.first :]]
    rows = [(one, *row(todo.steps[one])) for one in order]
    draft.check_steps([(depth + deeper * (one in block), text, done) for one, depth, text, done in rows])
    return draft.edit_plan(None if at is None else order.index(at))


def _last(todo: TodoList) -> int:
    """Return the index of the last step of the outermost level."""
    return max(at for at, step in enumerate(todo.steps) if not step.depth)


def _step_text(text: str, template: Template) -> str:
    """Return the text of a step without a checkbox and the mark of the current step.

    Raises:
        UsageError: the text is empty.
    """
    box = read_entry(text).checkbox
    marks = mark_pattern(template.parts.get("current", ()))
    unboxed = text[box.end if box else 0 :]
    bare = (marks.sub("", unboxed) if marks else unboxed).strip()
    if not bare:
        raise UsageError("the text is empty", hint="say in one line what is to be done")
    return bare
