"""The night run: step after step, item after item, with a lease, a budget, and a report in `archive/nights/`.

Every item is found in the files and is one transaction, so a run that was interrupted needs nothing but a new run.
"""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError, MemoryOffError, UsageError
from mdmem.generation.chosen_backend import ModelSpending
from mdmem.keeper.busy import active_leases
from mdmem.messages.catalog import say
from mdmem.night.budget import BudgetSpent, NightBudget
from mdmem.night.model import (
    NightItem,
    NightOptions,
    NightProgress,
    NightReport,
    NightStatus,
    NightStepReport,
    StepCounts,
    StepPlan,
)
from mdmem.night.progress import NightLease, NightState, PlannedItem, read_state, start_time
from mdmem.night.report import (
    KIND,
    ReportHead,
    StepLine,
    is_ended,
    read_report,
    step_sentence,
    write_report,
)
from mdmem.night.run import NightRun, NightStep
from mdmem.night.steps import (
    ageing,
    compile_identity,
    decay,
    dedup,
    extract,
    fact_proposals,
    instructions,
    learn,
    portrait,
)
from mdmem.sessions.read import users_of_sessions
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.edit import smallest

_SHARED = (instructions.STEP,)  # of what all users share; the night of the user without a name does it
# in their order
STEPS = (
    learn.STEP, extract.STEP, dedup.STEP, fact_proposals.STEP, decay.STEP, portrait.STEP, compile_identity.STEP,
    ageing.STEP, instructions.STEP,
)  # fmt: skip


_WENT: tuple[NightStatus, ...] = ("stopped", "done", "planned", "unchanged")  # of a night that ran; the first counts


def night(config: WorkspaceConfig, options: NightOptions, progress: NightProgress | None = None) -> NightReport:
    """Run the night, of each user by itself; see `Workspace.night`."""
    first, *others = config.everyone(*users_of_sessions(config))
    told = [_of_one(first, options, progress)]
    if told[0].status not in _WENT or not others:
        return told[0]
    for one in others:
        told.append(_of_one(one, _left(config, options, told), progress))
    return _joined(config, [one.user for one in others], told)


def _left(config: WorkspaceConfig, options: NightOptions, told: Sequence[NightReport]) -> NightOptions:
    """Return the options for the next user: what the model may still be asked."""
    settings, steps = config.settings.night, [step for one in told for step in one.steps]
    calls = settings.calls if options.calls is None else options.calls
    tokens = settings.tokens if options.tokens is None else options.tokens
    return options._replace(
        calls=max(0, calls - sum(step.calls for step in steps)),
        tokens=max(0, tokens - sum(step.tokens for step in steps)),
    )


def _joined(config: WorkspaceConfig, users: Sequence[str], told: Sequence[NightReport]) -> NightReport:
    """Return the report of the user without a name, with what the nights of the others did."""
    own, colon = told[0], say(config.lang, "punctuation.colon")
    named = list(zip(users, told[1:], strict=True))
    status = min((one.status for one in told), key=_WENT.index)
    messages = [own.message, *(f"{user}{colon}{one.message}" for user, one in named)]
    message = next(text for text, one in zip(messages, told, strict=True) if one.status == status)
    hints = [own.hint, *(f"{user}{colon}{one.hint}" for user, one in named if one.hint)]
    lines = (*own.lines, *(f"{user}{colon}{line}" for user, one in named for line in one.lines))
    hint = say(config.lang, "punctuation.clause").join(filter(None, hints))
    return replace(own, status=status, message=message, hint=hint, lines=lines)


def _of_one(config: WorkspaceConfig, options: NightOptions, progress: NightProgress | None) -> NightReport:
    """Run the night of one user."""
    lang = config.lang
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(lang, "pen.off"), hint=say(lang, "pen.off.hint"))
    steps = _chosen(config, options.only)
    for name, number in (("calls", options.calls), ("tokens", options.tokens)):
        if number is not None and number < 0:
            raise UsageError(say(lang, "night.below-zero", name=name))
    if options.plan:
        return _planned(config, options, steps)
    start_time(config)  # a wrong setting is told before anything is done
    if not options.now:
        if not config.settings.night.enabled:
            return _unstarted(config, "off", say(lang, "night.off"), say(lang, "night.off.hint"))
        if names := ", ".join(lease.name for lease in active_leases(config)):
            return _unstarted(config, "waiting", say(lang, "night.busy", names=names), say(lang, "night.busy.hint"))
    run_name = f"{_now():%H%M%S}-{os.urandom(2).hex()}"
    budget = NightBudget(config, options)
    lease = NightLease(config, run_name)
    try:
        return _Night(config, budget, lease, run_name, progress).run(steps)
    finally:
        lease.release()


