"""Walks a plan: a step done, the next one, a jump, a phase; depth first, and back to the step above (D049 to D053)."""

from __future__ import annotations

from collections.abc import Iterable

from mdmem.core.document import Document
from mdmem.core.edit import Edit
from mdmem.core.intent.note import Intent, Note
from mdmem.core.template import Template, fold
from mdmem.core.todo.find import find_step
from mdmem.core.todo.read import Step, Todo
from mdmem.core.todo.state import Draft
from mdmem.errors import TargetError, UsageError


def finish(document: Document, template: Template, name: str = ".") -> Intent:
    """Mark a step as done; where it was the current one, the plan goes on behind it.

    Raises:
        TargetError: no step, or more than one, is meant.
        UsageError: steps below it are open.
    """
    draft = Draft(document, template)
    todo = draft.todo
    index = find_step(todo, name)
    if below := todo.open_below(index):
        numbers = ", ".join(todo.steps[at].number for at in below)
        raise UsageError(f"step {todo.steps[index].number} has open steps below it: {numbers}", hint=numbers)
    todo = draft.edit(_boxes([todo.steps[index]], "x"))
    at = after(todo, index) if todo.at is None or todo.at == index else todo.at
    return draft.settle(at)


def go_on(document: Document, template: Template) -> Intent:
    """Let the next open step be the current one; the one that was stays open.

    Raises:
        TargetError: no step is open.
    """
    draft = Draft(document, template)
    todo = draft.todo
    start = -1 if todo.at is None else todo.at
    left = [at for at, step in enumerate(todo.steps) if not step.done]
    if not left:
        raise TargetError("no step is open")
    return draft.settle(next((at for at in left if at > start), left[0]))


def go_to(document: Document, template: Template, name: str) -> Intent:
    """Jump to a step (D052). What is to be done again is open again: a loop's body is (D051).

    Back: all from there to the current step. To a step below the current one that was done: it and the rest below the
    current one. To the current step itself: what stands below it. To a later step that was done: it, with what stands
    below. The steps above the target are open with it.

    Raises:
        TargetError: no step, or more than one, is meant.
    """
    draft = Draft(document, template)
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
    return intent._replace(notes=(Note("reopened", {"numbers": ", ".join(opened)}),) if opened else ())


def set_phase(document: Document, template: Template, phase: str) -> Intent:
    """Say which phase the task is in.

    Raises:
        UsageError: the template knows no such phase; the hint lists those it knows.
    """
    known = template.parts.get("phases", ())
    found = next((one for one in known if fold(one) == fold(phase)), "")
    if not found:
        raise UsageError(f"`{phase[:60]}` is no phase", hint=", ".join(known))
    draft = Draft(document, template)
    return draft.settle(follow(draft.todo), phase=found)


def follow(todo: Todo) -> int | None:
    """Give the step that is current, or the first open one where nothing says so."""
    if todo.at is not None:
        return todo.at
    return next((at for at, step in enumerate(todo.steps) if not step.done), None)


def after(todo: Todo, index: int, gone: Iterable[int] = ()) -> int | None:
    """Give the step that comes when one is done: the next one beside it, else the one above it, to which it returns.

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


def _again(todo: Todo, index: int) -> range:
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


def _boxes(steps: Iterable[Step], mark: str) -> list[Edit]:
    found = ((step.entry.text_span.start, step.entry.parts.checkbox) for step in steps if step.done != (mark == "x"))
    return [Edit.replace(start + box.start + 1, start + box.end - 1, mark) for start, box in found if box]
