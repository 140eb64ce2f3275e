"""What a linter says of a user's text: a value, many, never raised."""

from __future__ import annotations

from typing import Any, Literal, Self

from mdmem.core.edit import Edit
from mdmem.core.record import NamedTuple
from mdmem.core.text import Span

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
    secret: bool  # the text it points at must not be shown
    span: Span
    fix: tuple[Edit, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Give the finding as JSON's types, with the fix as offsets and texts; a secret's fix is left out."""
        values = self._asdict()
        values["span"] = list(self.span)
        values["fix"] = [] if self.secret else [[*edit.span, edit.new] for edit in self.fix]
        values["fixable"] = bool(self.fix)
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Read what `as_dict` gave."""
        taken = {field: values[field] for field in cls._fields}
        taken["span"] = Span(*values["span"])
        taken["fix"] = tuple(Edit.replace(start, end, new) for start, end, new in values["fix"])
        return cls(**taken)
