"""A row of the table of costs, as `bench_table.py` prints it."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What was measured beside what it must cost at least; seconds, unless `unit` says otherwise."""

    what: str
    measured: float
    floor: float = 0.0  # 0: there is none
    floored: str = ""  # what the floor is
    goal: str = ""  # as a person reads it: `≤ 6 ms`, `≤ 1.15 ×`
    unit: str = "ms"

    def line(self) -> str:
        """Write it as a line of a Markdown table."""
        times = f"{self.measured / self.floor:.2f}" if self.floor else ""
        floor = f"{self.floored} {self._said(self.floor)}" if self.floor else ""
        return f"| {self.what:44} | {self._said(self.measured):>22} | {floor:>28} | {times:>6} | {self.goal:>10} |"

    def _said(self, value: float) -> str:
        return f"{value * 1000:,.1f} ms" if self.unit == "ms" else f"{value:,.2f} {self.unit}"
