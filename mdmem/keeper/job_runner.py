"""Run the job of one file: ask the backend, prove its answer, write it with the archive, or leave the file unchanged.

The backend is asked without any lock. Its answer is proved against the file as it was read. The pen merges what was
written meanwhile; on a conflict the file is read and condensed again (DESIGN sections 7 and 8).
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.model import Outcome
from mdmem.errors import ConflictError, MdmemError, ModelError, OutOfTimeError
from mdmem.extraction.job import read_extraction
from mdmem.generation.chosen_backend import AGENT, RULES, ChosenBackend, printable
from mdmem.generation.model import PlanProblem
from mdmem.keeper.backlog import queue
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language, told
from mdmem.models import Backend, TimeLimit

if TYPE_CHECKING:
    from mdmem.keeper.job import KeeperJob

EXTRACT = "extract"  # the kind of work


class BackendChoice(NamedTuple):
    """The options of one run."""

    plan: bool = False  # show what would change; write nothing
    now: bool = False  # also below the threshold, and without waiting after a refusal
    backend: str | Backend | ChosenBackend | None = None  # None for the one in the settings
    answer: str | None = None  # an agent's answer; no backend is asked
    quiet: float = 0  # seconds; skip files that somebody else changed more recently
    limit: TimeLimit | None = None  # the time that the model shares with other questions

    def chosen(self, config: WorkspaceConfig) -> ChosenBackend:
        """Return the backend. Raises UsageError: it is unknown."""
        if isinstance(self.backend, ChosenBackend):
            return self.backend
        return ChosenBackend(config, self.backend, self.answer, self.limit)


class JobRunner:
    """One run over a workspace."""

    def __init__(self, config: WorkspaceConfig, options: BackendChoice) -> None:
        """Choose the backend.

        Raises:
            UsageError: the backend is unknown.
            ConfigError: the model is not set up.
        """
        self.config, self.options, self.lang = config, options, config.lang
        self._own_writes: dict[str, int] = {}  # by path, the modification time in ns of this run's own writes
        self.backend = options.chosen(config)
        self.name, self.model = self.backend.name, self.backend.model
        self._before = self.backend.spent  # before the file at hand

    def outcomes(self, run: Iterator[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes of a run; after the first one, an error becomes the last outcome, not an exception."""
        has_outcome = False
        try:
            for outcome in run:
                has_outcome = True
                yield outcome
        except MdmemError as error:
            if not has_outcome:
                raise
            reason = told(error, self.lang, located=True)
            yield replace(self._postpone(say(self.lang, "keeper.rest"), reason, record=False), path="")

    def extractions(self, paths: Sequence[str], *, whole: bool) -> Iterator[Outcome]:
        """Extract the pending rounds of sessions; a model is shown some of them at a time.

        Args:
            paths: the sessions.
            whole: also the newest round of an open session if it has no answer yet.
        """
        by_rule = self.name == RULES and self.options.answer is None
        most = None if by_rule else self.config.settings.extract.rounds
        for path in paths:
            read = partial(read_extraction, self.config, path, whole=whole, most=most)
            while (done := self.run_job(path, read, work=EXTRACT)).status != "unchanged":
                yield done
                if done.status != "done" or self.options.answer is not None or most is None:
                    break

    def run_job(self, path: str, read: Callable[[], KeeperJob | None], *, work: str = "") -> Outcome:
        """Condense or extract one file: read, ask, prove, write; `read` returns its job as it is now."""
        self._before = self.backend.spent
        tried = queue.queue(self.config).get(queue.queue_key(path, work))
        if tried and tried.waits(_now()) and not self.options.now:
            return self._too_early(path, tried)
        if self._is_fresh(path):
            return Outcome(
                "waiting", say(self.lang, "keeper.fresh", path=path), say(self.lang, "keeper.fresh.hint"), path
            )
        if self.name == AGENT and self.options.answer is None:
            hint = say(self.lang, "keeper.wants-agent.hint")
            return Outcome("waiting", say(self.lang, "keeper.wants-agent", path=path), hint, path)
        try:
            for _ in range(self.config.settings.keeper.tries):
                job = read()
                if job is None:
                    return Outcome("unchanged", say(self.lang, "keeper.nothing-here", path=path), "", path)
                found = self._ask(job)
                if isinstance(found, PlanProblem):
                    return self._refuse(path, found, work=work)
                if not found and self.model is None and not job.may_be_empty:
                    return self._unchanged(path)
                if done := self._write(job, found):
                    return done
        except MdmemError as error:
            return self._failed(path, error, work)
        return self._refuse(path, PlanProblem("moved-on"), work=work)

    def _too_early(self, path: str, tried: queue.QueueAttempt) -> Outcome:
        hint = say(self.lang, "keeper.later.hint")
        if tried.state == queue.FAILED:
            told = say(self.lang, "extract.given-up", path=path, reason=tried.reason, count=tried.attempts)
        elif tried.state == queue.ASKING:
            told = say(self.lang, "extract.asking", path=path, until=tried.time)
        else:
            told = say(self.lang, "keeper.later", path=path, until=tried.time, reason=tried.reason)
        return Outcome("waiting", told, hint, path)

    def _is_fresh(self, path: str) -> bool:
        """Return whether somebody else changed a file within the quiet time."""
        written = _written(self.config, path)
        return written != self._own_writes.get(path) and time.time() - written / 1e9 < self.options.quiet

    def _record_writes(self, outcome: Outcome) -> Outcome:
        """Record when this run wrote the files of a change."""
        for one in outcome.transaction.files if outcome.transaction else ():
            self._own_writes[one.path] = _written(self.config, one.path)
        return outcome

    def _ask(self, job: KeeperJob) -> Sequence[Any] | PlanProblem:
        if self.model and self.options.answer is None and job.work and not self.options.plan:
            seconds = self.config.settings.extract.lease_seconds
            queue.take_lease(self.config, queue.queue_key(job.path, job.work), _now(), seconds)
        found = self.backend.ask(job.prompt, job.parse)
        return job.answer() if found is None else found

    def _with_usage(self, text: str, joint: str) -> str:
        """Return a text with what was asked of the model behind it, if it was asked."""
        spent = self.backend.spent.since(self._before)
        used = say(self.lang, "keeper.usage", **spent._asdict())
        return f"{text}{say(self.lang, joint)}{used}" if spent.calls else text

    def _write(self, job: KeeperJob, operations: Sequence[Any]) -> Outcome | None:
        """Prove an answer and write it; return None if the file changed and the backend must be asked again."""
        for problem in job.problems(operations):
            return self._refuse(job.path, problem, work=job.work)
        if self._is_fresh(job.path):  # changed while the backend answered
            return Outcome(
                "waiting", say(self.lang, "keeper.fresh", path=job.path), say(self.lang, "keeper.fresh.hint"), job.path
            )
        try:
            backend = self._with_usage(self.name, "punctuation.comma")
            done = job.write(operations, backend, dry_run=self.options.plan)
        except ConflictError:
            return None
        except MdmemError as error:
            return self._failed(job.path, error, job.work)
        if done is None:
            return self._unchanged(job.path)
        if not self.options.plan:
            queue.clear_attempts(self.config, job.path, job.work)
        return self._record_writes(replace(done, message=self._with_usage(done.message, "punctuation.clause")))

    def _unchanged(self, path: str) -> Outcome:
        if not self.options.plan:
            queue.clear_attempts(self.config, path)
        return Outcome(
            "unchanged",
            say(self.lang, "keeper.nothing-left", path=path),
            say(self.lang, "keeper.nothing-left.hint"),
            path,
        )

    def _refuse(self, path: str, problem: PlanProblem, *, record: bool = True, work: str = "") -> Outcome:
        return self._postpone(path, problem.told(self.lang), record=record, work=work)

    def _failed(self, path: str, error: MdmemError, work: str) -> Outcome:
        if isinstance(error, OutOfTimeError):
            return self._out_of_time(path, error, work)
        least = error.retry_after if isinstance(error, ModelError) else 0
        return self._postpone(path, told(error, self.lang), least=least, work=work)

    def _out_of_time(self, path: str, error: MdmemError, work: str) -> Outcome:
        """Return that something waits for the next run; the model did not fail, so nothing else delays it."""
        queue.end_lease(self.config, queue.queue_key(path, work))
        reason = self._with_usage(in_language(error, self.lang).message, "punctuation.clause")
        return Outcome("waiting", say(self.lang, "keeper.refused", path=path, reason=reason), error.hint, path)

    def _postpone(self, path: str, reason: str, *, record: bool = True, least: float = 0, work: str = "") -> Outcome:
        """Return a refusal, and record its reason and the time of the next attempt."""
        text = self._with_usage(printable(reason), "punctuation.clause")
        hint = ""
        if record and not self.options.plan:
            tries = self.config.settings.extract.tries if work else 0
            seconds = queue.record_failure(self.config, path, text, _now(), least=least, work=work, tries=tries)
            hint = say(self.lang, "keeper.refused.hint", seconds=seconds)
        return Outcome("refused", say(self.lang, "keeper.refused", path=path, reason=text), hint, path)


def _written(config: WorkspaceConfig, path: str) -> int:
    """Return the modification time of a file in ns; 0 if there is none."""
    try:
        return os.stat(os.path.join(config.root, path)).st_mtime_ns
    except OSError:
        return 0


def _now() -> dt.datetime:
    return dt.datetime.now().astimezone()
