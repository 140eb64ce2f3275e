"""MM601: the pointer and the mark of a task do not name the same open step."""

# `task_plan` is imported only for a plan.
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span

if TYPE_CHECKING:
    from mdmem.formats.task_plan import TodoItem

_LONGEST = 40  # length of the longest pointer; a longer value is a sentence


def check(subject: Subject) -> Iterator[Finding]:
    """Compare pointer, mark and steps; a file with neither pointer nor mark keeps its state in another way."""
    memory = subject.memory
    parts = memory.parts if memory else {}
    if memory is None or not parts.get("pointer") or not parts.get("current"):
        return
    from mdmem.formats.task_plan import (
        NUMBER,
        read_todo,
    )

    todo = read_todo(subject.document, memory)
    line, steps = todo.pointer, todo.steps
    pointer = line.value if line and len(line.value) < _LONGEST and NUMBER.fullmatch(line.value) else ""
    marked = [step for step in steps if step.marked]
    if not steps or (not pointer and not marked):
        return
    beyond = pointer and not _within(pointer, steps)
    differ = pointer and marked and not f"{marked[0].number}.".startswith(f"{pointer}.")
    if beyond or differ or len(marked) > 1 or any(one.done for one in marked):
        span = marked[-1].entry.text_span if marked else line.span if line else Span(0, 0)
        numbers = ", ".join(one.number for one in marked)
        outermost = sum(not step.depth for step in steps)
        yield Finding(span, {"pointer": pointer or "–", "marked": numbers or "–", "steps": outermost})


def _within(pointer: str, steps: Sequence[TodoItem]) -> bool:
    """Return whether the pointer names a step, 0 before the first, or the number after the last of a finished task."""
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
