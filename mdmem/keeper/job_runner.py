"""Condense pending files: ask the backend, prove its answer, write it with the archive, or leave the file unchanged.

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
from itertools import chain, groupby
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.kind_files import file_of, files_of
from mdmem.entries.model import Outcome
from mdmem.errors import ConflictError, MdmemError, MemoryOffError, ModelError, OutOfTimeError
from mdmem.extraction.job import read_extraction
from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.chosen_backend import AGENT, RULES, ChosenBackend, printable
from mdmem.generation.model import PlanProblem
from mdmem.keeper.backlog import queue
from mdmem.keeper.backlog.maintenance import archive_expired, drain_inbox, merge_days, move_retired
from mdmem.keeper.backlog.pending import PendingWork
from mdmem.keeper.backlog.status import load_workspace_files, pending_work
from mdmem.keeper.condensing.sections import COMPACT_TO
from mdmem.keeper.conversation.model import KIND
from mdmem.keeper.conversation.pool import read_window
from mdmem.keeper.job import FileCompactionJob, KeeperJob, load_task
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language, told
from mdmem.models import Backend, TimeLimit

WINDOWS = (KIND, "window")  # targets that mean the chat windows of all open sessions
_MODEL_FREE = ("retire", "merge", "return", "expire")  # work that needs no backend
EXTRACT = "extract"  # the kind of work
_ROUNDS = 50  # limit of rounds; each round moves at least one entry from the inbox


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


def compact(config: WorkspaceConfig, what: str | None, options: BackendChoice) -> tuple[Outcome, ...]:
    """Condense pending files; see `Workspace.compact`."""
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
    runner = JobRunner(config, options)
    files = _target_paths(config, what)
    path = files[0] if len(files) == 1 else ""
    if options.answer is not None:
        run = runner.apply(path)
    else:
        run = runner.windows() if what in WINDOWS else chain.from_iterable(map(runner.run, files or ("",)))
    if done := list(runner.outcomes(run)):
        return tuple(done)
    key, where = ("keeper.nothing-here", path) if path else ("keeper.nothing", "")
    hint = say(config.lang, f"{key}.hint") if not options.now else ""
    return (Outcome("unchanged", say(config.lang, key, path=path), hint, where),)


def compaction_prompts(config: WorkspaceConfig, what: str | None) -> tuple[str, ...]:
    """Return the prompt of each file that a model can condense; see `Workspace.keeper.prompts`."""
    paths = _target_paths(config, what) or _model_paths(config, what)
    jobs = [job_of(config, one) for one in paths]
    return tuple(job.prompt() for job in jobs if job)


class JobRunner:
    """One run over a workspace."""

    def __init__(self, config: WorkspaceConfig, options: BackendChoice) -> None:
        """Choose the backend.

        Raises:
            UsageError: the backend is unknown.
            ConfigError: the model is not set up.
        """
        self.config, self.options, self.lang = config, options, config.lang
        self._cached_work: tuple[PendingWork, ...] | None = None  # cached pending work; None after a change
        self._own_writes: dict[str, int] = {}  # by path, the modification time in ns of this run's own writes
        self.backend = options.chosen(config)
        self.name, self.model = self.backend.name, self.backend.model
        self._before = self.backend.spent  # before the file at hand

    def outcomes(self, run: Iterator[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes of a run; after the first one, an error becomes the last outcome, not an exception."""
        has_outcome = False
        try:
            for outcome in run:
                has_outcome, self._cached_work = True, None
                yield outcome
        except MdmemError as error:
            if not has_outcome:
                raise
            reason = told(error, self.lang, located=True)
            yield replace(self._postpone(say(self.lang, "keeper.rest"), reason, record=False), path="")

    def windows(self) -> Iterator[Outcome]:
        """Condense the pending chat windows; with `now`, those of all open sessions."""
        names = _open_sessions(self.config) if self.options.now else _paths(self._work(), "window")
        for name in names:
            yield from self._window(name)

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
            while (done := self.condense_file(path, read, work=EXTRACT)).status != "unchanged":
                yield done
                if done.status != "done" or self.options.answer is not None or most is None:
                    break

    def _window(self, path: str) -> Iterator[Outcome]:
        """Condense a chat window; extract its rounds first."""
        for done in self._extracted_first(path):
            yield done
            if done.status not in ("done", "planned"):
                return
        yield self.condense_file(path)

    def _extracted_first(self, path: str) -> Iterator[Outcome]:
        """Extract the rounds that are to be condensed, by rule if the model fails (K001, K114)."""
        job = read_window(self.config, path)
        if job is None:
            return
        read = partial(read_extraction, self.config, path, last=job.chat_window.last)
        if not read():
            return
        by_rule = self.options.answer is not None or self.name == AGENT
        done = None if by_rule else self.condense_file(path, read, work=EXTRACT)
        if done is None or (done.status == "refused" and self.model is not None):
            options = self.options._replace(backend=RULES, answer=None, now=True)
            done = JobRunner(self.config, options).condense_file(path, read, work=EXTRACT)
        yield self._record_writes(done)

    def run(self, path: str) -> Iterator[Outcome]:
        """Do the pending work in its order; with a path, only that of one file, with `now` also below its threshold."""
        yield from self.extractions(_paths(self._work_of(path), EXTRACT), whole=True)
        for name in _paths(self._work_of(path), "window"):
            yield from self._window(name)
        yield from (
            move_retired(self.config, name, dry_run=self.options.plan) for name in _paths(self._work_of(path), "retire")
        )
        yield from (
            merge_days(self.config, name, dry_run=self.options.plan) for name in _paths(self._work_of(path), "merge")
        )
        for _ in range(_ROUNDS):
            waits = [one for one in self._work() if path in ("", one.path)]
            yield from (self.condense_file(name) for name in _paths(waits, "compact"))
            if self.options.plan:
                yield from map(self._further_rounds, filter(_overflows, waits))
            names = _paths(self._work_of(path), "return")
            moved = [self._record_writes(drain_inbox(self.config, name, dry_run=self.options.plan)) for name in names]
            yield from moved
            if (
                self.options.plan
                or not any(one.transaction for one in moved)
                or not _paths(self._work_of(path), "compact")
            ):
                break
        for name in _paths(self._work_of(path), "expire"):
            yield self._record_writes(archive_expired(self.config, name, dry_run=self.options.plan))
        waits = self._work_of(path)
        names = list(dict.fromkeys((*_paths(waits, "tidy"), *_paths(waits, "roll"))))
        if path and self.options.now and not names and path not in _paths(waits, "compact"):
            names = [path]
        yield from (self.condense_file(name) for name in names)

    def _further_rounds(self, work: PendingWork) -> Outcome:
        """Return a planned outcome with the number of further rounds that drain the inbox into a full section."""
        waiting, most = int(str(work.reason["waiting"])), int(str(work.reason["max"]))
        left = int(load_workspace_files(self.config).templates[work.path].numbers.get(COMPACT_TO, 1))
        rounds = -(-waiting // max(1, most - 1 - left))
        facts = {"path": work.path, "section": work.section, "waiting": waiting, "rounds": rounds}
        return Outcome("planned", say(self.lang, "keeper.rounds", **facts), "", work.path)

    def apply(self, path: str) -> Iterator[Outcome]:
        """Write an agent's answer, file by file."""
        found = parse_answer(self.options.answer or "", self.config.settings.keeper.max_answer_chars)
        waits = list(dict.fromkeys(one.path for one in _model_work(self.config)))
        if isinstance(found, PlanProblem):
            where = [path] if path else waits[:1]
            yield self._refuse(where[0] if where else say(self.lang, "keeper.answer"), found, record=bool(where))
            return
        only = path or (waits[0] if len(waits) == 1 else "")
        named = sorted(found, key=lambda one: self._path_of(one.path, only))
        for name, group in groupby(named, key=lambda one: self._path_of(one.path, only)):
            job = job_of(self.config, name) if name in load_workspace_files(self.config).documents else None
            if job is None or (path and name != path):
                yield self._refuse(
                    path or say(self.lang, "keeper.answer"),
                    PlanProblem("wrong-path", {"path": name}),
                    record=bool(path),
                )
                continue
            if AccessPolicy(self.config, KEEPER).kind(name) == KIND:
                yield from self._extracted_first(name)
            yield self._write(job, [one._replace(path=name) for one in group]) or self._refuse(
                name, PlanProblem("moved-on")
            )

    def _path_of(self, named: str, only: str) -> str:
        found = files_of(self.config, named) if named else ()
        return found[0] if len(found) == 1 else named or only

    def _work(self) -> tuple[PendingWork, ...]:
        if self._cached_work is None:
            self._cached_work = pending_work(self.config, load_workspace_files(self.config))
        return self._cached_work

    def _work_of(self, path: str) -> list[PendingWork]:
        return [one for one in self._work() if path in ("", one.path)]

    def condense_file(
        self, path: str, read: Callable[[], KeeperJob | None] | None = None, *, work: str = ""
    ) -> Outcome:
        """Condense or extract one file: read, ask, prove, write; `read` returns its job as it is now."""
        self._before = self.backend.spent
        read = read or (lambda: job_of(self.config, path))
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


def job_of(config: WorkspaceConfig, path: str) -> KeeperJob | None:
    """Read a file as a job; return None if there is nothing to condense."""
    if AccessPolicy(config, KEEPER).kind(path) == KIND:
        return read_window(config, path)
    read = load_task(config, path)
    return FileCompactionJob(config, read) if read else None


def _target_paths(config: WorkspaceConfig, what: str | None) -> tuple[str, ...]:
    """Return the files that a path or kind names; empty for all pending files and for all chat windows."""
    if not what or what in WINDOWS:
        return ()
    if not (found := files_of(config, what)):
        file_of(config, what)  # raises: the kind has no file
    access = AccessPolicy(config, KEEPER)
    paths = tuple(map(access.reach, found))
    for path in paths:
        if not os.path.lexists(os.path.join(config.root, path)):
            access.missing(path)
    return paths


def _model_paths(config: WorkspaceConfig, what: str | None) -> list[str]:
    waits = _model_work(config)
    return list(dict.fromkeys(one.path for one in waits if what is None or one.kind == "window"))


def _open_sessions(config: WorkspaceConfig) -> list[str]:
    """Return the open sessions with rounds that can be condensed."""
    templates = load_workspace_files(config).templates
    return [path for path, template in templates.items() if template.kind == KIND and read_window(config, path)]


def _model_work(config: WorkspaceConfig) -> list[PendingWork]:
    return [
        one for one in pending_work(config, load_workspace_files(config)) if one.kind not in (*_MODEL_FREE, EXTRACT)
    ]


def _paths(waits: Sequence[PendingWork], kind: str) -> list[str]:
    return list(dict.fromkeys(one.path for one in waits if one.kind == kind))


def _overflows(work: PendingWork) -> bool:
    """Return whether inbox entries wait for a full section."""
    return work.kind == "compact" and bool(work.reason["waiting"])


def _written(config: WorkspaceConfig, path: str) -> int:
    """Return the modification time of a file in ns; 0 if there is none."""
    try:
        return os.stat(os.path.join(config.root, path)).st_mtime_ns
    except OSError:
        return 0


def _now() -> dt.datetime:
    return dt.datetime.now().astimezone()
