"""`mdmem knowledge` and `mdmem run`: pieces of knowledge, their versions and comparisons; a plan that runs one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.commands.history import show_diff
from mdmem.cli.console import folded, middle, safe
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Agent, DryRun
from mdmem.cli.usage import usage_error

if TYPE_CHECKING:
    from mdmem import KnowledgePiece, KnowledgeVersion, VersionComparison, VersionTally

knowledge = Verbs(default="list")

Name = Annotated[str, Argument()]
Version = Annotated[str, Argument()]


@knowledge.command("list")
def list_(call: Call, task: Annotated[str, Argument()] = "") -> None:
    """Print all pieces, or those that fit a task."""
    found = call.work.knowledge.list()
    if task:
        by_name = {one.name: one for one in found}
        found = tuple(by_name[name] for name in call.work.knowledge.fitting(task, len(found)) if name in by_name)

    def row(one: KnowledgePiece) -> Sequence[str]:
        about = one.description if one.described else call.say("cli.knowledge.undescribed")
        if not one.trusted:
            about = f"{call.say('cli.knowledge-untrusted')} {about}"
        return one.name, one.version or "-", about

    titles = {"cli.knowledge.name": "path", "cli.knowledge.version": "note", "cli.knowledge.about": ""}
    call.print_list("knowledge", found, titles, row, none="cli.no-knowledge")


@knowledge.command()
def show(call: Call, name: Name, version: Version = "") -> None:
    """Print a piece, or a saved version of it."""
    text = call.work.knowledge.show(name, version)
    if call.json:
        output.json({"name": name, "version": version, "text": text})
    else:
        print("\n".join(map(safe, text.splitlines())))


@knowledge.command()
def add(
    call: Call,
    name: Name,
    description: Annotated[str, Argument()],
    steps: Annotated[list[str] | None, Argument()] = None,
    inputs: Annotated[list[str] | None, Option("--input")] = None,
    outputs: Annotated[str, Option("--outputs")] = "",
    preconditions: Annotated[str, Option("--preconditions")] = "",
) -> int:
    """Make a new piece."""
    add_piece = call.work.knowledge.add
    interface = {"outputs": outputs, "preconditions": preconditions}
    return call.print(add_piece(name, description, steps or (), inputs=inputs or (), **interface))


@knowledge.command()
def save(
    call: Call,
    name: Name,
    version: Version = "",
    note: Annotated[str, Option("--note", "-m")] = "",
    source: Annotated[str, Option("--source", "-s")] = "",
) -> int:
    """Save a piece as a version."""
    return call.print(call.work.knowledge.save(name, version, note=note, source=source), diff=False)


@knowledge.command()
def versions(call: Call, name: Name) -> None:
    """Print the saved versions of a piece; their sources, where one has a source."""
    found = call.work.knowledge.versions(name)
    has_sources = any(one.source for one in found)

    def row(one: KnowledgeVersion) -> Sequence[str]:
        source = (str(middle(one.source, 40)),) if has_sources else ()
        return f"{'→ ' if one.current else '  '}{one.name}", one.saved, *source, one.note

    sources = {"cli.source": "note"} if has_sources else {}
    titles = {"cli.knowledge.version": "path", "cli.knowledge.saved": "", **sources, "cli.knowledge.note": ""}
    call.print_list("versions", found, titles, row, none="cli.no-versions")


@knowledge.command()
def diff(call: Call, name: Name, first: Version = "", second: Version = "") -> None:
    """Print what is different between two versions."""
    show_diff(call, call.work.knowledge.diff(name, first, second))


@knowledge.command()
def back(call: Call, name: Name, version: Version = "", dry_run: DryRun = False) -> int:
    """Take a piece back to a version."""
    return call.print(call.work.knowledge.back(name, version, dry_run=dry_run))


@knowledge.command("try")
def try_(call: Call, name: Name, first: Version, second: Version) -> int:
    """Run two versions in turn."""
    return call.print(call.work.knowledge.alternate(name, first, second), diff=False)


@knowledge.command()
def compare(call: Call, name: Name, first: Version = "", second: Version = "") -> None:
    """Compare two versions by what came of their tasks."""
    made = call.work.knowledge.compare(name, first, second)
    if call.json:
        output.json(asdict(made))
        return
    print_comparison(call, made)


def print_comparison(call: Call, made: VersionComparison) -> None:
    """Print a comparison as a table, and its verdict."""

    def row(one: VersionTally) -> Sequence[str]:
        rate = f"{one.rate:.0%} ({one.low:.0%}–{one.high:.0%})" if one.tasks else "-"
        means = (f"{value:.1f}" for value in (one.rounds, one.tools, one.errors))
        return one.version, f"{one.successes}/{one.tasks}", rate, *means, f"{one.tokens:.0f}"

    names = ("version", "successes", "rate", "rounds", "tools", "errors", "tokens")
    titles = {f"cli.knowledge.{name}": "path" if name == "version" else "" for name in names}
    call.print_list("versions", (made.first, made.second), titles, row)
    print(folded(made.message, 2))


@knowledge.command()
def pick(call: Call, name: Name, version: Version = "") -> int:
    """Make a version the one that holds, and write down why."""
    return call.print(call.work.knowledge.pick(name, version))


def run(
    call: Call,
    name: Name,
    inputs: Annotated[list[str] | None, Argument()] = None,
    under: Annotated[str, Option("--under")] = "",
    replace: Annotated[bool, Option("--replace")] = False,
    dry_run: DryRun = False,
    agent: Agent = "",
) -> int:
    """Make the task plan a run of a piece of knowledge."""
    given: dict[str, str] = {}
    for one in inputs or ():
        key, sign, value = one.partition("=")
        if not sign or not key.strip():
            raise usage_error("input", text=one)
        given[key.strip()] = value
    work = call.work.knowledge
    done = work.run(name, given, under=under, replace=replace, agent=agent or None, dry_run=dry_run)
    return call.print(done, diff=False)
