"""`mdmem pin`: add, change, remove, renew and list pins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import columns, middle, table
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.parameters import DryRun, Json, Lang, Root
from mdmem.cli.outcome import print_outcome
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Pin

_FEW = 6  # characters of a key that are shown if they are unique


def print_pins(found: Sequence[Pin], lang: str, *, as_json: bool) -> None:
    """Print the pins as a table, expired ones marked, or as one JSON object."""
    if as_json:
        output.json({"pins": [asdict(pin) for pin in found]})
        return
    if not found:
        print(say(lang, "cli.no-pins"))
        return
    short = len({pin.key[:_FEW] for pin in found}) == len(found)
    rows = [
        (
            pin.key[:_FEW] if short else pin.key,
            pin.type,
            f"{pin.until} {say(lang, 'cli.over')}" if pin.expired else pin.until,
            middle(pin.source, max(16, columns() // 4)),
            f"{pin.title}: {pin.summary}" if pin.title else pin.summary,
        )
        for pin in found
    ]
    header = [say(lang, f"cli.{key}") for key in ("key", "type", "until", "source", "pin")]
    print("\n".join(table(header, rows, ("dim", "note", "", "path", ""))))


pin = Verbs(default="list")

Ids = Annotated[list[str], Argument()]
Type = Annotated[str, Option("--type", "-t")]
Source = Annotated[str, Option("--source", "-s")]
Artifact = Annotated[str, Option("--artifact", "-a")]
Ttl = Annotated[str, Option("--ttl")]


@pin.command()
def add(
    title: Annotated[str, Argument()],
    summary: Annotated[str, Argument()],
    type: Type,  # noqa: A002 - a published name
    source: Source,
    artifact: Artifact = "",
    ttl: Ttl = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add a pin; its source must exist."""
    work = parameters.workspace(root, lang)
    done = work.pins.add(type, title, summary, source, artifact=artifact or None, ttl=ttl or None)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@pin.command()
def update(
    id: Annotated[str, Argument()],  # noqa: A002 - a published name
    title: Annotated[str | None, Option("--title")] = None,
    summary: Annotated[str | None, Option("--summary")] = None,
    type: Type = "",  # noqa: A002
    source: Source = "",
    artifact: Artifact = "",
    ttl: Ttl = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Change a pin."""
    work = parameters.workspace(root, lang)
    named = {"type": type, "source": source, "artifact": artifact, "ttl": ttl}
    changes = {key: value for key, value in named.items() if value}
    done = work.pins.update(id, title=title, summary=summary, **changes)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@pin.command()
def remove(ids: Ids, dry_run: DryRun = False, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Remove pins; they go to the archive."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.pins.remove(ids, dry_run=dry_run), work.lang, as_json=json, diff=True)


@pin.command()
def renew(ids: Ids, ttl: Ttl = "", root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Restart the time to live of pins today."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.pins.renew(ids, ttl or None), work.lang, as_json=json, diff=True)


@pin.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Print the pins."""
    work = parameters.workspace(root, lang)
    print_pins(work.pins.list(), work.lang, as_json=json)
