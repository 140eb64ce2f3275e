"""Where a step goes, and in which hand it is written: its neighbours'."""

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
from mdmem.text.merge_units import equal
from mdmem.text.spans import LINE_END, Lines, Span


class PlanPosition(NamedTuple):
    """A place in a plan."""

    first: int  # of the first step that goes there
    depth: int
    line: int  # the line that it goes above or below
    above: bool
    lead: str  # indentation, marker and padding


def position_beside(document: Document, todo: TodoList, index: int) -> PlanPosition:
    """Return the place behind a step and all below it."""
    step = todo.steps[index]
    return PlanPosition(todo.end(index), step.depth, step.entry.last_line, above=False, lead=lead(document, step))


def position_below(document: Document, todo: TodoList, index: int) -> PlanPosition:
    """Return the place behind all that stands below a step."""
    step, inside = todo.steps[index], range(index + 1, todo.end(index))
    child = next((todo.steps[at] for at in inside if todo.steps[at].depth == step.depth + 1), None)
    own = lead(document, step)
    inner = lead(document, child) if child else " " * len(own) + own.lstrip()
    return PlanPosition(todo.end(index), step.depth + 1, step.entry.last_line, above=False, lead=inner)


def position_at(document: Document, todo: TodoList, number: str) -> PlanPosition:
    """Return the place where a step bears this number.

    Raises:
        TargetError: there can be none; `candidates` are the numbers of the level meant.
    """
    upper, _, last = number.strip().rpartition(".")
    up = todo.find(upper) if upper else None
    depth = 0 if up is None else todo.steps[up].depth + 1
    inside = range(len(todo.steps)) if up is None else range(up + 1, todo.end(up))
    level = [at for at in inside if todo.steps[at].depth == depth]
    wanted = int(last) if last.isdecimal() and last.isascii() and len(last) < 7 else 0
    if (upper and up is None) or not 1 <= wanted <= len(level) + 1 or not (level or upper):
        known = tuple(todo.steps[at].number for at in level) if up is not None or not upper else ()
        raise TargetError(f"no step can bear the number `{number[:20]}`", candidates=known)
    if wanted <= len(level):
        step = todo.steps[level[wanted - 1]]
        return PlanPosition(level[wanted - 1], depth, step.entry.line, above=True, lead=lead(document, step))
    return position_beside(document, todo, level[-1]) if level else position_below(document, todo, up or 0)


def insertion(document: Document, spot: PlanPosition, rows: Sequence[str]) -> Edit:
    """Make the edit that puts lines there."""
    lines, ending = document.lines, document.lines.ending
    if spot.above:
        return Edit.insert(lines.start(spot.line), "".join(row + ending for row in rows))
    return Edit.insert(lines.end(spot.line), "".join(ending + row for row in rows))


def removal(document: Document, step: TodoItem) -> Edit:
    """Make the edit that drops the lines of a step and of all below it; the file keeps ending as it did."""
    lines, first, last = document.lines, step.entry.line, step.entry.last_line
    span = lines.full(first, last)
    if last == len(lines) - 1 and first and not document.text.endswith(("\n", "\r")):
        return Edit.delete(Span(lines.end(first - 1), span.end))
    return Edit.delete(span)


def lead(document: Document, step: TodoItem) -> str:
    """Return what stands before a step's text: spaces, the marker, a space."""
    entry = step.entry
    before = document.text[document.lines.start(entry.line) : entry.marker.start]
    indent = "".join(char if char in " \t" else " " for char in before)
    return f"{indent}{document.text[entry.marker.start : entry.text_span.start]}"


def indent(text: str) -> str:
    """Return the white space that a text begins with."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def shifted(document: Document, step: TodoItem, spot: PlanPosition) -> list[str]:
    """Return a step's lines, and those of all below it, as far in as the place wants them."""
    old, new = indent(lead(document, step)), indent(spot.lead)
    lines = [document.lines.text(line) for line in range(step.entry.line, step.entry.last_line + 1)]
    return [new + line.removeprefix(old) if line.strip() else line for line in lines]


Row = tuple[int, str, bool]  # how deep, what, done


