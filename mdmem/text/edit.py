"""Changes as data: an `Edit` is a span and its new text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Self

from mdmem.errors import EditError
from mdmem.text.spans import Lines, Span


class Edit(NamedTuple):
    """Replace the text of a span; an empty span inserts, an empty text deletes."""

    span: Span
    new: str

    @classmethod
    def replace(cls, start: int, end: int, new: str) -> Self:
        """Return the edit that replaces the text between two offsets."""
        return cls(Span(start, end), new)

    @classmethod
    def insert(cls, at: int, new: str) -> Self:
        """Return the edit that inserts a text at an offset."""
        return cls(Span(at, at), new)

    @classmethod
    def delete(cls, span: Span) -> Self:
        """Return the edit that removes a span."""
        return cls(span, "")


def ordered(edits: Iterable[Edit]) -> list[Edit]:
    """Sort edits by offset; insertions at the same offset keep their order.

    Raises:
        EditError: two of them overlap, or one ends before it begins.
    """
    result = sorted(edits, key=lambda edit: edit.span)
    for edit in result:
        if not 0 <= edit.span.start <= edit.span.end:
            raise EditError(f"an edit runs from {edit.span.start} to {edit.span.end}")
    for before, after in pairwise(result):
        if after.span.start < before.span.end:
            raise EditError(
                f"two edits overlap at offset {after.span.start}",
                hint="apply one, parse again, then make the other",
            )
    return result


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits from the last to the first, so that earlier offsets stay valid.

    Raises:
        EditError: two edits overlap, or one is outside the text; nothing was applied.
    """
    pieces: list[str] = []
    end = len(text)
    for edit in reversed(ordered(edits)):
        if edit.span.end > len(text):
            raise EditError(f"an edit ends at {edit.span.end}, the text at {len(text)}")
        pieces += (text[edit.span.end : end], edit.new)
        end = edit.span.start
    pieces.append(text[:end])
    return "".join(reversed(pieces))


def smallest(old: str, new: str) -> tuple[Edit, ...]:
    """Return one edit of whole lines that turns the old text into the new one; none if they are equal."""
    if old == new:
        return ()
    was, now = _rows(old), _rows(new)
    most = min(len(was), len(now))
    head = next((at for at in range(most) if was[at] != now[at]), most)
    tail = next((at for at in range(most - head) if was[-1 - at] != now[-1 - at]), most - head)
    start = sum(map(len, was[:head]))
    return (
        Edit.replace(start, start + sum(map(len, was[head : len(was) - tail])), "".join(now[head : len(now) - tail])),
    )


def _rows(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.full(line).of(text) for line in range(len(lines))]


Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")  # worst first


class Diagnostic(NamedTuple):
    """One finding; lines and columns are 1-based here, columns in code points, and the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    name: str
    severity: Severity
    message: str
    hint: str
    secret: bool  # the text in its span must not be shown
    span: Span
    fix: tuple[Edit, ...] = ()
    measure: int = 0  # the number that a limit was compared with; 0 for a finding about no number

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON types, with the fix as offsets and texts; the fix of a secret is left out."""
        values = self._asdict()
        values["span"] = list(self.span)
        values["fix"] = [] if self.secret else [[*edit.span, edit.new] for edit in self.fix]
        values["fixable"] = bool(self.fix)
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Read the result of `as_dict`."""
        taken = {field: values[field] for field in cls._fields}
        taken["span"] = Span(*values["span"])
        taken["fix"] = tuple(Edit.replace(start, end, new) for start, end, new in values["fix"])
        return cls(**taken)
