"""Condense pending files: ask the backend, prove its answer, write it with the archive, or leave the file unchanged.

The backend is asked without any lock. Its answer is proved against the file as it was read. The pen merges what was
written meanwhile; on a conflict the file is read and condensed again (DESIGN sections 7 and 8).
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.kind_files import file_of, files_of
from mdmem.entries.model import Outcome
from mdmem.errors import ConflictError, MdmemError, MemoryOffError, ModelError, TargetError, UsageError
from mdmem.keeper import protocol, queue
from mdmem.keeper.condensing.sections import COMPACT_TO
from mdmem.keeper.conversation.model import KIND
from mdmem.keeper.conversation.pool import read_window
from mdmem.keeper.job import MODELS, CompactionJob, FileCompactionJob, load_task, model
from mdmem.keeper.maintenance import archive_expired, drain_inbox, merge_days, move_retired
from mdmem.keeper.model import Operation, PlanProblem
from mdmem.keeper.pending import PendingWork
from mdmem.keeper.status import load_workspace_files, pending_work
from mdmem.linter.detect.secrets import mask
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.models import Backend

RULES, AGENT = "rules", "agent"
WINDOWS = (KIND, "window")  # targets that mean the chat windows of all open sessions
_BY_HAND = ("retire", "merge", "return", "expire")  # work that needs no backend
_ROUNDS = 50  # limit of rounds; each round moves at least one entry from the inbox


class BackendChoice(NamedTuple):
    """The options of one run."""

    plan: bool = False  # show what would change; write nothing
    now: bool = False  # also below the threshold, and without waiting after a refusal
    backend: str | Backend | None = None  # None for the one in the settings
    given: str | None = None  # an agent's answer; no backend is asked
    quiet: float = 0  # seconds; skip files that somebody else changed more recently


def compact(config: WorkspaceConfig, what: str | None, way: BackendChoice) -> tuple[Outcome, ...]:
    """Condense pending files; see `Workspace.compact`."""
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
    keeper = JobRunner(config, way)
    files = _named(config, what)
    path = files[0] if len(files) == 1 else ""
    if way.given is not None:
        run = keeper.apply(path)
    else:
        run = keeper.windows() if what in WINDOWS else chain.from_iterable(map(keeper.run, files or ("",)))
    if done := list(keeper.told(run)):
        return tuple(done)
    key, where = ("keeper.nothing-here", path) if path else ("keeper.nothing", "")
    hint = say(config.lang, f"{key}.hint") if not way.now else ""
    return (Outcome("unchanged", say(config.lang, key, path=path), hint, where),)


def compaction_prompts(config: WorkspaceConfig, what: str | None) -> tuple[str, ...]:
    """Return the prompt of each file that a model can condense; see `Workspace.keeper.prompts`."""
    paths = _named(config, what) or _asked(config, what)
    jobs = [job_of(config, one) for one in paths]
    return tuple(job.prompt() for job in jobs if job)


class JobRunner:
    """One run over a workspace."""

    def __init__(self, config: WorkspaceConfig, way: BackendChoice) -> None:
        """Choose the backend.

        Raises:
            UsageError: the backend is unknown.
            ConfigError: the model is not set up.
        """
        self.config, self.way, self.lang = config, way, config.lang
        self._seen: tuple[PendingWork, ...] | None = None  # cached pending work; None after a change
        self._own: dict[str, int] = {}  # by path, the modification time in ns of this run's own writes
        chosen = way.backend if way.backend is not None else config.settings.keeper.backend
        self.name = chosen if isinstance(chosen, str) else "command"
        self.model: Backend | None = None if isinstance(chosen, str) else chosen
        if self.name in MODELS and self.model is None and way.given is None:
            self.model = model(config, self.name)
        elif self.name not in (RULES, AGENT, *MODELS):
            names = ", ".join((RULES, *MODELS, AGENT))
            raise UsageError(
                "no backend is called `{name}`", hint="backends: {names}", facts={"name": self.name, "names": names}
            )

    def told(self, run: Iterator[Outcome]) -> Iterator[Outcome]:
        """Yield the outcomes of a run; after the first one, an error becomes the last outcome, not an exception."""
        begun = False
        try:
            for one in run:
                begun, self._seen = True, None
                yield one
        except MdmemError as error:
            if not begun:
                raise
            yield self._put_off(say(self.lang, "keeper.rest"), f"{error} {error.hint}".strip(), known=False)._replace(
                path=""
            )

    def windows(self) -> Iterator[Outcome]:
        """Condense the pending chat windows; with `now`, those of all open sessions."""
        names = _open(self.config) if self.way.now else _paths(self._waiting(), "window")
        yield from (self.one(name) for name in names)

    def run(self, path: str) -> Iterator[Outcome]:
        """Do the pending work in its order; with a path, only that of one file, with `now` also below its threshold."""
        yield from (self.one(name) for name in _paths(self._of(path), "window"))
        yield from (move_retired(self.config, name, dry_run=self.way.plan) for name in _paths(self._of(path), "retire"))
        yield from (merge_days(self.config, name, dry_run=self.way.plan) for name in _paths(self._of(path), "merge"))
        for _ in range(_ROUNDS):
            waits = [one for one in self._waiting() if path in ("", one.path)]
            yield from (self.one(name) for name in _paths(waits, "compact"))
            if self.way.plan:
                yield from map(self._later, filter(_overflows, waits))
            names = _paths(self._of(path), "return")
            home = [self._note(drain_inbox(self.config, name, dry_run=self.way.plan)) for name in names]
            yield from home
            if self.way.plan or not any(one.transaction for one in home) or not _paths(self._of(path), "compact"):
                break
        for name in _paths(self._of(path), "expire"):
            yield self._note(archive_expired(self.config, name, dry_run=self.way.plan))
        waits = self._of(path)
        names = list(dict.fromkeys((*_paths(waits, "tidy"), *_paths(waits, "roll"))))
        if path and self.way.now and not names and path not in _paths(waits, "compact"):
            names = [path]
        yield from (self.one(name) for name in names)

    def _later(self, one: PendingWork) -> Outcome:
        """Return a planned outcome with the number of further rounds that drain the inbox into a full section."""
        waiting, most = int(str(one.reason["waiting"])), int(str(one.reason["max"]))
        left = int(load_workspace_files(self.config).templates[one.path].numbers.get(COMPACT_TO, 1))
        rounds = -(-waiting // max(1, most - 1 - left))
        facts = {"path": one.path, "section": one.section, "waiting": waiting, "rounds": rounds}
        return Outcome("planned", say(self.lang, "keeper.rounds", **facts), "", one.path)

    def apply(self, path: str) -> Iterator[Outcome]:
        """Write an agent's answer, file by file."""
        found = protocol.parse_answer(self.way.given or "", self.config.settings.keeper.max_answer_chars)
        waits = list(dict.fromkeys(one.path for one in _by_model(self.config)))
        if isinstance(found, PlanProblem):
            where = [path] if path else waits[:1]
            yield self._refuse(where[0] if where else say(self.lang, "keeper.answer"), found, known=bool(where))
            return
        only = path or (waits[0] if len(waits) == 1 else "")
        named = sorted(found, key=lambda one: self._file(one.path, only))
        for name, group in groupby(named, key=lambda one: self._file(one.path, only)):
            job = job_of(self.config, name) if name in load_workspace_files(self.config).documents else None
            if job is None or (path and name != path):
                yield self._refuse(
                    path or say(self.lang, "keeper.answer"), PlanProblem("wrong-path", {"path": name}), known=bool(path)
                )
                continue
            yield self._write(job, [one._replace(path=name) for one in group]) or self._refuse(
                name, PlanProblem("moved-on")
            )

    def _file(self, named: str, only: str) -> str:
        found = files_of(self.config, named) if named else ()
        return found[0] if len(found) == 1 else named or only

    def _waiting(self) -> tuple[PendingWork, ...]:
        if self._seen is None:
            self._seen = pending_work(self.config, load_workspace_files(self.config))
        return self._seen

    def _of(self, path: str) -> list[PendingWork]:
        return [one for one in self._waiting() if path in ("", one.path)]

    def one(self, path: str, read: Callable[[], CompactionJob | None] | None = None) -> Outcome:
        """Condense one file: read, ask, prove, write; `read` returns its job as it is now."""
        read = read or (lambda: job_of(self.config, path))
        tried = queue.queue(self.config).get(path)
        if tried and tried.waits(_now()) and not self.way.now:
            facts = {"path": path, "until": tried.time, "reason": tried.reason}
            return Outcome(
                "waiting", say(self.lang, "keeper.later", **facts), say(self.lang, "keeper.later.hint"), path
            )
        if self._is_fresh(path):
            return Outcome(
                "waiting", say(self.lang, "keeper.fresh", path=path), say(self.lang, "keeper.fresh.hint"), path
            )
        if self.name == AGENT and self.way.given is None:
            hint = say(self.lang, "keeper.wants-agent.hint")
            return Outcome("waiting", say(self.lang, "keeper.wants-agent", path=path), hint, path)
        try:
            for _ in range(self.config.settings.keeper.tries):
                job = read()
                if job is None:
                    return Outcome("unchanged", say(self.lang, "keeper.nothing-here", path=path), "", path)
                found = self._ask(job)
                if isinstance(found, PlanProblem):
                    return self._refuse(path, found)
                if not found and self.model is None:
                    return self._nothing(path)
                if done := self._write(job, found):
                    return done
        except MdmemError as error:
            return self._failed(path, error)
        return self._refuse(path, PlanProblem("moved-on"))

    def _is_fresh(self, path: str) -> bool:
        """Return whether somebody else changed a file within the quiet time."""
        written = _written(self.config, path)
        return written != self._own.get(path) and time.time() - written / 1e9 < self.way.quiet

    def _note(self, outcome: Outcome) -> Outcome:
        """Record when this run wrote the files of a change."""
        for one in outcome.transaction.files if outcome.transaction else ():
            self._own[one.path] = _written(self.config, one.path)
        return outcome

    def _ask(self, job: CompactionJob) -> Sequence[Operation] | PlanProblem:
        if self.way.given is not None:
            return protocol.parse_answer(self.way.given, self.config.settings.keeper.max_answer_chars)
        if self.model is None:
            return job.answer()
        said = self.model(job.prompt())
        return protocol.parse_answer(said, self.config.settings.keeper.max_answer_chars)

    def _write(self, job: CompactionJob, operations: Sequence[Operation]) -> Outcome | None:
        """Prove an answer and write it; return None if the file changed and the backend must be asked again."""
        for problem in job.problems(operations):
            return self._refuse(job.path, problem)
        if self._is_fresh(job.path):  # changed while the backend answered
            return Outcome(
                "waiting", say(self.lang, "keeper.fresh", path=job.path), say(self.lang, "keeper.fresh.hint"), job.path
            )
        try:
            done = job.write(operations, self.name, dry_run=self.way.plan)
        except ConflictError:
            return None
        except MdmemError as error:
            return self._failed(job.path, error)
        if done is None:
            return self._nothing(job.path)
        if not self.way.plan:
            queue.clear_attempts(self.config, job.path)
        return self._note(done)

    def _nothing(self, path: str) -> Outcome:
        if not self.way.plan:
            queue.clear_attempts(self.config, path)
        return Outcome(
            "unchanged",
            say(self.lang, "keeper.nothing-left", path=path),
            say(self.lang, "keeper.nothing-left.hint"),
            path,
        )

    def _refuse(self, path: str, problem: PlanProblem, *, known: bool = True) -> Outcome:
        return self._put_off(path, say(self.lang, f"keeper.{problem.kind}", **problem.facts), known=known)

    def _failed(self, path: str, error: MdmemError) -> Outcome:
        least = error.retry_after if isinstance(error, ModelError) else 0
        said = in_language(error, self.lang)
        return self._put_off(path, f"{said.message} {said.hint}".strip(), least=least)

    def _put_off(self, path: str, reason: str, *, known: bool = True, least: float = 0) -> Outcome:
        """Return a refusal, and record its reason and the time of the next attempt."""
        said = "".join(char for char in mask(reason) if char.isprintable())
        hint = ""
        if known and not self.way.plan:
            seconds = queue.record_failure(self.config, path, said, _now(), least=least)
            hint = say(self.lang, "keeper.refused.hint", seconds=seconds)
        return Outcome("refused", say(self.lang, "keeper.refused", path=path, reason=said), hint, path)