class PlanDraft:
    """A task's file on its way from one whole state to the next; a new one begins as its template."""

    def __init__(self, document: Document | None, template: Template) -> None:
        self.template, self._first = template, document
        there = document is not None and document.text.strip("\ufeff \t\r\n")
        blank = template.text.encode("utf-8", "surrogateescape")
        self.document = document if document is not None and there else parse(blank)
        self.todo = read_todo(self.document, template)

    def edit(self, edits: Iterable[Edit]) -> TodoList:
        """Apply edits, and read what is there now."""
        text = apply_edits(self.document.text, tuple(edits))
        self.document = parse(text.encode("utf-8", "surrogateescape"))
        self.todo = read_todo(self.document, self.template)
        return self.todo

    def proved(self, rows: Sequence[Row]) -> None:
        """Prove that the steps are what was meant.

        Raises:
            VerificationError: the file is written in a way in which they would become others.
        """
        if [row(step) for step in self.todo.steps] != list(rows):
            raise VerificationError("the steps would not stand as they should", hint="edit the list by hand")

    def settle(self, at: int | None, *, phase: str = "") -> EditPlan:
        """Put mark, pointer and phase right for the step that is current now, and give the edits of it all.

        `phase` is one that was asked for; else the plan's course says it, where the file says a phase at all.
        """
        steps = [row(step) for step in self.todo.steps]
        self.edit(self._marks(at))
        value = self._value(at)
        words = self.template.parts
        if self.todo.pointer is not None:
            self.edit(_valued(self.document, self.todo.pointer.value_span, value, number=True))
        elif self._may_point():
            self._say(words.get("pointer", ()), value)
        self._phase(at, phase)
        self.proved(steps)
        first = self._first
        if first is None or not first.text:
            return EditPlan((Edit(Span(0, 0), self.document.text),))
        return EditPlan(line_edits(first.text, self.document.text))

    def _marks(self, at: int | None) -> Iterator[Edit]:
        """Take the mark from every step but the current one, which gets it."""
        spoken = self.template.parts.get("current", ())
        marks = mark_pattern(spoken)
        for index, step in enumerate(self.todo.steps):
            text, start = step.entry.text, step.entry.text_span.start
            found = [Span(*match.span()) for match in marks.finditer(text)] if marks else []
            if index != at:
                yield from (Edit.delete(Span(start + one.start, start + one.end)) for one in found)
            elif not found and spoken:
                parts = step.entry.parts
                line = LINE_END.search(text)
                ends = [line.start()] if line else []
                ends += [span.start for span in (parts.id_span, parts.meta) if span]
                place = len(text[: min(ends, default=len(text))].rstrip())
                yield Edit.insert(start + place, f" {spoken[0]}")

    def _value(self, at: int | None) -> str:
        """Return what the pointer says: a step's number; one more than there are, when all are done; 0 for none."""
        steps = self.todo.steps
        return steps[at].number if at is not None else str(sum(not step.depth for step in steps) + bool(steps))

    def _may_point(self) -> bool:
        """Return whether a file without a pointer may have one: beside one its phase must be of ours (MM602)."""
        phase, known = self.todo.phase, self.template.parts.get("phases", ())
        return phase is None or not phase.value or any(fold(one) in fold(phase.value) for one in known)

    def _phase(self, at: int | None, asked: str) -> None:
        words, line = self.template.parts, self.todo.phase
        running, over = words.get("running", ()), words.get("over", ())
        said = fold(line.value) if line else ""
        started = line is None and (self._first is None or not self._first.text.strip())
        wanted = asked
        if not wanted and at is None and self.todo.steps:
            wanted = over[0] if over and said else ""
        elif not wanted and (started or said in {fold(one) for one in over}):
            wanted = running[0] if running else ""
        if line is not None and wanted and fold(wanted) != said:
            self.edit(_valued(self.document, line.value_span, wanted, number=False))
        elif line is None and wanted:
            self._say(words.get("phase", ()), wanted)

    def _say(self, labels: Sequence[str], value: str) -> None:
        """Add a line to the state of the task, with a heading where there is none yet."""
        if labels:
            line = f"{labels[0][:1].upper()}{labels[0][1:]}: {value}"
            self.edit(add(self.document, self.template, [line], section=section_name(self.template, "state")).edits)


def row(step: TodoItem) -> Row:
    """Return what of a step must not change unless it is meant."""
    return step.depth, step.text, step.done


def _valued(document: Document, span: Span, value: str, *, number: bool) -> Iterator[Edit]:
    """Put a value behind a label: in the place of the number there, or of all that is said."""
    said = span.of(document.text)
    found = NUMBER.search(said) if number else None
    if found:
        place = Span(span.start + found.start(), span.start + found.end())
    else:
        lead = len(said) - len(said.lstrip(" \t*_`"))
        place = Span(span.start + lead, span.start + max(lead, len(said.rstrip(" \t*_`"))))
        value = value if said[:1] in (" ", "\t") else f" {value}"
    if place.of(document.text) != value:
        yield Edit(place, value)


def line_edits(old: str, new: str) -> tuple[Edit, ...]:
    """Return the edits of whole lines that make a text of another; the line above new ones is part of their edit.

    So a proof sees that a nested step, which alone would be code, goes below a step.
    """
    was, now = _rows(old), _rows(new)
    starts = [0]
    for text in was:
        starts.append(starts[-1] + len(text))
    edges = [(-1, -1), *equal(was, now), (len(was), len(now))]
    found = []
    for (low, start), (high, stop) in pairwise(edges):
        first = 0 if low + 1 == high and low >= 0 else 1
        if high - low > 1 or stop - start > 1:
            found.append(Edit.replace(starts[low + first], starts[high], "".join(now[start + first : stop])))
    return tuple(found)


def _rows(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.full(line).of(text) for line in range(len(lines))]