def _chosen(config: WorkspaceConfig, only: str) -> tuple[NightStep, ...]:
    steps = tuple(step for step in STEPS if not (config.user and step in _SHARED))
    if not only:
        return steps
    found = tuple(step for step in steps if step.name == only)
    if not found and not any(step.name == only for step in STEPS):
        names = ", ".join(step.name for step in STEPS)
        message = say(config.lang, "night.no-step", name=only[:40])
        raise UsageError(message, hint=say(config.lang, "night.no-step.hint", names=names))
    return found


def _unstarted(config: WorkspaceConfig, status: NightStatus, message: str, hint: str) -> NightReport:
    return NightReport(status, config.day, message, hint, "", ())


def _planned(config: WorkspaceConfig, options: NightOptions, steps: tuple[NightStep, ...]) -> NightReport:
    """Return what each step would do now; what an earlier step brings to a later one is not known yet."""
    lang, run = config.lang, NightRun(config, NightBudget(config, options), read_state(config).judged)
    reports = []
    for step in steps:
        plan = _step_plan(step, run)
        done = plan.counts
        for item in plan.items:
            done = done.plus(StepCounts(item.entries - item.merged - item.moved, item.merged, item.moved))
        reports.append(_report(step.name, done, 0, ModelSpending(), 0))
    works = any(one.merged or one.moved for one in reports)
    refused = sum(one.refused for one in reports)
    how = "planned" if works else "plan-refused" if refused else "nothing"
    message = say(lang, f"night.{how}", count=refused)
    return NightReport(
        "planned" if works else "unchanged", config.day, message, "", "", tuple(reports), _lines(reports, lang)
    )


def _step_plan(step: NightStep, run: NightRun) -> StepPlan:
    """Return what a step is to do; a step that cannot read what it needs is told as refused."""
    try:
        return step.plan(run)
    except MdmemError as error:
        return StepPlan(counts=run.refused(error.path or step.name, error))


def _report(name: str, done: StepCounts, left: int, spent: ModelSpending, seconds: float) -> NightStepReport:
    return NightStepReport(
        name, done.kept, done.merged, done.moved, done.refused, done.updated, left, spent.calls, spent.tokens, seconds,
        done.reasons,
    )  # fmt: skip


class _StepResult(NamedTuple):
    report: NightStepReport  # of this run alone
    changed: bool
    stopped: bool  # a budget was spent