def job_of(config: WorkspaceConfig, path: str) -> CompactionJob | None:
    """Read a file as a job; return None if there is nothing to condense."""
    if AccessPolicy(config, KEEPER).kind(path) == KIND:
        return read_window(config, path)
    read = load_task(config, path)
    return FileCompactionJob(config, read) if read else None


def _named(config: WorkspaceConfig, what: str | None) -> tuple[str, ...]:
    """Return the files that a path or kind names; empty for all pending files and for all chat windows."""
    if not what or what in WINDOWS:
        return ()
    if not (found := files_of(config, what)):
        file_of(config, what)  # raises: the kind has no file
    access = AccessPolicy(config, KEEPER)
    paths = tuple(map(access.reach, found))
    for path in paths:
        if not os.path.lexists(os.path.join(config.root, path)):
            access.stop(TargetError, "pen.missing", path)
    return paths


def _asked(config: WorkspaceConfig, what: str | None) -> list[str]:
    waits = _by_model(config)
    return list(dict.fromkeys(one.path for one in waits if what is None or one.kind == "window"))


def _open(config: WorkspaceConfig) -> list[str]:
    """Return the open sessions with rounds that can be condensed."""
    templates = load_workspace_files(config).templates
    return [path for path, template in templates.items() if template.kind == KIND and read_window(config, path)]


def _by_model(config: WorkspaceConfig) -> list[PendingWork]:
    return [one for one in pending_work(config, load_workspace_files(config)) if one.kind not in _BY_HAND]


def _paths(waits: Sequence[PendingWork], kind: str) -> list[str]:
    return list(dict.fromkeys(one.path for one in waits if one.kind == kind))


def _overflows(one: PendingWork) -> bool:
    """Return whether inbox entries wait for a full section."""
    return one.kind == "compact" and bool(one.reason["waiting"])


def _written(config: WorkspaceConfig, path: str) -> int:
    """Return the modification time of a file in ns; 0 if there is none."""
    try:
        return os.stat(os.path.join(config.root, path)).st_mtime_ns
    except OSError:
        return 0


def _now() -> dt.datetime:
    return dt.datetime.now().astimezone()
