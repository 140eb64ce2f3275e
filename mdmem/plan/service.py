"""The namespace of plans: each change of the TODO list of a task's file is one commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import archive
from mdmem.entries.commit import ChangeRequest, prepare_entry
from mdmem.entries.edits import EditPlan
from mdmem.entries.inbox import propose
from mdmem.entries.model import Outcome
from mdmem.entries.show import read_file
from mdmem.errors import ConfigError, TargetError, UsageError, VerificationError, warn_renamed
from mdmem.formats.task_plan import read_todo
from mdmem.formats.template import Template
from mdmem.messages.catalog import say
from mdmem.plan.edits import add_steps, finish, go_to, move_step, next_step, remove_steps, set_phase
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse

FOLDERS = ("agents", ".notes")  # of an agent's own files; the first one that is there, else the first

Move = Callable[[Document, Template], EditPlan]


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step, as a program wants it."""

    number: str
    text: str
    done: bool
    current: bool


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """A plan, and where it stands."""

    path: str
    phase: str
    pointer: str
    steps: tuple[PlanStep, ...]

    @property
    def current(self) -> PlanStep | None:
        """The step that is being done."""
        return next((step for step in self.steps if step.current), None)


def task_path(config: WorkspaceConfig, agent: str | None) -> str:
    """Return the file of a task: the workspace's, or an agent's own (D030).

    Raises:
        UsageError: the agent's name is none.
    """
    file = task_template(config).files[0]
    if not agent:
        return file
    if not agent.isprintable() or set(agent) & set("/\\ ") or agent.startswith("."):
        raise UsageError(say(config.lang, "plan.agent"))
    there = (one for one in FOLDERS if os.path.isdir(os.path.join(config.root, one, agent)))
    return f"{next(there, FOLDERS[0])}/{agent}/{file}"


def task_template(config: WorkspaceConfig) -> Template:
    """Return the template of a task's file; raises ConfigError where somebody has taken it away."""
    template = config.schemas.get("task_process")
    if template is None:
        raise ConfigError("there is no template of the kind `task_process`")
    return template


def read_plan(config: WorkspaceConfig, agent: str | None) -> TaskPlan:
    """Read a plan; see `Workspace.plan.show`."""
    path = task_path(config, agent)
    try:
        document = parse(read_file(config, path, "user").text.encode())
    except TargetError:
        return TaskPlan(path, "", "", ())
    todo = read_todo(document, config.schemas.match(path, document) or task_template(config))
    steps = tuple(PlanStep(one.number, one.text, one.done, one is todo.current) for one in todo.steps)
    phase, pointer = (line.value if line else "" for line in (todo.phase, todo.pointer))
    return TaskPlan(path, phase, pointer, steps)


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
        made = prepare_entry(commit, path, texts, template.entries, dated=True)
        with _retold(commit, path):
            intent = add_steps(document, template, made.texts, behind=after, under=under)
        commit.note(path, *made.notes)
        return {path: intent.edits}

    return _run(commit, path, change, "plan.added", count=len(texts))


def finish_step(commit: ChangeRequest, agent: str | None, step: str) -> Outcome:
    """Mark a step as done; see `Workspace.plan.done`."""
    return _moved(commit, agent, lambda document, template: finish(document, template, step), "plan.done")


def advance_plan(commit: ChangeRequest, agent: str | None) -> Outcome:
    """Go on to the next open step; see `Workspace.plan.next`."""
    return _moved(commit, agent, next_step, "plan.went")


def go_to_step(commit: ChangeRequest, agent: str | None, step: str) -> Outcome:
    """Jump to a step; see `Workspace.plan.goto`."""
    return _moved(commit, agent, lambda document, template: go_to(document, template, step), "plan.went")


def move_plan_step(commit: ChangeRequest, agent: str | None, step: str, to: str) -> Outcome:
    """Move a step; see `Workspace.plan.move`."""
    return _moved(
        commit, agent, lambda document, template: move_step(document, template, step, to), "plan.moved", to=to
    )


def change_phase(commit: ChangeRequest, agent: str | None, phase: str) -> Outcome:
    """Name the phase; see `Workspace.plan.phase`."""
    return _moved(
        commit, agent, lambda document, template: set_phase(document, template, phase), "plan.phase", phase=phase
    )


