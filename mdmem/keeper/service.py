"""The journey of keeping a memory small: what waits is condensed, proved, and written with its archive, or left alone.

The model is asked without any lock. What it answers is proved against the file as it was read; the pen merges what
was written meanwhile, and where that collides the plan is made anew (DESIGN sections 7 and 8).
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.kind_files import file_of, files_of
from mdmem.entries.model import Outcome
from mdmem.errors import ConflictError, MdmemError, MemoryOffError, ModelError, TargetError, UsageError
from mdmem.keeper import protocol, queue
from mdmem.keeper.condensing.sections import COMPACT_TO
from mdmem.keeper.conversation.model import KIND
from mdmem.keeper.conversation.pool import read_window
from mdmem.keeper.extraction.job import read_extraction
from mdmem.keeper.job import MODELS, FileCompactionJob, KeeperJob, load_task, model
from mdmem.keeper.maintenance import archive_expired, drain_inbox, merge_days, move_retired
from mdmem.keeper.model import PlanProblem
from mdmem.keeper.pending import PendingWork
from mdmem.keeper.status import load_workspace_files, pending_work
from mdmem.linter.detect.secrets import mask
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.models import Backend

RULES, AGENT = "rules", "agent"
WINDOWS = (KIND, "window")  # names for the chat windows of all open sessions
_BY_HAND = ("retire", "merge", "return", "expire")  # no model is needed for these
EXTRACT = "extract"
_ROUNDS = 50  # each brings home at least one entry; nobody's inbox is that full


class BackendChoice(NamedTuple):
    """How one run is meant."""

    plan: bool = False  # show what would change; write nothing
    now: bool = False  # also what is not at its threshold yet, and without waiting after a refusal
    backend: str | Backend | None = None  # None: as the settings say
    given: str | None = None  # an agent's answer, instead of asking anybody
    quiet: float = 0  # leave alone what somebody else changed within so many seconds


def compact(config: WorkspaceConfig, what: str | None, way: BackendChoice) -> tuple[Outcome, ...]:
    """Condense what waits; see `Workspace.compact`."""
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
    """Return the prompt of each file that a model would be asked about; see `Workspace.keeper.prompts`."""
    paths = _named(config, what) or _asked(config, what)
    jobs = [job_of(config, one) for one in paths]
    return tuple(job.prompt() for job in jobs if job)


class JobRunner:
    """One run over a workspace."""

    def __init__(self, config: WorkspaceConfig, way: BackendChoice) -> None:
        """Choose who condenses.

        Raises:
            UsageError: nobody is called so.
            ConfigError: the model is not set up.
        """
        self.config, self.way, self.lang = config, way, config.lang
        self._seen: tuple[PendingWork, ...] | None = None  # what waited, until something was done
        self._own: dict[str, int] = {}  # when this run itself wrote a file, in nanoseconds of the file's own clock
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
        """Return what was done also where something stops the rest; the error itself only where nothing was."""
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
        """Condense the chat windows that wait; with `now`, of every open session the rounds that may be condensed."""
        names = _open(self.config) if self.way.now else _paths(self._waiting(), "window")
        for name in names:
            yield from self._window(name)

    def extractions(self, paths: Sequence[str], *, whole: bool) -> Iterator[Outcome]:
        """Extract the rounds of sessions that wait; a model is shown some of them at a time.

        Args:
            paths: the sessions.
            whole: also the newest round of an open one that nobody has answered yet.
        """
        by_rule = self.name == RULES and self.way.given is None
        most = None if by_rule else self.config.settings.extract.rounds
        for path in paths:
            read = partial(read_extraction, self.config, path, whole=whole, most=most)
            while (done := self.one(path, read, work=EXTRACT)).status != "unchanged":
                yield done
                if done.status != "done" or self.way.given is not None or most is None:
                    break

    def _window(self, path: str) -> Iterator[Outcome]:
        """Condense a chat window; what it condenses is extracted first."""
        for done in self._extracted_first(path):
            yield done
            if done.status not in ("done", "planned"):
                return
        yield self.one(path)

    def _extracted_first(self, path: str) -> Iterator[Outcome]:
        """Extract the rounds that a chat window is to be condensed of, by rule where the model fails (K001, K114)."""
        job = read_window(self.config, path)
        if job is None:
            return
        read = partial(read_extraction, self.config, path, last=job.seen.last)
        if not read():
            return
        by_rule = self.way.given is not None or self.name == AGENT
        done = None if by_rule else self.one(path, read, work=EXTRACT)
        if done is None or (done.status == "refused" and self.model is not None):
            way = self.way._replace(backend=RULES, given=None, now=True)
            done = JobRunner(self.config, way).one(path, read, work=EXTRACT)
        yield self._note(done)

    def run(self, path: str) -> Iterator[Outcome]:
        """Do what waits in its order; with a path, what waits in that file, or all that it can be asked to do now."""
        yield from self.extractions(_paths(self._of(path), EXTRACT), whole=True)
        for name in _paths(self._of(path), "window"):
            yield from self._window(name)
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
        """Say how a section goes on after the round that a plan shows: the inbox comes home, and fills it again."""
        waiting, most = int(str(one.reason["waiting"])), int(str(one.reason["max"]))
        left = int(load_workspace_files(self.config).templates[one.path].numbers.get(COMPACT_TO, 1))
        rounds = -(-waiting // max(1, most - 1 - left))
        facts = {"path": one.path, "section": one.section, "waiting": waiting, "rounds": rounds}
        return Outcome("planned", say(self.lang, "keeper.rounds", **facts), "", one.path)

    def apply(self, path: str) -> Iterator[Outcome]:
        """Write what an agent answered, each file by itself."""
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
            if AccessPolicy(self.config, KEEPER).kind(name) == KIND:
                yield from self._extracted_first(name)
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

    def one(self, path: str, read: Callable[[], KeeperJob | None] | None = None, *, work: str = "") -> Outcome:
        """Have one thing condensed or extracted, from the question to the write; `read` gives it as it is now."""
        read = read or (lambda: job_of(self.config, path))
        tried = queue.queue(self.config).get(queue.queue_key(path, work))
        if tried and tried.waits(_now()) and not self.way.now:
            return self._too_early(path, tried)
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
                    return self._refuse(path, found, work=work)
                if not found and self.model is None and not job.may_be_empty:
                    return self._nothing(path)
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
        return written != self._own.get(path) and time.time() - written / 1e9 < self.way.quiet

    def _note(self, outcome: Outcome) -> Outcome:
        """Remember when this run wrote the files of a change."""
        for one in outcome.transaction.files if outcome.transaction else ():
            self._own[one.path] = _written(self.config, one.path)
        return outcome

    def _ask(self, job: KeeperJob) -> Sequence[Any] | PlanProblem:
        if self.way.given is not None:
            return job.parse(self.way.given)
        if self.model is None:
            return job.answer()
        if job.work and not self.way.plan:
            seconds = self.config.settings.extract.lease_seconds
            queue.take_lease(self.config, queue.queue_key(job.path, job.work), _now(), seconds)
        return job.parse(self.model(job.prompt()))

    def _write(self, job: KeeperJob, operations: Sequence[Any]) -> Outcome | None:
        """Prove an answer and write it; None where the file moved on and the plan is to be made anew."""
        for problem in job.problems(operations):
            return self._refuse(job.path, problem, work=job.work)
        if self._is_fresh(job.path):  # somebody has begun to write while the answer was made
            return Outcome(
                "waiting", say(self.lang, "keeper.fresh", path=job.path), say(self.lang, "keeper.fresh.hint"), job.path
            )
        try:
            done = job.write(operations, self.name, dry_run=self.way.plan)
        except ConflictError:
            return None
        except MdmemError as error:
            return self._failed(job.path, error, job.work)
        if done is None:
            return self._nothing(job.path)
        if not self.way.plan:
            queue.clear_attempts(self.config, job.path, job.work)
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

    def _refuse(self, path: str, problem: PlanProblem, *, known: bool = True, work: str = "") -> Outcome:
        return self._put_off(path, say(self.lang, f"keeper.{problem.kind}", **problem.facts), known=known, work=work)

    def _failed(self, path: str, error: MdmemError, work: str) -> Outcome:
        least = error.retry_after if isinstance(error, ModelError) else 0
        said = in_language(error, self.lang)
        return self._put_off(path, f"{said.message} {said.hint}".strip(), least=least, work=work)

    def _put_off(self, path: str, reason: str, *, known: bool = True, least: float = 0, work: str = "") -> Outcome:
        """Leave the file alone, and remember why and until when."""
        said = "".join(char for char in mask(reason) if char.isprintable())
        hint = ""
        if known and not self.way.plan:
            tries = self.config.settings.extract.tries if work else 0
            seconds = queue.record_failure(self.config, path, said, _now(), least=least, work=work, tries=tries)
            hint = say(self.lang, "keeper.refused.hint", seconds=seconds)
        return Outcome("refused", say(self.lang, "keeper.refused", path=path, reason=said), hint, path)


def job_of(config: WorkspaceConfig, path: str) -> KeeperJob | None:
    """Read what a file holds for the keeper; None where that is nothing."""
    if AccessPolicy(config, KEEPER).kind(path) == KIND:
        return read_window(config, path)
    read = load_task(config, path)
    return FileCompactionJob(config, read) if read else None


def _named(config: WorkspaceConfig, what: str | None) -> tuple[str, ...]:
    """Return the files that are meant, by path or by kind; none for all that waits, or all windows."""
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
    """Return the sessions of which something may be condensed."""
    templates = load_workspace_files(config).templates
    return [path for path, template in templates.items() if template.kind == KIND and read_window(config, path)]


def _by_model(config: WorkspaceConfig) -> list[PendingWork]:
    return [one for one in pending_work(config, load_workspace_files(config)) if one.kind not in (*_BY_HAND, EXTRACT)]


def _paths(waits: Sequence[PendingWork], kind: str) -> list[str]:
    return list(dict.fromkeys(one.path for one in waits if one.kind == kind))


def _overflows(one: PendingWork) -> bool:
    """Return True for a section that entries of the inbox wait for."""
    return one.kind == "compact" and bool(one.reason["waiting"])


def _written(config: WorkspaceConfig, path: str) -> int:
    """Return when a file was changed last; 0 where there is none."""
    try:
        return os.stat(os.path.join(config.root, path)).st_mtime_ns
    except OSError:
        return 0


def _now() -> dt.datetime:
    return dt.datetime.now().astimezone()
