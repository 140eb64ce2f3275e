"""Shows tool runs: lines on the standard output, what is said about them beside it; JSON where a program asks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mdmem.doors import emit
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint, safe

if TYPE_CHECKING:
    from mdmem.core.artifact import Artifact
    from mdmem.workspace.artifacts.kept import Kept
    from mdmem.workspace.artifacts.look import Found, Look
    from mdmem.workspace.artifacts.prune import Pruned

_HEADER = {"zh": ("编号", "时间", "工具", "退出码", "摘要"), "en": ("id", "when", "tool", "exit", "summary")}


def kept(one: Kept, *, as_json: bool) -> None:
    """Print the id of a run that was kept, and its summary."""
    if as_json:
        emit.json(one._asdict())
        return
    print(Paint(sys.stdout)("path", one.id))
    print("\n".join(map(safe, one.summary)))
    if one.warning:
        _beside(one.warning, "")


def look(one: Look, *, as_json: bool) -> None:
    """Print the lines; which they are and how to go on is told beside them."""
    if as_json:
        emit.json({key: value for key, value in one._asdict().items() if key != "raw"})
        return
    for line in one.text.split("\n") if one.text else ():
        print(safe(line))
    _beside(one.message, one.hint)


def raw(one: Look) -> None:
    """Write the output as the tool gave it."""
    sys.stdout.flush()
    sys.stdout.buffer.write(one.raw)


def found(one: Found, *, as_json: bool) -> None:
    """Print the lines that match, each behind its number."""
    if as_json:
        emit.json(one._asdict() | {"hits": [hit._asdict() for hit in one.hits]})
        return
    paint = Paint(sys.stdout)
    for hit in one.hits:
        print(f"{paint('dim', f'{hit.line}:')} {safe(hit.text)}")
    _beside(one.message, one.hint)


def runs(all_runs: Sequence[Artifact], lang: str, *, as_json: bool) -> None:
    """Print a table of tool runs."""
    if as_json:
        emit.json({"artifacts": [_run(one) for one in all_runs]})
        return
    rows = [
        (one.id, one.started[:16], one.tool, "" if one.exit_code is None else str(one.exit_code), _first(one))
        for one in all_runs
    ]
    if rows:
        print("\n".join(table(_HEADER[lang], rows, ("path", "dim", "", "", ""), Paint(sys.stdout))))


def pruned(done: Pruned, *, as_json: bool) -> None:
    """Print what went, and why the rest stayed."""
    if as_json:
        emit.json(done._asdict())
        return
    for one in done.gone:
        print(safe(one))
    _beside(done.message, done.hint)


def _run(one: Artifact) -> dict[str, Any]:
    return {key: value for key, value in one._asdict().items() if key != "body"}


def _first(one: Artifact) -> str:
    return one.summary[0] if one.summary else one.input


def _beside(message: str, hint: str) -> None:
    """Tell what is no output on the standard error, so that a pipe gets the lines alone."""
    sys.stdout.flush()
    paint = Paint(sys.stderr)
    print(paint("dim", safe(message)), file=sys.stderr)
    if hint:
        print(f"  {paint('dim', safe(hint))}", file=sys.stderr)
