"""Positions in a task plan, and a draft of the plan's file that is edited step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mdmem.entries.edits.add import add
from mdmem.entries.edits.content import EditPlan
from mdmem.errors import TargetError, VerificationError
from mdmem.formats.task_plan import NUMBER, TodoItem, TodoList, mark_pattern, read_todo, section_name
from mdmem.formats.template import Template, fold
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.merge.merge_units import equal
from mdmem.text.spans import LINE_END, Lines, Span


class PlanPosition(NamedTuple):
    """A position for steps in a plan."""

    first: int  # the index of the first step there
    depth: int
    line: int  # the line above or below which it is
    above: bool
    lead: str  # indentation, marker and padding of its lines


def position_beside(document: Document, todo: TodoList, index: int) -> PlanPosition:
    """Return the position after a step and its nested steps."""
    step = todo.steps[index]
    return PlanPosition(todo.end(index), step.depth, step.entry.last_line, above=False, lead=lead(document, step))


def position_below(document: Document, todo: TodoList, index: int) -> PlanPosition:
    """Return the position after the last step below a step."""
    step, inside = todo.steps[index], range(index + 1, todo.end(index))
    child = next((todo.steps[at] for at in inside if todo.steps[at].depth == step.depth + 1), None)
    own = lead(document, step)
    inner = lead(document, child) if child else " " * len(own) + own.lstrip()
    return PlanPosition(todo.end(index), step.depth + 1, step.entry.last_line, above=False, lead=inner)


def position_at(document: Document, todo: TodoList, number: str) -> PlanPosition:
    """Return the position of a step number.

    Raises:
        TargetError: the number is not possible; `candidates` are the numbers of its level.
    """
    upper, _, last = number.strip().rpartition(".")
    up = todo.find(upper) if upper else None
    depth = 0 if up is None else todo.steps[up].depth + 1
    inside = range(len(todo.steps)) if up is None else range(up + 1, todo.end(up))
    level = [at for at in inside if todo.steps[at].depth == depth]
    wanted = int(last) if last.isdecimal() and last.isascii() and len(last) < 7 else 0
    if (upper and up is None) or not 1 <= wanted <= len(level) + 1 or not (level or upper):
        numbers = tuple(todo.steps[at].number for at in level) if up is not None or not upper else ()
        raise TargetError(f"no step can have the number `{number[:20]}`", candidates=numbers)
    if wanted <= len(level):
        step = todo.steps[level[wanted - 1]]
        return PlanPosition(level[wanted - 1], depth, step.entry.line, above=True, lead=lead(document, step))
    return position_beside(document, todo, level[-1]) if level else position_below(document, todo, up or 0)


def insertion(document: Document, position: PlanPosition, rows: Sequence[str]) -> Edit:
    """Return the edit that inserts lines at a position."""
    lines, ending = document.lines, document.lines.ending
    if position.above:
        return Edit.insert(lines.start(position.line), "".join(row + ending for row in rows))
    return Edit.insert(lines.end(position.line), "".join(ending + row for row in rows))


def removal(document: Document, step: TodoItem) -> Edit:
    """Return the edit that removes the lines of a step and its nested steps; the end of the file does not change."""
    lines, first, last = document.lines, step.entry.line, step.entry.last_line
    span = lines.full(first, last)
    if last == len(lines) - 1 and first and not document.text.endswith(("\n", "\r")):
        return Edit.delete(Span(lines.end(first - 1), span.end))
    return Edit.delete(span)


def lead(document: Document, step: TodoItem) -> str:
    """Return the indentation, marker and padding before a step's text."""
    entry = step.entry
    before = document.text[document.lines.start(entry.line) : entry.marker.start]
    indent = "".join(char if char in " \t" else " " for char in before)
    return f"{indent}{document.text[entry.marker.start : entry.text_span.start]}"


