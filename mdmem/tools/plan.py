from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mdmem.entries.model import Outcome
from mdmem.tools.model import ToolReply
from mdmem.tools.pins import _shown

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def plan(
    workspace: Workspace, actor: str, action: str, step: str = "", text: str = "", to: str = "", agent: str = ""
) -> ToolReply:
    """Look at the plan, or make one move in it."""
    by: dict[str, Any] = {"agent": agent or None, "actor": actor, "reason": f"plan {action}"[:40]}
    moves: dict[str, Callable[[], Outcome]] = {
        "add": lambda: workspace.plan_add([text], after=step, under=to, **by),
        "done": lambda: workspace.plan_done(step or ".", **by),
        "next": lambda: workspace.plan_next(**by),
        "goto": lambda: workspace.plan_goto(step, **by),
        "move": lambda: workspace.plan_move(step, to, **by),
        "remove": lambda: workspace.plan_remove([step], **by),
        "phase": lambda: workspace.plan_phase(text, **by),
    }
    done = None if action == "show" else moves[action]()
    return _shown(workspace, agent or None, done)
