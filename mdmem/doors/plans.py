"""Shows a plan: its steps with their numbers, the current one marked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.terminal import Paint, safe
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.workspace.plan import TaskPlan


def show(plan: TaskPlan, lang: str, *, as_json: bool) -> None:
    """Print a plan as a list, or as one JSON object."""
    say, paint = words(lang), Paint(sys.stdout)
    if as_json:
        steps = [step._asdict() for step in plan.steps]
        current = plan.current.number if plan.current else None
        emit.json(plan._asdict() | {"steps": steps, "current": current})
        return
    if not plan.steps:
        print(say["no-plan"])
        return
    print(f"{paint('path', safe(plan.path))}{paint('dim', f'  {safe(plan.phase)}' if plan.phase else '')}")
    wide = max(len(step.number) + 2 * step.number.count(".") for step in plan.steps)
    for step in plan.steps:
        mark = paint("good", "✓") if step.done else paint("warning", "→") if step.current else " "
        number = f"{'  ' * step.number.count('.')}{step.number}".ljust(wide)
        text = safe(step.text)
        shown = paint("dim", text) if step.done else paint("bold", text) if step.current else text
        print(f"{mark} {paint('dim', number)}  {shown}")
