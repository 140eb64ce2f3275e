"""The handle of a kept tool run: a pointer and a summary."""

from __future__ import annotations

from mdmem.context.output.seen import plain
from mdmem.core.artifact import Artifact
from mdmem.core.record import NamedTuple


class Kept(NamedTuple):
    """A tool run that is on disk now."""

    id: str
    path: str  # from the workspace
    summary: tuple[str, ...]  # one to six lines; the last names the artifact
    exit_code: int | None
    tool: str
    input: str  # one line, masked, short enough for a summary
    secrets: int  # how many secrets the output holds; they are masked wherever a model reads it
    warning: str = ""  # why the notebook has no line about it, where that failed


def kept_of(run: Artifact) -> Kept:
    """Return the handle of an artifact."""
    line = " ".join(plain(run.input).split())
    return Kept(run.id, run.path, run.summary, run.exit_code, run.tool, line, run.secrets)
