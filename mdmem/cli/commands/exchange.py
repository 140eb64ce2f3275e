"""`mdmem import` and `mdmem export`: coming from another system, and leaving with everything."""

from __future__ import annotations

import dataclasses
import sys
from contextlib import closing
from typing import Annotated, Literal, TextIO

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import ProgressBar, folded, safe
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import DryRun
from mdmem.errors import ExitCode


def import_(
    call: Call,
    path: Annotated[str, Argument()],
    system: Annotated[str, Option("--from")] = "auto",
    to: Annotated[Literal["auto", "facts", "inbox"], Option("--to")] = "auto",
    dry_run: DryRun = False,
) -> int:
    """Import the memories of another system."""
    work = call.work
    with closing(ProgressBar(call.say("cli.importing"))) as bar:
        done = work.import_from(path, system=system, to=to, dry_run=dry_run, progress=bar)
    code = ExitCode.NOTHING if done.refused else ExitCode.OK
    if call.json:
        output.json(dataclasses.asdict(done))
        return code
    _tell(done.message)
    for kind, number in done.kinds.items():
        _tell(call.say(f"import.kind-{kind}", count=number))
    shown = work.config.settings.imports.list
    if done.paths and done.status == "done":
        more = call.say("import.more-paths", count=len(done.paths) - shown) if len(done.paths) > shown else ""
        _tell(call.say("import.paths", paths=call.say("punctuation.list").join(done.paths[:shown]) + more))
    if done.kinds.get("session") and done.status == "done":
        _tell(call.say("import.extract"))
    if done.masked:
        _tell(call.say("import.masked", count=done.masked))
    if done.waiting:
        _tell(call.say("import.waiting", count=done.waiting))
    told = [one for one in done.items if one.state != "duplicate"]
    for one in told[:shown]:
        _tell(call.say("import.item", place=one.place, reason=one.reason), sys.stderr)
    if len(told) > shown:
        _tell(call.say("import.more", count=len(told) - shown), sys.stderr)
    return code


def export(
    call: Call,
    to: Annotated[str, Option("--to")] = "",
    form: Annotated[Literal["markdown", "jsonl"], Option("--as")] = "markdown",
) -> int:
    """Write everything to a folder."""
    work = call.work
    with closing(ProgressBar(call.say("cli.exporting"))) as bar:
        done = work.export_to(to, form=form, progress=bar)
    if call.json:
        output.json(dataclasses.asdict(done))
        return ExitCode.OK
    _tell(done.message)
    shown = work.config.settings.imports.list
    if done.left_out:
        names = ", ".join(done.left_out[:shown])
        _tell(call.say("export.left-out", count=len(done.left_out), names=names), sys.stderr)
    if done.secrets:
        names = ", ".join(done.secrets[:shown])
        _tell(call.say("export.secrets", count=len(done.secrets), names=names), sys.stderr)
    return ExitCode.OK


def _tell(text: str, stream: TextIO | None = None) -> None:
    """Print a sentence, folded to the terminal."""
    print(folded(safe(text), 2, stream), file=stream)
