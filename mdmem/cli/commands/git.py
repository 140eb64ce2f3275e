"""The verbs for a memory in git: `git setup`, `sync`, the merge driver, and copies that sync programs leave."""

from __future__ import annotations

import sys
import time
from contextlib import closing, suppress
from dataclasses import asdict
from typing import Annotated

from typer import Argument, Option

from mdmem.cli import merge as merging
from mdmem.cli import output
from mdmem.cli.console import Paint, ProgressBar, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import DryRun, File, Lang
from mdmem.cli.outcome import advice, headline
from mdmem.errors import ExitCode, MdmemError

git = Verbs()
_MARKS = {"same": "done", "kept": "done", "planned": "planned", "conflicts": "waiting", "stopped": "waiting"}


@git.command()
def setup(
    call: Call,
    driver: Annotated[bool, Option("--driver")] = False,
    hook: Annotated[bool, Option("--hook")] = False,
    remote: Annotated[str, Option("--remote", metavar="URL")] = "",
    undo: Annotated[bool, Option("--undo")] = False,
) -> int:
    """Set up git for the memory; return 1 if somebody else's settings stand in the way of a part."""
    steps = call.work.git.setup(driver=driver, hook=hook, remote=remote, undo=undo)
    if call.json:
        output.json({"steps": [asdict(one) for one in steps]})
    else:
        for one in steps:
            facts = {"part": call.say(f"git.part-{one.part}"), "state": call.say(f"git.is-{one.state}")}
            print(call.say("git.step", mark="!" if one.state == "another" else "✓", **facts))
        if any(one.part == "attributes" and one.state == "made" for one in steps):
            print(call.say("git.next"))
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
    every: Annotated[str, Option("--every")] = "",
    dry_run: DryRun = False,
    no_push: Annotated[bool, Option("--no-push")] = False,
) -> int:
    """Bring the memory and its remote to the same state; return 1 for collisions, and for findings that stop a push."""
    wait = parameters.seconds(every) if every and not once else 0
    code = _sync(call, dry_run=dry_run, push=not no_push)
    with suppress(KeyboardInterrupt):  # the normal end
        while wait:
            time.sleep(wait)
            try:
                code = _sync(call, dry_run=dry_run, push=not no_push)
            except MdmemError as error:  # the next one may find the remote again
                print(call.say("sync.failed", message=error.message), file=sys.stderr, flush=True)
                code = error.exit_code
    return code


def _sync(call: Call, *, dry_run: bool, push: bool) -> int:
    with closing(ProgressBar("")) as bar:
        found = call.work.sync(dry_run=dry_run, push=push, progress=bar)
    if call.json:
        output.json(found._asdict() | {"findings": [one.as_dict() for one in found.findings]})
    else:
        paint = Paint(sys.stdout)
        print(headline(_MARKS[found.status], found.message, paint))
        for one in found.findings:
            print(f"  {paint('path', safe(f'{one.path}:{one.line}'))}  {one.code} {safe(one.message)}")
        for line in advice(found.hint, paint):
            print(line)
        sys.stdout.flush()
    return ExitCode.NOTHING if found.status in ("conflicts", "stopped") else ExitCode.OK
