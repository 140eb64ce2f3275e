"""Which step a caller means: by its number, as the current one, by its words; never a guess between two."""

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
    """Return the index of the step that a number, a `.` for the current one, or a piece of its text means.

    What is too short to name an entry is too short to name a step.

    Raises:
        TargetError: none is meant, or more than one; `candidates` are `number text`.
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
        TargetError: there is none; `candidates` are the open ones.
    """
    if todo.at is None:
        left = tuple(f"{step.number} {step.text}" for step in todo.steps if not step.done)
        raise TargetError("no step is current", candidates=left[:8])
    return todo.at


def finish(document: Document, template: Template, name: str = ".") -> EditPlan:
    """Mark a step as done; where it was the current one, the plan goes on behind it.

    Raises:
        TargetError: no step, or more than one, is meant.
        UsageError: steps below it are open.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    index = find_step(todo, name)
    if below := todo.open_below(index):
        numbers = ", ".join(todo.steps[at].number for at in below)
        raise UsageError(f"step {todo.steps[index].number} has open steps below it: {numbers}", hint=numbers)
    todo = draft.edit(_boxes([todo.steps[index]], "x"))
    at = after(todo, index) if todo.at is None or todo.at == index else todo.at
    return draft.settle(at)


def next_step(document: Document, template: Template) -> EditPlan:
    """Let the next open step be the current one; the one that was stays open.

    Raises:
        TargetError: no step is open.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    start = -1 if todo.at is None else todo.at
    left = [at for at, step in enumerate(todo.steps) if not step.done]
    if not left:
        raise TargetError("no step is open")
    return draft.settle(next((at for at in left if at > start), left[0]))


def go_to(document: Document, template: Template, name: str) -> EditPlan:
    """Jump to a step (D052). What is to be done again is open again: a loop's body is (D051).

    Back: all from there to the current step. To a step below the current one that was done: it and the rest below the
    current one. To the current step itself: what stands below it. To a later step that was done: it, with what stands
    below. The steps above the target are open with it.

    Raises:
        TargetError: no step, or more than one, is meant.
    """
    draft = PlanDraft(document, template)
    todo = draft.todo
    index = find_step(todo, name)
    again = {index, *_again(todo, index)}
    above = todo.above(index)
    while above is not None:
        again.add(above)
        above = todo.above(above)
    draft.edit(_boxes([todo.steps[at] for at in sorted(again) if todo.steps[at].done], " "))
    intent = draft.settle(index)
    opened = tuple(todo.steps[at].number for at in sorted(again - {index}) if todo.steps[at].done)
    return intent._replace(notes=(EditNote("reopened", {"numbers": ", ".join(opened)}),) if opened else ())


def set_phase(document: Document, template: Template, phase: str) -> EditPlan:
    """Say which phase the task is in.

    Raises:
        UsageError: the template knows no such phase; the hint lists those it knows.
    """
    known = template.parts.get("phases", ())
    found = next((one for one in known if fold(one) == fold(phase)), "")
    if not found:
        raise UsageError(f"`{phase[:60]}` is no phase", hint=", ".join(known))
    draft = PlanDraft(document, template)
    return draft.settle(current_or_first_open(draft.todo), phase=found)


def current_or_first_open(todo: TodoList) -> int | None:
    """Return the step that is current, or the first open one where nothing says so."""
    if todo.at is not None:
        return todo.at
    return next((at for at, step in enumerate(todo.steps) if not step.done), None)


def after(todo: TodoList, index: int, gone: Iterable[int] = ()) -> int | None:
    """Return the step that comes when one is done: the next one beside it, else the one above it, to which it returns.

    Behind the last one: the first that was passed over; None when all are done.
    """
    away = set(gone)
    at: int | None = index
    while at is not None:
        depth, up = todo.steps[at].depth, todo.above(at)
        end = len(todo.steps) if up is None else todo.end(up)
        beside = (one for one in range(at + 1, end) if todo.steps[one].depth == depth)
        found = next((one for one in beside if not todo.steps[one].done and one not in away), None)
        if found is not None:
            return found
        if up is not None and not todo.steps[up].done and up not in away:
            return up
        at = up
    return next((at for at, step in enumerate(todo.steps) if not step.done and at not in away), None)


