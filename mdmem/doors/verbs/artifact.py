"""`mdmem artifact`: what tools gave, kept whole, and looked at point to point."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Annotated

import typer

from mdmem.doors import evidence
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, Json, Lang, Root
from mdmem.errors import UsageError

app = typer.Typer(help="What tools gave: kept whole under artifacts/, looked at point to point.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="A tool run: tool:ID, the id, or its file.", show_default=False)]
Path = Annotated[str, typer.Argument(help="A file of the workspace, or a tool run as tool:ID.", show_default=False)]


@app.command()
def put(
    tool: Annotated[str, typer.Option("--tool", help="The tool's name.")],
    input_: Annotated[str, typer.Option("--input", help="What it was given: a command line, arguments.")] = "",
    exit_code: Annotated[int | None, typer.Option("--exit-code", help="What it ended with.")] = None,
    owner: Annotated[str, typer.Option("--owner", help="The agent that ran it.")] = "main",
    stderr: Annotated[
        typer.FileBinaryRead | None, typer.Option("--stderr", help="A file with what it wrote to its standard error.")
    ] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Keep the standard input as a tool's output, byte for byte, and print its id and summary."""
    work = given.workspace(root, lang)
    kept = work.artifact_put(
        sys.stdin.buffer, stderr=stderr or b"", tool=tool, input=input_, exit_code=exit_code, owner=owner
    )
    evidence.kept(kept, as_json=json)


@app.command()
def get(
    id: Id,  # noqa: A002 - the noun
    range_: Annotated[
        str | None, typer.Option("--range", help="Lines: 10-40, 10-, -20 for the last, 12:8001 within a long one.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="The bytes as the tool gave them, secrets too: into a file.")
    ] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show the summary and the first lines of a tool run, or the lines asked for; secrets are masked."""
    if raw and sys.stdout.isatty():
        raise UsageError("raw output could do anything to a terminal", hint="mdmem artifact get ID --raw > FILE")
    look = given.workspace(root, lang).artifact_get(id, range_)
    evidence.raw(look) if raw else evidence.look(look, as_json=json)


@app.command("list")
def list_(
    tool: Annotated[str | None, typer.Option("--tool", help="Of this tool only.")] = None,
    since: Annotated[dt.datetime | None, typer.Option("--since", help="Since this day.", formats=["%Y-%m-%d"])] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="How many of the last.")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List tool runs, the newest first."""
    work = given.workspace(root, lang)
    evidence.runs(work.artifacts(tool, since.date() if since else None, limit), work.lang, as_json=json)


@app.command()
def grep(
    path: Path,
    pattern: Annotated[str, typer.Argument(help="The text to look for.", show_default=False)],
    regex: Annotated[bool, typer.Option("--regex", "-E", help="It is a regular expression, as Python's.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="How many lines at most.")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show the lines of a tool run or a file that hold a text; exit 1 where none does."""
    work = given.workspace(root, lang)
    found = work.grep(_path(path, root), pattern, limit, regex=regex)
    evidence.found(found, as_json=json)
    raise typer.Exit(int(not found.hits))


@app.command()
def snippet(
    path: Path,
    start: Annotated[int, typer.Argument(help="The first line, from 1.")] = 1,
    length: Annotated[int | None, typer.Argument(help="How many lines.")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show some lines of a file; secrets are masked."""
    evidence.look(given.workspace(root, lang).snippet(_path(path, root), start, length), as_json=json)


@app.command()
def prune(
    days: Annotated[int | None, typer.Option("--days", min=1, help="Take away what is older.")] = None,
    size: Annotated[int | None, typer.Option("--bytes", min=0, help="And the oldest, until all take no more.")] = None,
    dry_run: DryRun = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Take old tool runs away, but for those that a memory points at; the log names what went."""
    done = given.workspace(root, lang).artifact_prune(days=days, size=size, dry_run=dry_run, actor="cli")
    evidence.pruned(done, as_json=json)


def _path(path: str, root: str) -> str:
    """Take a path as the person writes it from here, and a reference as it is."""
    return path if path.startswith("tool:") else given.path(given.workspace(root, None), root, path)
