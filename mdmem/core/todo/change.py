"""Changes a plan: steps added, taken out, moved; numbers, mark and pointer follow (D049, D051, D053)."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Document
from mdmem.core.entry import read_entry
from mdmem.core.intent.add import add
from mdmem.core.intent.change import remove
from mdmem.core.intent.note import Intent, Note
from mdmem.core.template import Template
from mdmem.core.todo.find import find_step
from mdmem.core.todo.place import insertion, removal, shifted, spot_at, spot_below, spot_beside
from mdmem.core.todo.read import Todo, mark_pattern, section_name
from mdmem.core.todo.state import Draft, row
from mdmem.core.todo.step import after, follow
from mdmem.errors import TargetError, UsageError


def add_steps(
    document: Document | None, template: Template, texts: Sequence[str], *, behind: str = "", under: str = ""
) -> Intent:
    """Add steps: at the end of the list, behind a step, or below one as its last steps; the first one is current.

    Raises:
        TargetError: no step, or more than one, is meant.
        UsageError: a text says nothing, or two places are named.
        VerificationError: they would not stand there as steps.
    """
    if behind and under:
        raise UsageError("a step goes behind another or below it, not both")
    draft = Draft(document, template)
    todo, lines = draft.todo, [_bare(text, template) for text in texts]
    rows, at = [row(step) for step in todo.steps], todo.at
    if not (todo.steps or behind or under):
        name = section_name(template, "todo")
        draft.edit(add(draft.document, template, [f"[ ] {line}" for line in lines], section=name or None).edits)
        draft.proved([(0, line, False) for line in lines])
        return draft.settle(0)
    index = find_step(todo, behind or under) if behind or under else _last(todo)
    spot = (spot_below if under else spot_beside)(draft.document, todo, index)
    draft.edit([insertion(draft.document, spot, [f"{spot.lead}[ ] {line}" for line in lines])])
    draft.proved([*rows[: spot.first], *((spot.depth, line, False) for line in lines), *rows[spot.first :]])
    return draft.settle(follow(draft.todo) if at is None else at + len(lines) * (at >= spot.first))


def remove_steps(document: Document, template: Template, names: Sequence[str]) -> Intent:
    """Take steps out with all that stands below them; the note `removed` names their lines in the file.

    Raises:
        TargetError: no step, or more than one, is meant.
        VerificationError: what stands around would become something else.
    """
    draft = Draft(document, template)
    todo = draft.todo
    named = sorted({find_step(todo, name, leaves=True) for name in names})
    gone = {at for head in named for at in range(head, todo.end(head))}
    heads = [at for at in named if not any(other < at < todo.end(other) for other in named)]
    at = follow(todo)
    if at in gone:
        at = after(todo, next(head for head in heads if head <= at < todo.end(head)), gone)
    left = [index for index in range(len(todo.steps)) if index not in gone]
    draft.edit(remove(draft.document, [todo.steps[head].entry for head in heads]).edits)
    draft.proved([row(todo.steps[index]) for index in left])
    notes = (Note("removed", {"lines": tuple(todo.steps[head].entry.line for head in heads), "count": len(gone)}),)
    return draft.settle(None if at is None else left.index(at))._replace(notes=notes)


def move_step(document: Document, template: Template, name: str, to: str) -> Intent:
    """Move a step, with all below it, so that it bears the number `to` afterwards.

    Raises:
        TargetError: no step is meant, or there can be none of that number; `candidates` are the numbers of its level.
        VerificationError: the file is written in a way in which the steps would become others.
    """
    draft = Draft(document, template)
    todo, at = draft.todo, follow(draft.todo)
    index = find_step(todo, name)
    step, block = todo.steps[index], [*range(index, todo.end(index))]
    left = [one for one in range(len(todo.steps)) if one not in block]
    if not left:
        raise TargetError("there is no other place", candidates=(step.number,))
    before = draft.document
    draft.edit([removal(before, step)])
    draft.proved([row(todo.steps[one]) for one in left])
    spot = spot_at(draft.document, draft.todo, to)
    deeper = spot.depth - step.depth
    draft.edit([insertion(draft.document, spot, shifted(before, step, spot))])
    order = [*left[: spot.first], *block, *left[spot.first :]]
    rows = [(one, *row(todo.steps[one])) for one in order]
    draft.proved([(depth + deeper * (one in block), text, done) for one, depth, text, done in rows])
    return draft.settle(None if at is None else order.index(at))


def _last(todo: Todo) -> int:
    """Give the last step of the outermost level."""
    return max(at for at, step in enumerate(todo.steps) if not step.depth)


def _bare(text: str, template: Template) -> str:
    """Give what a text says as a step: without a checkbox or a mark of its own.

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
