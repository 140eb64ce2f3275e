"""Which step a caller means: by its number, as the current one, by its words; never a guess between two."""

from __future__ import annotations

from mdmem.core.intent.find import is_vague, nearest
from mdmem.core.todo.read import NUMBER, Todo
from mdmem.errors import TargetError


def find_step(todo: Todo, name: str, *, leaves: bool = False) -> int:
    """Give the index of the step that a number, a `.` for the current one, or a piece of its text means.

    With `leaves`, the step is to be taken away: then one or two characters are no piece of text that names it.

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
    if len(found) == 1 and not (leaves and is_vague(wanted) and todo.steps[found[0]].text != wanted):
        return found[0]
    near = [todo.steps[at] for at in found] or nearest(wanted, todo.steps, lambda step: step.text) or todo.steps
    candidates = tuple(f"{step.number} {step.text}" for step in near[:8])
    raise TargetError(f"no one step is `{wanted[:60]}`", candidates=candidates, count=len(found))


def current(todo: Todo) -> int:
    """Give the index of the current step.

    Raises:
        TargetError: there is none; `candidates` are the open ones.
    """
    if todo.at is None:
        left = tuple(f"{step.number} {step.text}" for step in todo.steps if not step.done)
        raise TargetError("no step is current", candidates=left[:8])
    return todo.at
