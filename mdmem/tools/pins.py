"""The tools over pins and plans: `pin_add`, `pin_update`, `pin_renew`, `pin_remove`, `pin_list`, `why`, `plan`."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.entries.model import Outcome
from mdmem.messages.catalog import label, say
from mdmem.tools import model
from mdmem.tools.model import ToolHost, ToolReply


def pin_add(
    host: ToolHost,
    actor: str,
    type: str,  # noqa: A002 - published
    title: str,
    summary: str,
    source: str,
    artifact_ref: str = "",
    ttl: str = "",
) -> ToolReply:
    """Pin something (G024)."""
    named = {"artifact": artifact_ref or None, "ttl": ttl or None}
    return model.reply_from_outcome(host.pins.add(type, title, summary, source, **named, actor=actor, reason="pin_add"))


def pin_update(host: ToolHost, actor: str, id: str, artifact_ref: str = "", **changes: str) -> ToolReply:  # noqa: A002
    """Change a pin (G026)."""
    named = {**changes, **({"artifact": artifact_ref} if artifact_ref else {})}
    return model.reply_from_outcome(host.pins.update(id, **named, actor=actor, reason="pin_update"))


def pin_renew(host: ToolHost, actor: str, ids: Sequence[str], ttl: str = "") -> ToolReply:
    """Let pins hold from today on (G023)."""
    return model.reply_from_outcome(host.pins.renew(ids, ttl or None, actor=actor, reason="pin_renew"))


def pin_remove(host: ToolHost, actor: str, ids: Sequence[str]) -> ToolReply:
    """Take pins down (G025)."""
    return model.reply_from_outcome(host.pins.remove(ids, actor=actor, reason="pin_remove"))


def pin_list(host: ToolHost, actor: str) -> ToolReply:  # noqa: ARG001 - every tool is called so
    """List the pins (G027), one a line; what is over is told."""
    pins = host.pins.list()
    over = say(host.lang, "tool.over")
    lines = [f"{pin.text}{'' if f'{pin.key}' in pin.text else f' ({pin.key})'}{over * pin.expired}" for pin in pins]
    return ToolReply("done", say(host.lang, "tool.pins", count=len(pins)), text="\n".join(lines))


def why(host: ToolHost, actor: str, name: str) -> ToolReply:
    """Walk from an entry to its evidence (G066)."""
    found = host.history.why(name, actor=actor)
    lines = [f"{found.path}:{found.line} {found.text}"]
    if found.written:
        change = found.written
        lines.append(f"- {change.time} {change.actor} ({change.reason}) {change.id}")
    for one in found.evidence:
        place = f"{one.path}:{one.line}" if one.line else one.path
        lines.append(f"- {one.source}: {one.missing or place}")
        lines += [f"  {said}" for said in one.said]
    lines += [
        f"- {old.path}:{old.line} ({label(host.lang, f'pin.gone-{old.reason}', old.reason)}) {old.text}"
        for old in found.before
    ]
    return ToolReply("done", "; ".join(found.missing), path=found.path, text="\n".join(lines))


def _shown(host: ToolHost, agent: str | None, done: Outcome | None) -> ToolReply:
    """Answer with the plan as it stands now, so that nobody need ask for it."""
    now = host.plan.show(agent=agent)
    lines = [f"[{'x' if one.done else ' '}] {one.number} {one.text}{' ←' if one.current else ''}" for one in now.steps]
    text = "\n".join(([now.phase] if now.phase else []) + lines)
    if done:
        return model.reply_from_outcome(done, text=text)
    return ToolReply("done", say(host.lang, "tool.plan", path=now.path, steps=len(now.steps)), path=now.path, text=text)
