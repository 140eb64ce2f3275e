"""The tools for pins and provenance: `pin_add`, `pin_update`, `pin_renew`, `pin_remove`, `pin_list`, `why`."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.facade import Facade
from mdmem.messages.catalog import label, say
from mdmem.tools import model
from mdmem.tools.client import ToolClient
from mdmem.tools.model import ToolReply


def pin_add(
    host: Facade,
    client: ToolClient,
    type: str,  # noqa: A002 - published
    title: str,
    summary: str,
    source: str,
    artifact_ref: str = "",
    ttl: str = "",
    agent: str = "",
) -> ToolReply:
    """Add a pin (G024)."""
    named = {"artifact": artifact_ref or None, "ttl": ttl or None, "agent": agent or None}
    return model.reply_from_outcome(
        host.pins.add(type, title, summary, source, **named, actor=client.actor, reason="pin_add")
    )


def pin_update(host: Facade, client: ToolClient, id: str, artifact_ref: str = "", **changes: str) -> ToolReply:  # noqa: A002
    """Change a pin (G026)."""
    named = {**changes, **({"artifact": artifact_ref} if artifact_ref else {})}
    return model.reply_from_outcome(host.pins.update(id, **named, actor=client.actor, reason="pin_update"))


def pin_renew(host: Facade, client: ToolClient, ids: Sequence[str], ttl: str = "", agent: str = "") -> ToolReply:
    """Start the time to live of pins again today (G023)."""
    done = host.pins.renew(ids, ttl or None, agent=agent or None, actor=client.actor, reason="pin_renew")
    return model.reply_from_outcome(done)


def pin_remove(host: Facade, client: ToolClient, ids: Sequence[str], agent: str = "") -> ToolReply:
    """Remove pins (G025)."""
    done = host.pins.remove(ids, agent=agent or None, actor=client.actor, reason="pin_remove")
    return model.reply_from_outcome(done)


def pin_list(host: Facade, client: ToolClient, agent: str = "") -> ToolReply:  # noqa: ARG001 - the common signature
    """Return the pins, one per line; expired ones are marked (G027)."""
    pins = host.pins.list(agent=agent or None)
    expired = say(host.lang, "tool.over")
    lines = [f"{pin.text}{'' if f'{pin.key}' in pin.text else f' ({pin.key})'}{expired * pin.expired}" for pin in pins]
    return ToolReply("done", say(host.lang, "tool.pins", count=len(pins)), text="\n".join(lines))


def why(host: Facade, client: ToolClient, name: str) -> ToolReply:
    """Return the provenance of an entry (G066)."""
    provenance = host.history.why(name, actor=client.actor)
    lines = [f"{provenance.path}:{provenance.line} {provenance.text}"]
    if provenance.written:
        change = provenance.written
        lines.append(f"- {change.time} {change.actor} ({change.reason}) {change.id}")
    for evidence in provenance.evidence:
        location = f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path
        lines.append(f"- {evidence.source}: {evidence.missing or location}")
        lines += [f"  {text}" for text in evidence.excerpt]
    lines += [
        f"- {old.path}:{old.line} ({label(host.lang, f'pin.gone-{old.reason}', old.reason)}) {old.text}"
        for old in provenance.before
    ]
    return ToolReply("done", "; ".join(provenance.missing), path=provenance.path, text="\n".join(lines))
