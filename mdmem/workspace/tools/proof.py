"""The tools over pins and plans: `pin_add`, `pin_update`, `pin_renew`, `pin_remove`, `pin_list`, `why`, `plan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mdmem.workspace.outcome import Outcome
from mdmem.workspace.pins.words import gone
from mdmem.workspace.tools import reply
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def pin_add(
    workspace: Workspace,
    actor: str,
    type: str,  # noqa: A002 - published
    title: str,
    summary: str,
    source: str,
    artifact_ref: str = "",
    ttl: str = "",
) -> Reply:
    """Pin something (G024)."""
    named = {"artifact": artifact_ref or None, "ttl": ttl or None}
    return reply.of(workspace.pin_add(type, title, summary, source, **named, actor=actor, reason="pin_add"))


def pin_update(workspace: Workspace, actor: str, id: str, artifact_ref: str = "", **changes: str) -> Reply:  # noqa: A002
    """Change a pin (G026)."""
    named = {**changes, **({"artifact": artifact_ref} if artifact_ref else {})}
    return reply.of(workspace.pin_update(id, **named, actor=actor, reason="pin_update"))


def pin_renew(workspace: Workspace, actor: str, ids: Sequence[str], ttl: str = "") -> Reply:
    """Let pins hold from today on (G023)."""
    return reply.of(workspace.pin_renew(ids, ttl or None, actor=actor, reason="pin_renew"))


def pin_remove(workspace: Workspace, actor: str, ids: Sequence[str]) -> Reply:
    """Take pins down (G025)."""
    return reply.of(workspace.pin_remove(ids, actor=actor, reason="pin_remove"))


def pin_list(workspace: Workspace, actor: str) -> Reply:  # noqa: ARG001 - every tool is called so
    """List the pins (G027), one a line; what is over is told."""
    pins = workspace.pin_list()
    over = say(workspace.lang, "over")
    lines = [f"{pin.text}{'' if f'{pin.key}' in pin.text else f' ({pin.key})'}{over * pin.expired}" for pin in pins]
    return Reply("done", say(workspace.lang, "pins", count=len(pins)), text="\n".join(lines))


def why(workspace: Workspace, actor: str, name: str) -> Reply:
    """Walk from an entry to its evidence (G066)."""
    found = workspace.why(name, actor=actor)
    lines = [f"{found.path}:{found.line} {found.text}"]
    if found.written:
        change = found.written
        lines.append(f"- {change.time} {change.actor} ({change.reason}) {change.id}")
    for one in found.evidence:
        place = f"{one.path}:{one.line}" if one.line else one.path
        lines.append(f"- {one.source}: {one.missing or place}")
        lines += [f"  {said}" for said in one.said]
    lines += [f"- {old.path}:{old.line} ({gone(workspace.lang, old.reason)}) {old.text}" for old in found.before]
    return Reply("done", "; ".join(found.missing), path=found.path, text="\n".join(lines))


def plan(
    workspace: Workspace, actor: str, action: str, step: str = "", text: str = "", to: str = "", agent: str = ""
) -> Reply:
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


def _shown(workspace: Workspace, agent: str | None, done: Outcome | None) -> Reply:
    """Answer with the plan as it stands now, so that nobody need ask for it."""
    now = workspace.plan(agent=agent)
    lines = [f"[{'x' if one.done else ' '}] {one.number} {one.text}{' ←' if one.current else ''}" for one in now.steps]
    text = "\n".join(([now.phase] if now.phase else []) + lines)
    if done:
        return reply.of(done, text=text)
    return Reply("done", say(workspace.lang, "plan", path=now.path, steps=len(now.steps)), path=now.path, text=text)
