"""`mdmem pin`: add, change, remove, renew and list pins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli.console import columns, middle, short_keys
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Agent, DryRun

if TYPE_CHECKING:
    from mdmem import Pin


def print_pins(call: Call, found: Sequence[Pin]) -> None:
    """Print the pins as a table, expired ones marked, or as one JSON object."""
    keys = short_keys([pin.key for pin in found])

    def row(pin: Pin) -> Sequence[str]:
        until = f"{pin.until} {call.say('cli.over')}" if pin.expired else pin.until
        text = f"{pin.title}: {pin.summary}" if pin.title else pin.summary
        return keys[pin.key], pin.type, until, str(middle(pin.source, max(16, columns() // 4))), text

    titles = {"cli.key": "dim", "cli.type": "note", "cli.until": "", "cli.source": "path", "cli.pin": ""}
    call.print_list("pins", found, titles, row, none="cli.no-pins")


pin = Verbs(default="list")

Ids = Annotated[list[str], Argument()]
Type = Annotated[str, Option("--type", "-t")]
Source = Annotated[str, Option("--source", "-s")]
Artifact = Annotated[str, Option("--artifact", "-a")]
Ttl = Annotated[str, Option("--ttl")]


@pin.command()
def add(
    call: Call,
    title: Annotated[str, Argument()],
    summary: Annotated[str, Argument()],
    type: Type,  # noqa: A002 - a published name
    source: Source,
    artifact: Artifact = "",
    ttl: Ttl = "",
    agent: Agent = "",
) -> int:
    """Add a pin; its source must exist."""
    pins, owner = call.work.pins, agent or None
    return call.print(pins.add(type, title, summary, source, artifact=artifact or None, ttl=ttl or None, agent=owner))


@pin.command()
def update(
    call: Call,
    id: Annotated[str, Argument()],  # noqa: A002 - a published name
    title: Annotated[str | None, Option("--title")] = None,
    summary: Annotated[str | None, Option("--summary")] = None,
    type: Type = "",  # noqa: A002
    source: Source = "",
    artifact: Artifact = "",
    ttl: Ttl = "",
    agent: Agent = "",
) -> int:
    """Change a pin."""
    named = {"type": type, "source": source, "artifact": artifact, "ttl": ttl, "agent": agent}
    changes = {key: value for key, value in named.items() if value}
    return call.print(call.work.pins.update(id, title=title, summary=summary, **changes))


@pin.command()
def remove(call: Call, ids: Ids, dry_run: DryRun = False, agent: Agent = "") -> int:
    """Remove pins; they go to the archive."""
    return call.print(call.work.pins.remove(ids, dry_run=dry_run, agent=agent or None))


@pin.command()
def renew(call: Call, ids: Ids, ttl: Ttl = "", agent: Agent = "") -> int:
    """Restart the time to live of pins today."""
    return call.print(call.work.pins.renew(ids, ttl or None, agent=agent or None))


@pin.command("list")
def list_(call: Call, agent: Agent = "") -> None:
    """Print the pins."""
    print_pins(call, call.work.pins.list(agent=agent or None))
