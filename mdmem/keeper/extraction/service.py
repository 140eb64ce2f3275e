"""The journey of extraction: which sessions wait, who extracts, and what became of it."""

from __future__ import annotations

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.model import Outcome
from mdmem.errors import MemoryOffError
from mdmem.keeper.extraction.job import ExtractionJob, read_extraction
from mdmem.keeper.service import BackendChoice, JobRunner
from mdmem.messages.catalog import say
from mdmem.sessions.read import find, latest_sessions


def extract_sessions(config: WorkspaceConfig, session: str | None, way: BackendChoice) -> tuple[Outcome, ...]:
    """Extract what waits of one session, or of all; see `Workspace.keeper.extract`."""
    lang = config.lang
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(lang, "pen.off"), hint=say(lang, "pen.off.hint"))
    runner, whole = JobRunner(config, way), _is_whole(session, way)
    paths = [job.path for job in _waiting(config, session, whole=whole)]
    if way.given is not None:
        paths = paths[:1]
    if done := list(runner.told(runner.extractions(paths, whole=whole))):
        return tuple(done)
    path = find(config, session) if session else ""
    told = say(lang, "extract.nothing-here", path=path) if path else say(lang, "extract.nothing")
    return (Outcome("unchanged", told, "", path),)


def extraction_prompts(config: WorkspaceConfig, session: str | None) -> tuple[str, ...]:
    """Return the prompt of each session that waits; see `Workspace.keeper.extraction_prompts`."""
    whole = _is_whole(session, BackendChoice())
    return tuple(job.prompt() for job in _waiting(config, session, whole=whole))


def _is_whole(session: str | None, way: BackendChoice) -> bool:
    """Return whether the newest round of an open session is wanted too: where it is named, or asked for now."""
    return bool(session) or way.now


def _waiting(config: WorkspaceConfig, session: str | None, *, whole: bool) -> list[ExtractionJob]:
    paths = (find(config, session),) if session else tuple(reversed(latest_sessions(config)))
    most = config.settings.extract.rounds
    found = (read_extraction(config, path, whole=whole, most=most) for path in paths)
    return [job for job in found if job]
