"""The journey of extraction: which sessions wait, who extracts, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import ConflictError, MdmemError, MemoryOffError, UnreadableFileError
from mdmem.extraction.job import read_extraction
from mdmem.formats.session import to_extract
from mdmem.generation.chosen_backend import RULES
from mdmem.keeper.job_runner import BackendChoice, JobRunner
from mdmem.messages.catalog import say
from mdmem.sessions.confidences import says_now
from mdmem.sessions.read import find, head, is_over, latest_sessions, template


def extract_sessions(
    config: WorkspaceConfig, session: str | None, options: BackendChoice, *, meanwhile: bool = False
) -> tuple[Outcome, ...]:
    """Extract the pending rounds of one session, or of all; see `Workspace.keeper.extract`."""
    lang = config.lang
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(lang, "pen.off"), hint=say(lang, "pen.off.hint"))
    runner, whole = JobRunner(config, options), bool(session) or options.now
    paths = waiting_sessions(config, session)
    if options.answer is not None and not session:
        paths = [job.path for path in paths if (job := read_extraction(config, path, whole=whole))][:1]
    run = _meanwhile(config, paths, options) if meanwhile else runner.extractions(paths, whole=whole)
    if done := list(runner.outcomes(run)):
        return tuple(done)
    path = find(config, session) if session else ""
    message = say(lang, "extract.nothing-here", path=path) if path else say(lang, "extract.nothing")
    return (Outcome("unchanged", message, "", path),)


def _meanwhile(config: WorkspaceConfig, paths: Sequence[str], options: BackendChoice) -> Iterator[Outcome]:
    for path in paths:
        done = extract_meanwhile(config, path, dry_run=options.plan)
        if done and done.status != "unchanged":
            yield done


def extract_meanwhile(
    config: WorkspaceConfig, path: str, *, whole: bool = True, dry_run: bool = False
) -> Outcome | None:
    """Extract by rule the rounds of a session that stay marked as waiting.

    A model is still to extract them (K114), or the session goes on. `whole` is that of `read_extraction`. Return None
    if none wait, or if they changed meanwhile.
    """
    job = read_extraction(config, path, whole=whole)
    with suppress(ConflictError):
        return job.write(job.answer(), RULES, dry_run=dry_run, mark=False) if job else None
    return None


def extraction_prompts(config: WorkspaceConfig, session: str | None) -> tuple[str, ...]:
    """Return the prompt of each session that waits; see `Workspace.keeper.extraction_prompts`."""
    whole, most = bool(session), config.settings.extract.rounds
    found = (read_extraction(config, path, whole=whole, most=most) for path in waiting_sessions(config, session))
    return tuple(job.prompt() for job in found if job)


def waiting_sessions(config: WorkspaceConfig, session: str | None) -> list[str]:
    """Return the session that is named, or those of which some rounds were not extracted, the oldest first."""
    return [find(config, session)] if session else list(_waiting(config, latest_sessions(config)))


def extract_left_over(config: WorkspaceConfig, ended: str, options: BackendChoice) -> tuple[str, ...]:
    """Extract what waits of sessions that are over, besides the one that has just ended (K143).

    Of the newest sessions the oldest come first, at most `[session] end_pending`. Return their paths; one that is not
    ready, or fails, is left for the next run, and a failure of the model leaves the rest.
    """
    own, runner, taken = config.settings.session, JobRunner(config, options), list[str]()
    if not config.settings.memory.enabled:
        return ()
    for path in _waiting(config, latest_sessions(config, limit=own.open_among)):
        if len(taken) >= own.end_pending:
            break
        with suppress(MdmemError):
            if path == ended or not is_over(config, head(config, path)):
                continue
            last = [one.status for one in runner.extractions([path], whole=True)][-1:]
            if last == ["done"]:
                taken.append(path)
            elif last == ["refused"]:
                break
    return tuple(taken)


def _waiting(config: WorkspaceConfig, newest: Sequence[str]) -> Iterator[str]:
    """Yield the sessions of which some rounds were not extracted, the oldest first."""
    schema = template(config)

    def waits(path: str) -> bool:
        try:
            data = live_bytes(config, path)
        except UnreadableFileError:  # a link that leads out, a FIFO: told when its turn comes
            return True
        through, last = to_extract((data or b"").decode("utf-8", "replace"), schema, is_idle=True)
        return last > through

    return filter(waits, reversed(newest))


class SaidNow:
    """Extracts while turns are recorded what is written when it is said: what to remember, a correction, a rule.

    It reads the whole session each time, so it pauses after it, and takes a small share of the time at most.
    """

    def __init__(self, config: WorkspaceConfig) -> None:
        """Bind to a workspace; nothing waits."""
        self._config, self._path, self._next = config, "", 0.0

    def hear(self, path: str, text: str) -> None:
        """Take what the user said in the last turn of a session."""
        if says_now(self._config.settings, text):
            self._path = path
        if time.monotonic() >= self._next:
            self.catch_up()

    def catch_up(self) -> None:
        """Extract what was heard and waits; a failure leaves it to the end of the session."""
        path, self._path, begun = self._path, "", time.monotonic()
        if path:
            with suppress(MdmemError):
                extract_meanwhile(self._config, path)
            self._next = time.monotonic() + (time.monotonic() - begun) * self._config.settings.extract.pause
