"""`mdmem artifact`: store and read tool outputs; lines go to the standard output, messages to the standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import DryRun, Limit
from mdmem.cli.usage import usage_error

if TYPE_CHECKING:
    from mdmem import Artifact, ArtifactView, MatchedLines, PruneResult, StoredArtifact


def print_stored(stored: StoredArtifact, *, as_json: bool) -> None:
    """Print the id and summary of a stored tool run."""
    if as_json:
        output.json(asdict(stored))
        return
    print(Paint(sys.stdout)("path", stored.id))
    print("\n".join(map(safe, stored.summary)))
    if stored.warning:
        _to_stderr(stored.warning, "")


def print_view(view: ArtifactView, *, as_json: bool) -> None:
    """Print the lines of a tool run; their numbers and the hint go to the standard error."""
    if as_json:
        output.json({key: value for key, value in asdict(view).items() if key != "raw"})
        return
    for line in view.text.split("\n") if view.text else ():
        print(safe(line))
    _to_stderr(view.message, view.hint)


def print_raw(view: ArtifactView) -> None:
    """Write the output of a tool byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(view.raw)


def print_matches(matches: MatchedLines, *, as_json: bool) -> None:
    """Print the matching lines with their numbers."""
    if as_json:
        output.json(asdict(matches))
        return
    paint = Paint(sys.stdout)
    for hit in matches.hits:
        print(f"{paint('dim', f'{hit.line}:')} {safe(hit.text)}")
    _to_stderr(matches.message, matches.hint)


def print_runs(call: Call, found: Sequence[Artifact]) -> None:
    """Print a table of tool runs."""
    columns = {
        "cli.artifact.id": "path", "cli.artifact.when": "dim", "cli.artifact.tool": "", "cli.artifact.exit": "",
        "cli.artifact.summary": "",
    }  # fmt: skip

    def row(one: Artifact) -> Sequence[str]:
        return one.id, one.started[:16], one.tool, "" if one.exit_code is None else str(one.exit_code), _first(one)

    call.print_list("artifacts", found, columns, row, none="cli.no-artifacts", fields=_run)


def print_pruned(result: PruneResult, *, as_json: bool) -> None:
    """Print the removed runs, and why the others were kept."""
    if as_json:
        output.json(asdict(result))
        return
    for one in result.gone:
        print(safe(one))
    _to_stderr(result.message, result.hint)


def _run(run: Artifact) -> dict[str, Any]:
    return {key: value for key, value in asdict(run).items() if key != "body"}


def _first(run: Artifact) -> str:
    return run.summary[0] if run.summary else run.input


def _to_stderr(message: str, hint: str) -> None:
    """Print a message and a hint on the standard error, so that a pipe gets only the lines."""
    sys.stdout.flush()
    paint = Paint(sys.stderr)
    print(paint("dim", safe(message)), file=sys.stderr)
    if hint:
        print(f"  {paint('dim', safe(hint))}", file=sys.stderr)


artifact = Verbs(default="list")

Id = Annotated[str, Argument()]
Path = Annotated[str, Argument()]


@artifact.command()
def put(
    call: Call,
    tool: Annotated[str, Option("--tool")],
    input_: Annotated[str, Option("--input")] = "",
    exit_code: Annotated[int | None, Option("--exit-code")] = None,
    owner: Annotated[str, Option("--owner")] = "main",
    stderr: Annotated[str, Option("--stderr")] = "",
) -> None:
    """Store the standard input as a tool's output, byte for byte, and print its id and summary."""
    artifacts, errors = call.work.artifacts, parameters.data(stderr)
    stored = artifacts.put(sys.stdin.buffer, stderr=errors, tool=tool, input=input_, exit_code=exit_code, owner=owner)
    print_stored(stored, as_json=call.json)


@artifact.command()
def get(
    call: Call,
    id: Id,  # noqa: A002 - the noun
    range_: Annotated[str | None, Option("--range")] = None,
    raw: Annotated[bool, Option("--raw")] = False,
) -> None:
    """Print the summary and the first lines of a tool run, or a range of lines; secrets are masked."""
    if raw and sys.stdout.isatty():
        raise usage_error("raw-terminal")
    view = call.work.artifacts.get(id, range_)
    print_raw(view) if raw else print_view(view, as_json=call.json)


@artifact.command("list")
def list_(
    call: Call,
    tool: Annotated[str | None, Option("--tool")] = None,
    since: Annotated[str, Option("--since")] = "",
    limit: Limit = None,
) -> None:
    """Print a list of tool runs, the newest first."""
    print_runs(call, call.work.artifacts.list(tool, parameters.day(since) if since else None, limit))


@artifact.command()
def grep(
    call: Call,
    path: Path,
    pattern: Annotated[str, Argument()],
    regex: Annotated[bool, Option("--regex", "-E")] = False,
    limit: Limit = None,
) -> int:
    """Print the lines of a tool run or a file that match; return 1 if none does."""
    found = call.work.artifacts.grep(_path(call, path), pattern, limit, regex=regex)
    print_matches(found, as_json=call.json)
    return int(not found.hits)


@artifact.command()
def snippet(
    call: Call,
    path: Path,
    start: Annotated[int, Argument()] = 1,
    length: Annotated[int | None, Argument()] = None,
) -> None:
    """Print some lines of a file; secrets are masked."""
    print_view(call.work.artifacts.snippet(_path(call, path), start, length), as_json=call.json)


@artifact.command()
def mask(call: Call, id: Id, dry_run: DryRun = False) -> int:  # noqa: A002 - the noun
    """Mask the secrets of a stored tool run."""
    named = id if not id.endswith((".md", ".txt")) and "/" not in id else _path(call, id)
    return call.print(call.work.artifacts.mask(named, dry_run=dry_run))


@artifact.command()
def prune(
    call: Call,
    days: Annotated[int | None, Option("--days", min=1)] = None,
    size: Annotated[int | None, Option("--bytes", min=0)] = None,
    dry_run: DryRun = False,
) -> None:
    """Remove old tool runs that no memory refers to; the log names them."""
    print_pruned(call.work.artifacts.prune(days=days, size=size, dry_run=dry_run), as_json=call.json)


def _path(call: Call, path: str) -> str:
    """Return a path from the root for a path from the current folder; a reference is returned unchanged."""
    return path if path.startswith("tool:") else call.path(path)
