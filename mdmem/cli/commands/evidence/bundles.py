"""`mdmem bundle`: skills of other people are installed, own knowledge is made into a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import DryRun, Yes

if TYPE_CHECKING:
    from mdmem import Bundle

bundle = Verbs(default="list")

Name = Annotated[str, Argument()]
Place = Annotated[str, Argument()]


@bundle.command("list")
def list_(call: Call) -> None:
    """Print the installed bundles."""

    def row(one: Bundle) -> Sequence[str]:
        state = "changed" if one.changed else "trusted" if one.trusted else "untrusted"
        told = call.say(f"cli.bundle.{state}", files=", ".join(one.changed))
        return one.name, one.version, one.license, str(len(one.pieces)), told

    names = ("name", "version", "license", "pieces", "state")
    titles = {f"cli.bundle.{name}": "path" if name == "name" else "" for name in names}
    call.print_list("bundles", call.work.bundles.list(), titles, row, none="cli.no-bundles")


@bundle.command()
def install(call: Call, place: Place, name: Annotated[str, Option("--name")] = "", dry_run: DryRun = False) -> int:
    """Install a bundle as it is."""
    return call.print(call.work.bundles.install(place, name, dry_run=dry_run), diff=False)


@bundle.command()
def update(call: Call, name: Name, place: Place, yes: Yes = False, dry_run: DryRun = False) -> int:
    """Replace a bundle by another version."""
    return call.print(call.work.bundles.update(name, place, confirm=yes, dry_run=dry_run), diff=False)


@bundle.command()
def remove(call: Call, name: Name, yes: Yes = False, dry_run: DryRun = False) -> int:
    """Remove a bundle."""
    return call.print(call.work.bundles.remove(name, confirm=yes, dry_run=dry_run), diff=False)


@bundle.command()
def overlay(call: Call, piece: Annotated[str, Argument()]) -> int:
    """Make an own text of an installed piece."""
    return call.print(call.work.bundles.overlay(piece), diff=False)


@bundle.command()
def make(
    call: Call,
    place: Place,
    pieces: Annotated[list[str], Argument()],
    name: Annotated[str, Option("--name")] = "",
    version: Annotated[str, Option("--version")] = "",
    terms: Annotated[str, Option("--license")] = "",
    description: Annotated[str, Option("--description", "-d")] = "",
    key: Annotated[str, Option("--sign")] = "",
    dry_run: DryRun = False,
) -> int:
    """Write pieces as a bundle."""
    made = call.work.bundles.make(
        place,
        pieces,
        name=name,
        version=version,
        license=terms,
        description=description,
        key=key,
        dry_run=dry_run,
    )
    return call.print(made, diff=False)
