"""The facade's part about the plan: the TODO list of a task's file, stepped through like a program (D033, D049)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    from mdmem.workspace.outcome import Outcome
    from mdmem.workspace.plan import TaskPlan


class Planning(Facade):
    """What `Workspace` can do to a plan; after each change the `← 当前` mark and the instruction pointer agree.

    A step is named by its number (`2`, or `2.1` for the first one below it), by `.` for the current one, or by a
    piece of its text. `agent` is whose plan it is, in agents/NAME/ or .notes/NAME/; None is that of the workspace.
    """

    def plan(self, *, agent: str | None = None) -> TaskPlan:
        """Give the plan: its steps, the current one, the phase; an empty one where there is no file yet.

        >>> Workspace("workspace").plan().current.text
        """
        from mdmem.workspace.plan import read_plan

        return read_plan(self.config, agent)

    def plan_add(
        self,
        texts: Sequence[str],
        *,
        after: str = "",
        under: str = "",
        agent: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Add steps: at the end, behind a step, or below one as its last steps; the first of a plan is current.

        Raises:
            UsageError: there is no text, or both places are named.
            TargetError: no step, or more than one, is meant.
            VerificationError: the list is written in a way in which they would not stand as steps.

        >>> Workspace("workspace").plan_add(["重画给 Bram 的图"], under="6").message
        """
        from mdmem.workspace.plan import add_to_plan

        return add_to_plan(self._begin("plan-add", actor, reason), agent, texts, after, under)

    def plan_done(self, step: str = ".", *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Mark a step as done. Behind the current one the plan goes on: with the next beside it, else the one above.

        Raises UsageError while steps below it are open, TargetError where none is meant.
        """
        from mdmem.workspace.plan import finish_step

        return finish_step(self._begin("plan-done", actor, reason), agent, step)

    def plan_next(self, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Let the next open step be current, the first one below included; the one that was stays open."""
        from mdmem.workspace.plan import next_step

        return next_step(self._begin("plan-next", actor, reason), agent)

    def plan_goto(self, step: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Jump to a step; what is to be done again, as the body of a loop is, is open again (D051, D052)."""
        from mdmem.workspace.plan import jump

        return jump(self._begin("plan-goto", actor, reason), agent, step)

    def plan_move(
        self, step: str, to: str, *, agent: str | None = None, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Move a step, with all below it, so that it bears the number `to` afterwards."""
        from mdmem.workspace.plan import shift

        return shift(self._begin("plan-move", actor, reason), agent, step, to)

    def plan_remove(
        self,
        steps: Sequence[str],
        *,
        agent: str | None = None,
        dry_run: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Take steps, with all below them, out of the plan and into the month's archive."""
        from mdmem.workspace.plan import drop

        return drop(self._begin("plan-remove", actor, reason, confirm=True, dry_run=dry_run), agent, steps)

    def plan_phase(self, phase: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Say which phase the task is in: one of those that its template names."""
        from mdmem.workspace.plan import tell_phase

        return tell_phase(self._begin("plan-phase", actor, reason), agent, phase)
