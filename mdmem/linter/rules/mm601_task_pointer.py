"""MM601: a task's instruction pointer and its mark do not name one open step."""

from collections.abc import Iterator
from typing import NamedTuple

from mdmem.core.document import Entry
from mdmem.core.text import Span
from mdmem.linter.labels import labelled
from mdmem.linter.rule import Finding, Rule, Subject, Words


class Marked(NamedTuple):
    """An entry with the mark of the current step, and the number of the step that it is or belongs to."""

    entry: Entry
    number: int
    done: bool


def check(subject: Subject) -> Iterator[Finding]:
    """Compare pointer, mark and list; a file with neither pointer nor mark keeps its state in another way."""
    parts = subject.memory.parts if subject.memory else {}
    if not parts.get("pointer") or not parts.get("current"):
        return
    line = labelled(subject.document, parts["pointer"])
    pointer = (
        int(line.value) if line and line.value.isascii() and line.value[:9].isdigit() and len(line.value) < 9 else None
    )
    steps, marked = _steps(subject, parts["current"])
    if not steps or (pointer is None and not marked):
        return
    beyond = pointer is not None and not _within(pointer, steps)
    apart = pointer is not None and bool(marked) and marked[0].number != pointer
    if beyond or apart or len(marked) > 1 or any(one.done for one in marked):
        place = marked[-1].entry.text_span if marked else line.span if line else Span(0, 0)
        numbers = ", ".join(str(one.number) for one in marked)
        yield Finding(
            place, {"pointer": "–" if pointer is None else pointer, "marked": numbers or "–", "steps": len(steps)}
        )


def _within(pointer: int, steps: list[bool]) -> bool:
    """Tell whether the pointer names a step, or stands before the first or behind the last as a finished one does."""
    if pointer == 0:
        return not any(steps)
    return pointer <= len(steps) or (pointer == len(steps) + 1 and all(steps))


def _steps(subject: Subject, marks: tuple[str, ...]) -> tuple[list[bool], list[Marked]]:
    """List the outermost checkboxes (done or not) and the marked ones, nested ones under their step's number."""
    wanted = [mark.replace(" ", "") for mark in marks]
    steps: list[bool] = []
    found: list[Marked] = []
    for item in subject.items:
        done = item.parts.done
        if item.parts.checkbox is None or done is None:
            continue
        if not item.entry.depth:
            steps.append(done)
        text = item.entry.text.replace(" ", "")
        if steps and any(mark in text for mark in wanted):
            found.append(Marked(item.entry, len(steps), done))
    return steps, found


RULE = Rule(
    "MM601",
    "task-pointer",
    "warning",
    check,
    en=Words(
        "pointer {pointer}, mark at step {marked} of {steps}: that is not one open step",
        "let pointer and mark name the one step that is being done",
    ),
    zh=Words(
        "指令指针 {pointer}，标记在第 {marked} 步，共 {steps} 步：没有指向同一个未完成的步骤",
        "让指针和标记都指向正在做的那一步",
    ),
)
