"""`mdmem import` and `mdmem export`: coming from another system, and leaving with everything."""

from __future__ import annotations

import dataclasses
import sys
from contextlib import closing
from typing import Annotated, Literal, TextIO

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import ProgressBar, folded, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.parameters import DryRun, Json, Lang, Root
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say


def import_(
    path: Annotated[str, Argument()],
    system: Annotated[str, Option("--from")] = "auto",
    to: Annotated[Literal["auto", "facts", "inbox"], Option("--to")] = "auto",
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Import the memories of another system."""
    work = parameters.workspace(root, lang)
    with closing(ProgressBar(say(work.lang, "cli.importing"))) as bar:
        done = work.import_from(path, system=system, to=to, dry_run=dry_run, progress=bar)
    code = ExitCode.NOTHING if done.refused else ExitCode.OK
    if json:
        output.json(dataclasses.asdict(done))
        return code
    _tell(done.message)
    for kind, number in done.kinds.items():
        _tell(say(work.lang, f"import.kind-{kind}", count=number))
    if done.masked:
        _tell(say(work.lang, "import.masked", count=done.masked))
    if done.waiting:
        _tell(say(work.lang, "import.waiting", count=done.waiting))
    shown = work.config.settings.imports.list
    told = [one for one in done.items if one.state != "duplicate"]
    for one in told[:shown]:
        _tell(say(work.lang, "import.item", place=one.place, reason=one.reason), sys.stderr)
    if len(told) > shown:
        _tell(say(work.lang, "import.more", count=len(told) - shown), sys.stderr)
    return code


def export(
    to: Annotated[str, Option("--to")] = "",
    form: Annotated[Literal["markdown", "jsonl"], Option("--as")] = "markdown",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Write everything to a folder."""
    work = parameters.workspace(root, lang)
    with closing(ProgressBar(say(work.lang, "cli.exporting"))) as bar:
        done = work.export_to(to, form=form, progress=bar)
    if json:
        output.json(dataclasses.asdict(done))
        return ExitCode.OK
    _tell(done.message)
    if done.left_out:
        names = ", ".join(done.left_out[: work.config.settings.imports.list])
        _tell(say(work.lang, "export.left-out", count=len(done.left_out), names=names), sys.stderr)
    if done.secrets:
        names = ", ".join(done.secrets[: work.config.settings.imports.list])
        _tell(say(work.lang, "export.secrets", count=len(done.secrets), names=names), sys.stderr)
    return ExitCode.OK


def _tell(text: str, stream: TextIO | None = None) -> None:
    """Print a sentence, folded to the terminal."""
    print(folded(safe(text), 2, stream), file=stream)
