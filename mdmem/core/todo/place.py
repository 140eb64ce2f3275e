"""Where a step goes, and in which hand it is written: its neighbours'."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Document
from mdmem.core.edit import Edit
from mdmem.core.record import NamedTuple
from mdmem.core.text import Span
from mdmem.core.todo.read import Step, Todo
from mdmem.errors import TargetError


class Spot(NamedTuple):
    """A place in a plan."""

    first: int  # of the first step that goes there
    depth: int
    line: int  # the line that it goes above or below
    above: bool
    lead: str  # indentation, marker and padding


def spot_beside(document: Document, todo: Todo, index: int) -> Spot:
    """Give the place behind a step and all below it."""
    step = todo.steps[index]
    return Spot(todo.end(index), step.depth, step.entry.last_line, above=False, lead=lead(document, step))


def spot_below(document: Document, todo: Todo, index: int) -> Spot:
    """Give the place behind all that stands below a step."""
    step, inside = todo.steps[index], range(index + 1, todo.end(index))
    child = next((todo.steps[at] for at in inside if todo.steps[at].depth == step.depth + 1), None)
    own = lead(document, step)
    inner = lead(document, child) if child else " " * len(own) + own.lstrip()
    return Spot(todo.end(index), step.depth + 1, step.entry.last_line, above=False, lead=inner)


def spot_at(document: Document, todo: Todo, number: str) -> Spot:
    """Give the place where a step bears this number.

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
        return Spot(level[wanted - 1], depth, step.entry.line, above=True, lead=lead(document, step))
    return spot_beside(document, todo, level[-1]) if level else spot_below(document, todo, up or 0)


def insertion(document: Document, spot: Spot, rows: Sequence[str]) -> Edit:
    """Make the edit that puts lines there."""
    lines, ending = document.lines, document.lines.ending
    if spot.above:
        return Edit.insert(lines.start(spot.line), "".join(row + ending for row in rows))
    return Edit.insert(lines.end(spot.line), "".join(ending + row for row in rows))


def removal(document: Document, step: Step) -> Edit:
    """Make the edit that drops the lines of a step and of all below it; the file keeps ending as it did."""
    lines, first, last = document.lines, step.entry.line, step.entry.last_line
    span = lines.full(first, last)
    if last == len(lines) - 1 and first and not document.text.endswith(("\n", "\r")):
        return Edit.delete(Span(lines.end(first - 1), span.end))
    return Edit.delete(span)


def lead(document: Document, step: Step) -> str:
    """Give what stands before a step's text: spaces, the marker, a space."""
    entry = step.entry
    before = document.text[document.lines.start(entry.line) : entry.marker.start]
    indent = "".join(char if char in " \t" else " " for char in before)
    return f"{indent}{document.text[entry.marker.start : entry.text_span.start]}"


def indent(text: str) -> str:
    """Give the white space that a text begins with."""
    return text[: len(text) - len(text.lstrip(" \t"))]


def shifted(document: Document, step: Step, spot: Spot) -> list[str]:
    """Give a step's lines, and those of all below it, as far in as the place wants them."""
    old, new = indent(lead(document, step)), indent(spot.lead)
    lines = [document.lines.text(line) for line in range(step.entry.line, step.entry.last_line + 1)]
    return [new + line.removeprefix(old) if line.strip() else line for line in lines]
