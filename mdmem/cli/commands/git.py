"""The verbs for a memory in git: `git setup`, `sync`, the merge driver, and copies that sync programs leave."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from typer import Argument, Option

from mdmem.cli import merge as merging
from mdmem.cli import output
from mdmem.cli import sync as syncing
from mdmem.cli.console import folded, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import DryRun, File, Lang
from mdmem.errors import ExitCode

git = Verbs()


@git.command()
def setup(
    call: Call,
    driver: Annotated[bool, Option("--driver")] = False,
    hook: Annotated[bool, Option("--hook")] = False,
    remote: Annotated[str, Option("--remote", metavar="URL")] = "",
    undo: Annotated[bool, Option("--undo")] = False,
) -> int:
    """Set up git for the memory; return 1 if a setting that mdmem did not make prevented a part."""
    steps = call.work.git.setup(driver=driver, hook=hook, remote=remote, undo=undo)
    if call.json:
        output.json({"steps": [asdict(one) for one in steps]})
    else:
        for one in steps:
            part, state = call.say(f"git.part-{one.part}", name=safe(one.name)), call.say(f"git.is-{one.state}")
            print(call.say("git.step", mark="!" if one.state == "another" else "✓", part=part, state=state))
        if any(one.part == "attributes" and one.state == "made" for one in steps):
            print(folded(call.say("git.next"), 2))
    return ExitCode.NOTHING if any(one.state == "another" for one in steps) else ExitCode.OK


def merge(
    versions: Annotated[list[str] | None, Argument()] = None,
    lang: Lang = None,
) -> int:
    """Merge three versions of a file for git; `cli/app.py` dispatches the common call without typer."""
    return merging.run(versions or [], lang)


def resolve(call: Call, file: File, dry_run: DryRun = False) -> int:
    """Merge a conflicted copy with its original, and remove the copy."""
    return call.print(call.work.resolve(call.from_here(file), dry_run=dry_run))


def sync(
    call: Call,
    once: Annotated[bool, Option("--once")] = False,
    every: Annotated[str | None, Option("--every")] = None,
    dry_run: DryRun = False,
    no_push: Annotated[bool, Option("--no-push")] = False,
) -> int:
    """Bring the memory and its remote to the same state; `cli/app.py` dispatches the common call without typer."""
    wait = parameters.seconds(every) if every and not once else 0
    return syncing.run(call.work, wait, dry_run=dry_run, push=not no_push, as_json=call.json)
