"""The tool `plan`: shows or changes the plan of a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mdmem.entries.model import Outcome
from mdmem.facade import Facade
from mdmem.messages.catalog import say
from mdmem.tools import model
from mdmem.tools.client import ToolClient
from mdmem.tools.model import ToolReply

if TYPE_CHECKING:
    from mdmem.plan.service import TaskPlan


def plan(
    host: Facade, client: ToolClient, action: str, step: str = "", text: str = "", to: str = "", agent: str = ""
) -> ToolReply:
    """Show the plan, or make one change in it."""
    options: dict[str, Any] = {"agent": agent or None, "actor": client.actor, "reason": f"plan {action}"[:40]}
    actions: dict[str, Callable[[], Outcome]] = {
        "add": lambda: host.plan.add([text], after=step, under=to, **options),
        "done": lambda: host.plan.done(step or ".", **options),
        "next": lambda: host.plan.next(**options),
        "goto": lambda: host.plan.goto(step, **options),
        "move": lambda: host.plan.move(step, to, **options),
        "remove": lambda: host.plan.remove([step], **options),
        "phase": lambda: host.plan.phase(text, **options),
    }
    outcome = None if action == "show" else actions[action]()
    return reply_with_plan(host, host.plan.show(agent=agent or None, actor=client.actor), outcome)


def reply_with_plan(host: Facade, now: TaskPlan, done: Outcome | None) -> ToolReply:
    """Return the reply with the current plan, so that no second call is needed."""
    lines = [f"[{'x' if one.done else ' '}] {one.number} {one.text}{' ←' if one.current else ''}" for one in now.steps]
    text = "\n".join(([now.phase] if now.phase else []) + lines)
    if done:
        return model.reply_from_outcome(done, text=text)
    message = say(host.lang, "tool.plan", path=now.path, steps=len(now.steps))
    hint = say(host.lang, "punctuation.clause").join(one.told(host.lang) for one in now.others)
    return ToolReply("done", message, hint, path=now.path, text=text)
