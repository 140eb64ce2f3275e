"""The class behind `Workspace.plan`; each change of a task's TODO list is one commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from mdmem.config.typed_calls import TypedCalls, several
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import archive
from mdmem.entries.commit import ChangeRequest, prepare_entry
from mdmem.entries.edits import EditPlan
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_optional
from mdmem.errors import TargetError, UsageError, VerificationError
from mdmem.formats.task_plan import read_todo
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.plan.edits import add_steps, finish, go_to, move_step, next_step, remove_steps, set_phase
from mdmem.plan.other_agents import OtherAgent, caller, other_agents
from mdmem.plan.read import plan_path, task_path, task_template
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse

PlanEdit = Callable[[Document, Template], EditPlan]


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a plan."""

    number: str
    text: str
    done: bool
    current: bool


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A plan with its phase and pointer."""

    path: str
    phase: str
    pointer: str
    steps: tuple[PlanStep, ...]
    others: tuple[OtherAgent, ...] = ()  # other agents that are at work on it

    @property
    def current(self) -> PlanStep | None:
        """The current step; None if there is none."""
        return next((step for step in self.steps if step.current), None)


def read_plan(config: WorkspaceConfig, path: str) -> TaskPlan:
    """Read the plan at a path, without the other agents that are at work on it."""
    found = read_optional(config, path, "user")
    if found is None:
        return TaskPlan(path, "", "", ())
    document = parse(found.text.encode())
    todo = read_todo(document, config.schemas.match(path, document) or task_template(config))
    steps = tuple(PlanStep(one.number, one.text, one.done, one is todo.current) for one in todo.steps)
    phase, pointer = (line.value if line else "" for line in (todo.phase, todo.pointer))
    return TaskPlan(path, phase, pointer, steps)


def plan_with_others(config: WorkspaceConfig, agent: str | None, actor: str) -> TaskPlan:
    """Read a plan for an actor; see `Workspace.plan.show`."""
    found = read_plan(config, task_path(config, agent))
    now = found.current
    step = f"{now.number} {now.text}" if now else ""
    others = other_agents(config, found.path, caller(actor, agent), partial(plan_path, config), step)
    return replace(found, others=others)


def add_to_plan(commit: ChangeRequest, agent: str | None, texts: Sequence[str], after: str, under: str) -> Outcome:
    """Add steps; see `Workspace.plan.add`."""
    path = commit.path(task_path(commit.config, agent))
    if isinstance(texts, str):
        commit.access.stop(UsageError, "pen.empty-text")
    if not commit.exists(path):
        commit.new(path)

    def change(files: DraftFiles) -> Edits:
        document = files[path]
        template = commit.template(path, document) or task_template(commit.config)
        prepared = prepare_entry(commit, path, texts, template.entries, dated=True)
        with translated_plan_errors(commit, path):
            edit_plan = add_steps(document, template, prepared.texts, behind=after, under=under)
        commit.note(path, *prepared.notes)
        return {path: edit_plan.edits}

    return _run(commit, path, agent, change, "plan.added", count=len(texts))


def finish_step(commit: ChangeRequest, agent: str | None, step: str) -> Outcome:
    """Mark a step as done; see `Workspace.plan.done`."""
    return _run_edit(commit, agent, lambda document, template: finish(document, template, step), "plan.done")


def advance_plan(commit: ChangeRequest, agent: str | None) -> Outcome:
    """Make the next open step the current one; see `Workspace.plan.next`."""
    return _run_edit(commit, agent, next_step, "plan.went")


def go_to_step(commit: ChangeRequest, agent: str | None, step: str) -> Outcome:
    """Make a step the current one; see `Workspace.plan.goto`."""
    return _run_edit(commit, agent, lambda document, template: go_to(document, template, step), "plan.went")


def move_plan_step(commit: ChangeRequest, agent: str | None, step: str, to: str) -> Outcome:
    """Move a step; see `Workspace.plan.move`."""
    return _run_edit(
        commit, agent, lambda document, template: move_step(document, template, step, to), "plan.moved", to=to
    )


def change_phase(commit: ChangeRequest, agent: str | None, phase: str) -> Outcome:
    """Set the phase; see `Workspace.plan.phase`."""
    return _run_edit(
        commit, agent, lambda document, template: set_phase(document, template, phase), "plan.phase", phase=phase
    )


def remove_plan_steps(commit: ChangeRequest, agent: str | None, steps: Sequence[str]) -> Outcome:
    """Remove steps; see `Workspace.plan.remove`."""
    path = commit.path(task_path(commit.config, agent))
    if not steps or isinstance(steps, str):
        commit.access.stop(UsageError, "pen.empty-text")
    count = 0

    def change(files: DraftFiles) -> Edits:
        nonlocal count
        with translated_plan_errors(commit, path):
            document = commit.document(files, path)
            edit_plan = remove_steps(document, _template(commit, path, document), steps)
        lines = edit_plan.notes[0].facts["lines"]
        count = int(str(edit_plan.notes[0].facts["count"]))
        gone = [one for one in document.entries if isinstance(lines, tuple) and one.line in lines]
        return {path: edit_plan.edits, **archive(commit, files, path, document, gone, "removed")}

    others = _others(commit, agent)
    commit.run(change, propose=propose)
    message = say(commit.lang, "plan.removed", path=path, count=count)
    return commit.outcome(message, path, *_current_step(commit, path), *others)


def _run_edit(commit: ChangeRequest, agent: str | None, edit: PlanEdit, done: str, **facts: object) -> Outcome:
    path = commit.path(task_path(commit.config, agent))

    def change(files: DraftFiles) -> Edits:
        with translated_plan_errors(commit, path):
            document = commit.document(files, path)
            edit_plan = edit(document, _template(commit, path, document))
        commit.note(path, *edit_plan.notes)
        return {path: edit_plan.edits}

    return _run(commit, path, agent, change, done, **facts)


def _run(
    commit: ChangeRequest, path: str, agent: str | None, change: Callable[[DraftFiles], Edits], done: str,
    **facts: object,
) -> Outcome:  # fmt: skip
    others = _others(commit, agent)
    commit.run(change, propose=propose)
    reopened = [note for _, note in commit.notes if note.kind == "reopened"]
    commit.notes = [(name, note) for name, note in commit.notes if note.kind != "reopened"]
    hints = (say(commit.lang, "plan.reopened", **note.facts) for note in reopened)
    now = _current_step(commit, path)
    return commit.outcome(say(commit.lang, done, path=path, **facts), path, *now, *hints, *others)


def _others(commit: ChangeRequest, agent: str | None) -> tuple[str, ...]:
    """Return a sentence about each other agent that is at work on a plan, before this change of it."""
    found = plan_with_others(commit.config, agent, commit.access.actor).others
    return tuple(one.told(commit.lang) for one in found)


def _current_step(commit: ChangeRequest, path: str) -> Iterator[str]:
    """Yield a sentence with the current step."""
    step = commit.gate.steps.get(path)
    if step is None or step.after is None:
        return
    todo = read_todo(step.after, _template(commit, path, step.after))
    now = todo.current
    if now:
        yield say(commit.lang, "plan.now", number=now.number, text=now.text)
    else:
        yield say(commit.lang, "plan.all-done" if todo.steps else "plan.empty")


def _template(commit: ChangeRequest, path: str, document: Document) -> Template:
    return commit.template(path, document) or task_template(commit.config)


@contextmanager
def translated_plan_errors(commit: ChangeRequest, path: str) -> Iterator[None]:
    """Raise the errors of `plan/edits.py` in the language of the workspace."""
    lang = commit.lang
    try:
        yield
    except TargetError as error:
        names = "; ".join(error.candidates)
        key = "plan.many-steps" if error.count > 1 else "plan.no-step" if names else "plan.none-open"
        hint = say(lang, f"{key}.hint", names=names)
        raise TargetError(
            say(lang, key, path=path), hint=hint, candidates=error.candidates, count=error.count
        ) from error
    except VerificationError as error:
        raise VerificationError(say(lang, "plan.unproved", path=path), hint=say(lang, "plan.unproved.hint")) from error
    except UsageError as error:
        key = (
            "plan.open-below"
            if "below it" in error.message
            else "plan.phase-unknown"
            if "phase" in error.message
            else ""
        )
        if not key:
            raise
        raise UsageError(say(lang, key, names=error.hint), hint=say(lang, f"{key}.hint", names=error.hint)) from error


class Plan(TypedCalls):
    """The namespace `Workspace.plan`: after each change the `← 当前` mark and the instruction pointer agree.

    A step is named by its number (`2`, or `2.1` for the first step below it), by `.` for the current one, or by a
    part of its text. `agent` is the owner of the plan, in agents/NAME/ or .notes/NAME/; None for the workspace's.
    """

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def show(self, *, agent: str | None = None, actor: str = "user") -> TaskPlan:
        """Return the plan: its steps, the current one, the phase; an empty plan if there is no file yet.

        An agent is also told of the other agents that are at work on the plan: of the one that moved last in it, and of
        those with an open session. A person is not.

        >>> Workspace("workspace").plan.show().current.text
        """
        return plan_with_others(self._config, agent, actor)

    def add(
        self,
        texts: str | Sequence[str],
        *,
        after: str = "",
        under: str = "",
        agent: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Add steps at the end, after a step, or below one as its last steps; in a new plan the first is current.

        Raises:
            UsageError: there is no text, or both positions are named.
            TargetError: no step matches, or more than one.
            VerificationError: the lines would not be read as steps.

        >>> Workspace("workspace").plan.add(["重画给 Bram 的图"], under="6").message
        """
        return add_to_plan(ChangeRequest(self._config, "plan-add", actor, reason), agent, several(texts), after, under)

    def done(self, step: str = ".", *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Mark a step as done; from the current step the pointer moves to the next one beside it, or the one above.

        Raises:
            UsageError: steps below it are open.
            TargetError: no step matches, or more than one.
        """
        return finish_step(ChangeRequest(self._config, "plan-done", actor, reason), agent, step)

    def next(self, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Make the next open step the current one, nested steps included; the former one stays open."""
        return advance_plan(ChangeRequest(self._config, "plan-next", actor, reason), agent)

    def goto(self, step: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Make a step the current one; steps to be done again, such as a loop's body, are reopened (D051, D052)."""
        return go_to_step(ChangeRequest(self._config, "plan-goto", actor, reason), agent, step)

    def move(self, step: str, to: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Move a step with its nested steps, so that its number is `to` afterwards."""
        return move_plan_step(ChangeRequest(self._config, "plan-move", actor, reason), agent, step, to)

    def remove(
        self,
        steps: Sequence[str],
        *,
        agent: str | None = None,
        dry_run: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Move steps with their nested steps to the month's archive."""
        return remove_plan_steps(
            ChangeRequest(self._config, "plan-remove", actor, reason, confirm=True, dry_run=dry_run), agent, steps
        )

    def phase(self, phase: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Set the phase of the task, one of those in its template."""
        return change_phase(ChangeRequest(self._config, "plan-phase", actor, reason), agent, phase)
