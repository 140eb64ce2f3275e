from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mdmem.entries.model import Outcome
from mdmem.tools.model import ToolHost, ToolReply
from mdmem.tools.pins import _shown


def plan(
    host: ToolHost, actor: str, action: str, step: str = "", text: str = "", to: str = "", agent: str = ""
) -> ToolReply:
    """Look at the plan, or make one move in it."""
    by: dict[str, Any] = {"agent": agent or None, "actor": actor, "reason": f"plan {action}"[:40]}
    moves: dict[str, Callable[[], Outcome]] = {
        "add": lambda: host.plan.add([text], after=step, under=to, **by),
        "done": lambda: host.plan.done(step or ".", **by),
        "next": lambda: host.plan.next(**by),
        "goto": lambda: host.plan.goto(step, **by),
        "move": lambda: host.plan.move(step, to, **by),
        "remove": lambda: host.plan.remove([step], **by),
        "phase": lambda: host.plan.phase(text, **by),
    }
    done = None if action == "show" else moves[action]()
    return _shown(host, agent or None, done)
