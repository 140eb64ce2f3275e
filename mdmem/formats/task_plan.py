"""The TODO list of a task: its steps, the current step and the phase (D033, D049).

A step is a checkbox of the list; its number counts from one at each level (`2`, `2.1`), and the instruction pointer is
such a number. After any change exactly one open step has the mark, and the pointer is its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from mdmem.formats.limits import owner_of
from mdmem.formats.template import Template
from mdmem.text.document import Document, Entry, LabelledLine, Section, labelled
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

KIND = "task_process"
NUMBER = pattern(r"\d{1,6}(?:\.\d{1,6})*")


class TodoItem(NamedTuple):
    """One step of a plan."""

    number: str  # `2`, or `2.1` for the first step below it
    text: str  # without checkbox and mark
    done: bool
    marked: bool
    entry: Entry

    @property
    def depth(self) -> int:
        """The number of steps above it."""
        return self.number.count(".")


class TodoList(NamedTuple):
    """A task's plan and its state."""

    steps: tuple[TodoItem, ...]  # in the order of the file, which is depth first
    at: int | None  # the index of the current step; None if there is none
    pointer: LabelledLine | None
    phase: LabelledLine | None

    @property
    def current(self) -> TodoItem | None:
        """The current step."""
        return None if self.at is None else self.steps[self.at]

    def end(self, index: int) -> int:
        """Return the index after the steps below one."""
        depth = self.steps[index].depth
        later = range(index + 1, len(self.steps))
        return next((at for at in later if self.steps[at].depth <= depth), len(self.steps))

    def above(self, index: int) -> int | None:
        """Return the index of the parent step."""
        number = self.steps[index].number.rpartition(".")[0]
        return self.find(number) if number else None

    def find(self, number: str) -> int | None:
        """Return the index of the step with a number; None if there is none."""
        return next((at for at, step in enumerate(self.steps) if step.number == number), None)

    def open_below(self, index: int) -> list[int]:
        """Return the indexes of the steps below one that are not done."""
        return [at for at in range(index + 1, self.end(index)) if not self.steps[at].done]


def read_todo(document: Document, template: Template) -> TodoList:
    """Read a task's plan; never fails.

    The steps are the checkboxes below the heading of the list; without that heading, all checkboxes except those in
    the dynamic instructions.
    """
    away = [one.body for one in named(document, template, "instructions")]
    steps = tuple(_steps(document, template, away))
    pointer = labelled(document, template.parts.get("pointer", ()), outside=away)
    phase = labelled(document, template.parts.get("phase", ()), outside=away)
    found = (at for at, step in enumerate(steps) if step.marked and not step.done)
    at = next(found, None)
    if at is None and pointer:
        number = pointer.value
        at = next((at for at, step in enumerate(steps) if step.number == number and not step.done), None)
    return TodoList(steps, at, pointer, phase)


def named(document: Document, template: Template, part: str) -> list[Section]:
    """Return the sections of a task for a part (`todo`, `state`, `instructions`), and those below them."""
    name = section_name(template, part)
    owners = ((one, owner_of(document, template, one)) for one in document.sections)
    return [one for one, owner in owners if name and owner and owner.name == name]


def run_of(text: str, template: Template) -> str:
    """Return what a line of a plan's state says that the plan is a run of; empty for another line."""
    label, _, value = text.replace("：", ":", 1).partition(":")
    words = {word.casefold() for word in template.parts.get("knowledge", ())}
    return value.strip() if label.strip().casefold() in words and read_entry(text).checkbox is None else ""


def section_name(template: Template, part: str) -> str:
    """Return the canonical name of the section for a part; empty if the template has none."""
    return next((template.name(word) or "" for word in template.parts.get(part, ())), "")


def _steps(document: Document, template: Template, away: Sequence[Span]) -> Iterator[TodoItem]:
    lists = [one.body for one in named(document, template, "todo")]
    marks = mark_pattern(template.parts.get("current", ()))
    open_: list[tuple[Entry, str]] = []  # the possible parents of the next step
    counts = [0]
    for entry in document.entries:
        parts = entry.parts
        apart = any(one.holds(entry.marker) for one in away)
        inside = not lists or any(one.holds(entry.marker) for one in lists)
        if parts.checkbox is None or parts.done is None or apart or not inside:
            continue
        while open_ and not open_[-1][0].span.holds(entry.span):
            open_.pop()
            counts.pop()
        counts[-1] += 1
        number = f"{open_[-1][1]}.{counts[-1]}" if open_ else str(counts[-1])
        bare = entry.text[parts.checkbox.end :]
        marked = bool(marks and marks.search(bare))
        text = marks.sub("", bare) if marks else bare
        yield TodoItem(number, one_line(text), parts.done, marked, entry)
        open_.append((entry, number))
        counts.append(0)


@cache
def mark_pattern(marks: tuple[str, ...]) -> Pattern | None:
    """Return the pattern of the mark after a step, with the spaces before it; None if the template has none."""
    words = ["[ \t]*".join(map(re.escape, mark.replace(" ", ""))) for mark in marks]
    return pattern(rf"[ \t]*(?:{'|'.join(words)})", re.IGNORECASE) if words else None