class _Night:
    """One run with its lease."""

    def __init__(
        self, config: WorkspaceConfig, budget: NightBudget, lease: NightLease, name: str, progress: NightProgress | None
    ) -> None:
        self._config, self._budget, self._lease, self._name = config, budget, lease, name
        self._progress = progress or (lambda *_: None)
        self._before = lease.before if lease.before.day == config.day else NightState()
        self._run = NightRun(config, budget, lease.before.judged)
        self._path = config.whose.place(f"archive/nights/{config.day}.md")
        self._started = _now().isoformat(timespec="seconds")
        data = live_bytes(config, self._path, config.settings.lint.max_bytes)
        self._old = parse(data) if data else None
        self._lines = read_report(self._old)  # of all runs of this day

    def run(self, steps: tuple[NightStep, ...]) -> NightReport:
        """Do the steps, and write the report; a run that changes nothing leaves the report of its day as it is."""
        reports: list[NightStepReport] = []
        changed = stopped = False
        self._lease.update(day=self._config.day)
        for step in steps:
            done = self._step(step)
            changed, stopped = changed or done.changed, stopped or done.stopped
            reports.append(done.report)
            self._lines[step.name] = StepLine(self._sum(step, done.report), self._name)
            if done.changed and step is not steps[-1]:  # what a crash would lose of the counts
                self._write("running")
        status: NightStatus = "stopped" if stopped else "done" if changed else "unchanged"
        whole = len(steps) == len(_chosen(self._config, ""))
        if changed or not is_ended(self._old):
            self._write("stopped" if stopped else "done")
        self._lease.update(step="", items={}, calls=0, tokens=0, ended=whole or self._before.ended)
        return self._result(status, reports)

    def _result(self, status: NightStatus, reports: list[NightStepReport]) -> NightReport:
        lang = self._config.lang
        refused, left = sum(one.refused for one in reports), sum(one.left for one in reports)
        hints = [
            say(lang, "night.has-failed") if self._budget.has_failed else "",
            say(lang, "night.waits" if self._budget.has_failed else "night.left.hint", count=left) if left else "",
            say(lang, "night.refused.hint", count=refused, path=self._path) if refused else "",
        ]
        hint = say(lang, "punctuation.clause").join(filter(None, hints))
        how: str = "failed" if status == "stopped" and self._budget.has_failed else status
        how = "refused" if status == "unchanged" and refused else how
        message = say(lang, f"night.is-{how}", day=self._config.day, path=self._path, count=refused)
        return NightReport(status, self._config.day, message, hint, self._path, tuple(reports), _lines(reports, lang))

    def _step(self, step: NightStep) -> _StepResult:
        """Do one step; an item that fails is told, and the next one follows."""
        begun, spent = time.monotonic(), self._budget.spent
        plan = _step_plan(step, self._run)
        carried = self._carried(step, plan)
        items = {one.key: PlannedItem(one.entries, one.merged, one.moved) for one in plan.items}
        if items:
            self._lease.update(
                step=step.name, items={**carried.items, **items}, calls=carried.calls, tokens=carried.tokens
            )
        counts = plan.counts.plus(carried.counts)
        left = 0
        for number, item in enumerate(plan.items):
            self._progress(step.name, number, len(plan.items))
            done = self._item(step, item)
            if done is None:
                left, done = left + item.entries, StepCounts(kept=item.entries)
            counts = counts.plus(done)
            used = self._budget.spent.since(spent)
            self._lease.update(
                calls=carried.calls + used.calls, tokens=carried.tokens + used.tokens, judged=tuple(self._run.judged)
            )
        if plan.items:
            self._progress(step.name, len(plan.items), len(plan.items))
        used = self._budget.spent.since(spent)
        total = ModelSpending(carried.calls + used.calls, carried.tokens + used.tokens)
        report = _report(step.name, counts, left, total, time.monotonic() - begun)
        return _StepResult(report, bool(counts.merged or counts.moved or counts.updated), bool(left))

    def _item(self, step: NightStep, item: NightItem) -> StepCounts | None:
        """Do one item; return None if it has to wait for the next run."""
        if self._budget.is_late or (item.asks and not self._budget.may_ask):
            return None
        try:
            return step.apply(self._run, item)
        except BudgetSpent:
            return None
        except MdmemError as error:
            work = (item.merged + item.moved) or item.entries
            reason = self._run.reason(item.path, error)
            return StepCounts(kept=max(0, item.entries - work), refused=work, reasons=(reason,))

    def _carried(self, step: NightStep, plan: StepPlan) -> _Carried:
        """Return what an interrupted run of this day did of a step, and told nobody: its items that are gone."""
        state, line = self._before, self._lines.get(step.name)
        if state.step != step.name or (line and line.run == state.run):
            return _Carried({}, 0, 0)
        here = {one.key for one in plan.items}
        return _Carried({key: one for key, one in state.items.items() if key not in here}, state.calls, state.tokens)

    def _sum(self, step: NightStep, now: NightStepReport) -> NightStepReport:
        """Return the report of a step for the whole day: what was merged and moved adds up, the rest is as now."""
        line = self._lines.get(step.name)
        if line is None:
            return now
        old = line.report
        if not (now.merged or now.moved or now.updated or now.refused or now.calls or old.refused or old.left):
            return old  # what a later step moved is no longer seen by an earlier one
        return NightStepReport(
            step.name, now.kept, old.merged + now.merged, old.moved + now.moved, now.refused,
            old.updated + now.updated, now.left, old.calls + now.calls, old.tokens + now.tokens,
            old.seconds + now.seconds, now.reasons,
        )  # fmt: skip

    def _write(self, status: str) -> None:
        """Write the report of the day."""
        config = self._config
        commit = ChangeRequest(config, KIND, KEEPER, say(config.lang, "night.reason-report"), confirm=True)
        ended = "" if status == "running" else _now().isoformat(timespec="seconds")
        head = ReportHead(config.day, self._started, ended, status)
        lines = [self._lines[step.name] for step in STEPS if step.name in self._lines]

        def change(files: DraftFiles) -> Edits:
            document = files[self._path]
            template = commit.template(self._path, document)
            if template is None:
                return {}
            made = write_report(document, template, head, lines, template.lang or config.lang)
            return {self._path: smallest(document.text if document else "", made.text)}

        commit.run(change)


class _Carried(NamedTuple):
    items: Mapping[str, PlannedItem]
    calls: int
    tokens: int

    @property
    def counts(self) -> StepCounts:
        """What became of the items."""
        done = self.items.values()
        return StepCounts(merged=sum(one.merged for one in done), moved=sum(one.moved for one in done))


def _now() -> dt.datetime:
    return dt.datetime.now().astimezone()


def _lines(reports: Sequence[NightStepReport], lang: str) -> tuple[str, ...]:
    return tuple(step_sentence(one, lang) for one in reports if one.entries)