def _again(todo: TodoList, index: int) -> range:
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


def _boxes(steps: Iterable[TodoItem], mark: str) -> list[Edit]:
    found = ((step.entry.text_span.start, step.entry.parts.checkbox) for step in steps if step.done != (mark == "x"))
    return [Edit.replace(start + box.start + 1, start + box.end - 1, mark) for start, box in found if box]


def add_steps(
    document: Document | None, template: Template, texts: Sequence[str], *, behind: str = "", under: str = ""
) -> EditPlan:
    """Add steps: at the end of the list, behind a step, or below one as its last steps; the first one is current.

    Raises:
        TargetError: no step, or more than one, is meant.
        UsageError: a text says nothing, or two places are named.
        VerificationError: they would not stand there as steps.
    """
    if behind and under:
        raise UsageError("a step goes behind another or below it, not both")
    draft = PlanDraft(document, template)
    todo, lines = draft.todo, [_bare(text, template) for text in texts]
    rows, at = [row(step) for step in todo.steps], todo.at
    if not (todo.steps or behind or under):
        name = section_name(template, "todo")
        draft.edit(add(draft.document, template, [f"[ ] {line}" for line in lines], section=name or None).edits)
        draft.proved([(0, line, False) for line in lines])
        return draft.settle(0)
    index = find_step(todo, behind or under) if behind or under else _last(todo)
    spot = (position_below if under else position_beside)(draft.document, todo, index)
    draft.edit([insertion(draft.document, spot, [f"{spot.lead}[ ] {line}" for line in lines])])
    draft.proved([*rows[: spot.first], *((spot.depth, line, False) for line in lines), *rows[spot.first :]])
    return draft.settle(current_or_first_open(draft.todo) if at is None else at + len(lines) * (at >= spot.first))


def remove_steps(document: Document, template: Template, names: Sequence[str]) -> EditPlan:
    """Take steps out with all that stands below them; the note `removed` names their lines in the file.

    Raises:
        TargetError: no step, or more than one, is meant.
        VerificationError: what stands around would become something else.
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
    draft.proved([row(todo.steps[index]) for index in left])
    notes = (EditNote("removed", {"lines": tuple(todo.steps[head].entry.line for head in heads), "count": len(gone)}),)
    return draft.settle(None if at is None else left.index(at))._replace(notes=notes)


def move_step(document: Document, template: Template, name: str, to: str) -> EditPlan:
    """Move a step, with all below it, so that it bears the number `to` afterwards.

    Raises:
        TargetError: no step is meant, or there can be none of that number; `candidates` are the numbers of its level.
        VerificationError: the file is written in a way in which the steps would become others.
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
    draft.proved([row(todo.steps[one]) for one in left])
    spot = position_at(draft.document, draft.todo, to)
    deeper = spot.depth - step.depth
    draft.edit([insertion(draft.document, spot, shifted(before, step, spot))])
    order = [*left[: spot.first], *block, *left[spot.first :]]
    rows = [(one, *row(todo.steps[one])) for one in order]
    draft.proved([(depth + deeper * (one in block), text, done) for one, depth, text, done in rows])
    return draft.settle(None if at is None else order.index(at))


def _last(todo: TodoList) -> int:
    """Return the last step of the outermost level."""
    return max(at for at, step in enumerate(todo.steps) if not step.depth)


def _bare(text: str, template: Template) -> str:
    """Return what a text says as a step: without a checkbox or a mark of its own.

    Raises:
        UsageError: that is nothing.
    """
    box = read_entry(text).checkbox
    marks = mark_pattern(template.parts.get("current", ()))
    said = text[box.end if box else 0 :]
    bare = (marks.sub("", said) if marks else said).strip()
    if not bare:
        raise UsageError("the text is empty", hint="say in one line what is to be done")
    return bare
