"""MM601: a task's instruction pointer and its mark do not name one open step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span

if TYPE_CHECKING:
    from mdmem.formats.task_plan import TodoItem

_LONGEST = 40  # characters of a pointer's value; a longer one is a sentence


def check(subject: Subject) -> Iterator[Finding]:
    """Compare pointer, mark and list; a file with neither pointer nor mark keeps its state in another way."""
    memory = subject.memory
    parts = memory.parts if memory else {}
    if memory is None or not parts.get("pointer") or not parts.get("current"):
        return
    from mdmem.formats.task_plan import (
        NUMBER,
        read_todo,  # only a plan needs it
    )

    todo = read_todo(subject.document, memory)
    line, steps = todo.pointer, todo.steps
    pointer = line.value if line and len(line.value) < _LONGEST and NUMBER.fullmatch(line.value) else ""
    marked = [step for step in steps if step.marked]
    if not steps or (not pointer and not marked):
        return
    beyond = pointer and not _within(pointer, steps)
    apart = pointer and marked and not f"{marked[0].number}.".startswith(f"{pointer}.")
    if beyond or apart or len(marked) > 1 or any(one.done for one in marked):
        place = marked[-1].entry.text_span if marked else line.span if line else Span(0, 0)
        numbers = ", ".join(one.number for one in marked)
        outermost = sum(not step.depth for step in steps)
        yield Finding(place, {"pointer": pointer or "–", "marked": numbers or "–", "steps": outermost})


def _within(pointer: str, steps: Sequence[TodoItem]) -> bool:
    """Tell whether the pointer names a step, or stands before the first or behind the last as a finished one does."""
    outermost = [step.done for step in steps if not step.depth]
    if pointer.isdigit() and int(pointer) in (0, len(outermost) + 1):
        return not any(outermost) if int(pointer) == 0 else all(outermost)
    wanted = ".".join(str(int(one)) for one in pointer.split("."))
    return any(step.number == wanted for step in steps)


RULE = Rule(
    "MM601",
    "task-pointer",
    "warning",
    check,
)