def remove_plan_steps(commit: ChangeRequest, agent: str | None, steps: Sequence[str]) -> Outcome:
    """Take steps out; see `Workspace.plan.remove`."""
    path = commit.path(task_path(commit.config, agent))
    if not steps or isinstance(steps, str):
        commit.access.stop(UsageError, "pen.empty-text")
    count = 0

    def change(files: DraftFiles) -> Edits:
        nonlocal count
        document = commit.document(files, path)
        with _retold(commit, path):
            intent = remove_steps(document, _template(commit, path, document), steps)
        lines = intent.notes[0].facts["lines"]
        count = int(str(intent.notes[0].facts["count"]))
        gone = [one for one in document.entries if isinstance(lines, tuple) and one.line in lines]
        return {path: intent.edits, **archive(commit, files, path, document, gone, "removed")}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "plan.removed", path=path, count=count), path, *_stands(commit, path))


def _moved(commit: ChangeRequest, agent: str | None, move: Move, done: str, **facts: object) -> Outcome:
    path = commit.path(task_path(commit.config, agent))

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        with _retold(commit, path):
            intent = move(document, _template(commit, path, document))
        commit.note(path, *intent.notes)
        return {path: intent.edits}

    return _run(commit, path, change, done, **facts)


def _run(
    commit: ChangeRequest, path: str, change: Callable[[DraftFiles], Edits], done: str, **facts: object
) -> Outcome:
    commit.run(change, propose=propose)
    again = [note for _, note in commit.notes if note.kind == "reopened"]
    commit.notes = [(name, note) for name, note in commit.notes if note.kind != "reopened"]
    hints = [say(commit.lang, "plan.reopened", **note.facts) for note in again]
    return commit.outcome(say(commit.lang, done, path=path, **facts), path, *_stands(commit, path), *hints)


def _stands(commit: ChangeRequest, path: str) -> Iterator[str]:
    """Say where the plan stands now, so that nobody has to look."""
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
def _retold(commit: ChangeRequest, path: str) -> Iterator[None]:
    """Tell in the workspace's words what a move in the plan did not find."""
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


class Plan:
    """The namespace `Workspace.plan`: after each change the `← 当前` mark and the instruction pointer agree.

    A step is named by its number (`2`, or `2.1` for the first one below it), by `.` for the current one, or by a
    piece of its text. `agent` is whose plan it is, in agents/NAME/ or .notes/NAME/; None is that of the workspace.
    """

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def __call__(self, *, agent: str | None = None) -> TaskPlan:
        """Return what `show` does; deprecated."""
        warn_renamed("Workspace.plan()", "Workspace.plan.show()")
        return self.show(agent=agent)

    def show(self, *, agent: str | None = None) -> TaskPlan:
        """Return the plan: its steps, the current one, the phase; an empty one where there is no file yet.

        >>> Workspace("workspace").plan.show().current.text
        """
        return read_plan(self._config, agent)

    def add(
        self,
        texts: Sequence[str],
        *,
        after: str = "",
        under: str = "",
        agent: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Add steps: at the end, behind a step, or below one as its last steps; the first of a plan is current.

        Raises:
            UsageError: there is no text, or both places are named.
            TargetError: no step, or more than one, is meant.
            VerificationError: the list is written in a way in which they would not stand as steps.

        >>> Workspace("workspace").plan.add(["重画给 Bram 的图"], under="6").message
        """
        return add_to_plan(ChangeRequest(self._config, "plan-add", actor, reason), agent, texts, after, under)

    def done(self, step: str = ".", *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Mark a step as done. Behind the current one the plan goes on: with the next beside it, else the one above.

        Raises UsageError while steps below it are open, TargetError where none is meant.
        """
        return finish_step(ChangeRequest(self._config, "plan-done", actor, reason), agent, step)

    def next(self, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Let the next open step be current, the first one below included; the one that was stays open."""
        return advance_plan(ChangeRequest(self._config, "plan-next", actor, reason), agent)

    def goto(self, step: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Jump to a step; what is to be done again, as the body of a loop is, is open again (D051, D052)."""
        return go_to_step(ChangeRequest(self._config, "plan-goto", actor, reason), agent, step)

    def move(self, step: str, to: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Move a step, with all below it, so that it bears the number `to` afterwards."""
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
        """Take steps, with all below them, out of the plan and into the month's archive."""
        return remove_plan_steps(
            ChangeRequest(self._config, "plan-remove", actor, reason, confirm=True, dry_run=dry_run), agent, steps
        )

    def phase(self, phase: str, *, agent: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Say which phase the task is in: one of those that its template names."""
        return change_phase(ChangeRequest(self._config, "plan-phase", actor, reason), agent, phase)
