"""Condense pending files: what waits, in its order, until nothing is left for this run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, groupby

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.kind_files import file_of, files_of
from mdmem.entries.model import Outcome
from mdmem.errors import MemoryOffError
from mdmem.extraction.job import read_extraction
from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.chosen_backend import AGENT, RULES
from mdmem.generation.model import PlanProblem
from mdmem.keeper.backlog.maintenance import archive_expired, drain_inbox, merge_days, move_retired
from mdmem.keeper.backlog.pending import PendingWork
from mdmem.keeper.backlog.status import load_workspace_files, pending_work
from mdmem.keeper.condensing.sections import COMPACT_TO
from mdmem.keeper.conversation.chat_window import KIND
from mdmem.keeper.conversation.pool import read_window
from mdmem.keeper.job import FileCompactionJob, KeeperJob, load_task
from mdmem.keeper.job_runner import EXTRACT, BackendChoice, JobRunner
from mdmem.messages.catalog import say

WINDOWS = (KIND, "window")  # targets that mean the chat windows of all open sessions
_MODEL_FREE = ("retire", "merge", "return", "expire")  # work that needs no backend
_ROUNDS = 50  # limit of rounds; each round moves at least one entry from the inbox


def compact(config: WorkspaceConfig, what: str | None, options: BackendChoice) -> tuple[Outcome, ...]:
    """Condense pending files; see `Workspace.compact`."""
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
    runner = CompactionRunner(config, options)
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


class CompactionRunner(JobRunner):
    """One run over the pending work of a workspace."""

    _pending: tuple[PendingWork, ...] | None = None  # what waits; None after a change

    def outcomes(self, run: Iterator[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes of a run; after each, what waits is read again."""
        for outcome in super().outcomes(run):
            self._pending = None
            yield outcome

    def condense_file(self, path: str) -> Outcome:
        """Condense one file."""
        return self.run_job(path, partial(job_of, self.config, path))

    def windows(self) -> Iterator[Outcome]:
        """Condense the pending chat windows; with `now`, those of all open sessions."""
        names = _open_sessions(self.config) if self.options.now else _paths(self._work(), "window")
        for name in names:
            yield from self._window(name)

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
        done = None if by_rule else self.run_job(path, read, work=EXTRACT)
        if done is None or (done.status == "refused" and self.model is not None):
            options = self.options._replace(backend=RULES, answer=None, now=True)
            done = JobRunner(self.config, options).run_job(path, read, work=EXTRACT)
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
        if self._pending is None:
            self._pending = pending_work(self.config, load_workspace_files(self.config))
        return self._pending

    def _work_of(self, path: str) -> list[PendingWork]:
        return [one for one in self._work() if path in ("", one.path)]


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