def indent(text: str) -> str:
    """Return the white space at the beginning of a text."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def shifted(document: Document, step: TodoItem, position: PlanPosition) -> list[str]:
    """Return the lines of a step and its nested steps, indented for a position."""
    old, new = indent(lead(document, step)), indent(position.lead)
    lines = [document.lines.text(line) for line in range(step.entry.line, step.entry.last_line + 1)]
    return [new + line.removeprefix(old) if line.strip() else line for line in lines]


Row = tuple[int, str, bool]  # depth, text, done


class PlanDraft:
    """A draft of a task's file; a new file begins with the text of its template."""

    def __init__(self, document: Document | None, template: Template) -> None:
        self.template, self._original = template, document
        has_content = document is not None and document.text.strip("\ufeff \t\r\n")
        blank = template.text.encode("utf-8", "surrogateescape")
        self.document = document if document is not None and has_content else parse(blank)
        self.todo = read_todo(self.document, template)

    def edit(self, edits: Iterable[Edit]) -> TodoList:
        """Apply edits and return the steps as they are now."""
        text = apply_edits(self.document.text, tuple(edits))
        self.document = parse(text.encode("utf-8", "surrogateescape"))
        self.todo = read_todo(self.document, self.template)
        return self.todo

    def check_steps(self, rows: Sequence[Row]) -> None:
        """Check that the steps are the expected ones.

        Raises:
            VerificationError: they are not, because of the formatting of the file.
        """
        if [row(step) for step in self.todo.steps] != list(rows):
            raise VerificationError("the steps would not be valid", hint="edit the list by hand")

    def edit_plan(self, at: int | None, *, phase: str = "") -> EditPlan:
        """Update mark, pointer and phase for the current step, and return all edits of the draft.

        Without `phase`, the phase follows from the steps, if the file has one.
        """
        steps = [row(step) for step in self.todo.steps]
        self.edit(self._mark_edits(at))
        value = self._value(at)
        words = self.template.parts
        if self.todo.pointer is not None:
            self.edit(_value_edits(self.document, self.todo.pointer.value_span, value, number=True))
        elif self._may_have_pointer():
            self._add_state_line(words.get("pointer", ()), value)
        self._phase(at, phase)
        self.check_steps(steps)
        original = self._original
        if original is None or not original.text:
            return EditPlan((Edit(Span(0, 0), self.document.text),))
        return EditPlan(line_edits(original.text, self.document.text))

    def _mark_edits(self, at: int | None) -> Iterator[Edit]:
        """Yield the edits that mark the current step and unmark all others."""
        labels = self.template.parts.get("current", ())
        marks = mark_pattern(labels)
        for index, step in enumerate(self.todo.steps):
            text, start = step.entry.text, step.entry.text_span.start
            found = [Span(*match.span()) for match in marks.finditer(text)] if marks else []
            if index != at:
                yield from (Edit.delete(Span(start + one.start, start + one.end)) for one in found)
            elif not found and labels:
                parts = step.entry.parts
                line = LINE_END.search(text)
                ends = [line.start()] if line else []
                ends += [span.start for span in (parts.id_span, parts.meta) if span]
                offset = len(text[: min(ends, default=len(text))].rstrip())
                yield Edit.insert(start + offset, f" {labels[0]}")

    def _value(self, at: int | None) -> str:
        """Return the value of the pointer: the step's number; if all are done, one more than the last; 0 for none."""
        steps = self.todo.steps
        return steps[at].number if at is not None else str(sum(not step.depth for step in steps) + bool(steps))

    def _may_have_pointer(self) -> bool:
        """Return whether a pointer may be added: with a pointer, the phase must be one of the template's (MM602)."""
        phase, phases = self.todo.phase, self.template.parts.get("phases", ())
        return phase is None or not phase.value or any(fold(one) in fold(phase.value) for one in phases)

    def _phase(self, at: int | None, requested: str) -> None:
        words, line = self.template.parts, self.todo.phase
        running, over = words.get("running", ()), words.get("over", ())
        old_phase = fold(line.value) if line else ""
        started = line is None and (self._original is None or not self._original.text.strip())
        wanted = requested
        if not wanted and at is None and self.todo.steps:
            wanted = over[0] if over and old_phase else ""
        elif not wanted and (started or old_phase in {fold(one) for one in over}):
            wanted = running[0] if running else ""
        if line is not None and wanted and fold(wanted) != old_phase:
            self.edit(_value_edits(self.document, line.value_span, wanted, number=False))
        elif line is None and wanted:
            self._add_state_line(words.get("phase", ()), wanted)

    def _add_state_line(self, labels: Sequence[str], value: str) -> None:
        """Add a line to the section with the state of the task; a missing heading is created."""
        if labels:
            line = f"{labels[0][:1].upper()}{labels[0][1:]}: {value}"
            self.edit(add(self.document, self.template, [line], section=section_name(self.template, "state")).edits)


def row(step: TodoItem) -> Row:
    """Return the values of a step that are compared."""
    return step.depth, step.text, step.done


def _value_edits(document: Document, span: Span, value: str, *, number: bool) -> Iterator[Edit]:
    """Yield the edit that sets the value after a label: its number, or the whole value."""
    old = span.of(document.text)
    found = NUMBER.search(old) if number else None
    if found:
        target = Span(span.start + found.start(), span.start + found.end())
    else:
        lead = len(old) - len(old.lstrip(" \t*_`"))
        target = Span(span.start + lead, span.start + max(lead, len(old.rstrip(" \t*_`"))))
        value = value if old[:1] in (" ", "\t") else f" {value}"
    if target.of(document.text) != value:
        yield Edit(target, value)


def line_edits(old: str, new: str) -> tuple[Edit, ...]:
    """Return edits of whole lines from one text to another; the line above new lines is part of their edit.

    So the verification sees that a nested step, which alone would be a code block, is below a step.
    """
    before, after = _rows(old), _rows(new)
    starts = [0]
    for text in before:
        starts.append(starts[-1] + len(text))
    edges = [(-1, -1), *equal(before, after), (len(before), len(after))]
    found = []
    for (low, start), (high, stop) in pairwise(edges):
        first = 0 if low + 1 == high and low >= 0 else 1
        if high - low > 1 or stop - start > 1:
            found.append(Edit.replace(starts[low + first], starts[high], "".join(after[start + first : stop])))
    return tuple(found)


def _rows(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.full(line).of(text) for line in range(len(lines))]
