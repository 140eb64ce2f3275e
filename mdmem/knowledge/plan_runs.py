"""Read what a task plan runs: the lines in which it names functions of pieces, and when each run began."""

from __future__ import annotations

from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import read_optional
from mdmem.formats.task_plan import read_todo, run_of
from mdmem.formats.template import Template
from mdmem.knowledge.model import RunName, read_run_name
from mdmem.knowledge.read import is_piece, version_names
from mdmem.plan.read import task_path, task_template
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern

RUNS = "knowledge"  # the key of a session's front matter that names what was run in it
_TIME = pattern(r"\s+(\d{4}-\d{2}-\d{2}\s+\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)\s*\Z")


class RecordedRun(NamedTuple):
    """A run that a session names."""

    name: RunName
    started: str
    session: str  # its path


def read_run(stamp: str, session: str = "") -> RecordedRun:
    """Read `piece:function@version time`."""
    found = _TIME.search(stamp)
    name = stamp[: found.start()] if found else stamp
    return RecordedRun(read_run_name(name), found[1] if found else "", session)


def plan_runs(config: WorkspaceConfig, agent: str | None) -> tuple[str, ...]:
    """Return what the task plan is a run of; empty if no plan runs a piece."""
    found = _plan(config, agent)
    return _runs(*found) if found else ()


def running_pieces(config: WorkspaceConfig, agent: str | None) -> tuple[str, ...]:
    """Return the pieces that the task plan runs, each as `name@version` if it is a saved one; none if it is over."""
    plan = _plan(config, agent)
    if plan is None or all(step.done for step in read_todo(*plan).steps):
        return ()
    found = (read_run(stamp).name for stamp in _runs(*plan))
    there = (one for one in found if is_piece(config, one.piece))
    saved = ((one.piece, one.version if one.version in version_names(config, one.piece) else "") for one in there)
    return tuple(dict.fromkeys(str(RunName(piece, "", version)) for piece, version in saved))


def _plan(config: WorkspaceConfig, agent: str | None) -> tuple[Document, Template] | None:
    """Return the task plan with its template; None if there is none."""
    path = task_path(config, agent)
    found = read_optional(config, path, "user")
    if found is None:
        return None
    document = parse(found.text.encode())
    return document, config.schemas.match(path, document) or task_template(config)


def _runs(document: Document, template: Template) -> tuple[str, ...]:
    """Return the values of the lines that tell what a plan runs, in their order."""
    found = (run_of(entry.text, template) for entry in document.entries)
    return tuple(filter(None, found))
