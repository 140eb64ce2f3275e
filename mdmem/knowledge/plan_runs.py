"""Read what a task plan runs, each with the time when it began, and record it in the session that worked on it."""

from __future__ import annotations

import os
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.read import read_optional
from mdmem.formats.paths import is_owner_name
from mdmem.formats.session_edits import set_values
from mdmem.formats.task_plan import read_todo, run_of
from mdmem.formats.template import Template
from mdmem.knowledge.model import RunName, read_run_name
from mdmem.knowledge.read import is_piece, version_names
from mdmem.messages.catalog import say
from mdmem.plan.read import task_path, task_template
from mdmem.sessions.read import head, head_document, is_older
from mdmem.store.transaction import DraftFiles, Edits
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


def record_plan_runs(config: WorkspaceConfig, session: str) -> tuple[str, ...]:
    """Record in a session that ends what its plan runs, if that was worked on in it; return what is new.

    The plan is that of the session's agent, or else the workspace's.
    """
    own = head(config, session)
    agents = (own.agent, None) if is_owner_name(own.agent) else (None,)
    begun = (agent for agent in agents if os.path.isfile(os.path.join(config.root, task_path(config, agent))))
    agent = next(begun, None)
    stamps = plan_runs(config, agent)
    if not stamps or is_older(config, task_path(config, agent), own):
        return ()
    front = head_document(config, session).front_matter
    known = front.values.get(RUNS) if front else None
    new = tuple(one for one in stamps if one not in (known if isinstance(known, list) else ()))
    if new:
        config.pen().commit(
            lambda files: recorded(files, session, *new), actor=KEEPER, reason=say(config.lang, "knowledge.reason-run")
        )
    return new


def recorded(files: DraftFiles, session: str, *stamps: str) -> Edits:
    """Return the edits that name runs in a session; none if it has no front matter."""
    document = files[session] if session else None
    if document is None or document.front_matter is None:
        return {}
    known = document.front_matter.values.get(RUNS)
    before = list(map(str, known)) if isinstance(known, list) else []
    return {session: set_values(document, {RUNS: [*before, *(one for one in stamps if one not in before)]})}


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
