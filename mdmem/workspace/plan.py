"""The journeys of a plan: one move in the TODO list of a task's file, as one commit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mdmem.core.document import Document, parse
from mdmem.core.intent import Intent
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.core.todo.change import add_steps, move_step, remove_steps
from mdmem.core.todo.read import read_todo
from mdmem.core.todo.step import finish, go_on, go_to, set_phase
from mdmem.errors import ConfigError, TargetError, UsageError, VerificationError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.archive import archive
from mdmem.workspace.commit import Commit
from mdmem.workspace.config import Config
from mdmem.workspace.entry import ready
from mdmem.workspace.inbox import propose
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.plan_words import say
from mdmem.workspace.read import read_file

FOLDERS = ("agents", ".notes")  # of an agent's own files; the first one that is there, else the first

Move = Callable[[Document, Template], Intent]


class PlanStep(NamedTuple):
    """One step, as a program wants it."""

    number: str
    text: str
    done: bool
    current: bool


class TaskPlan(NamedTuple):
    """A plan, and where it stands."""

    path: str
    phase: str
    pointer: str
    steps: tuple[PlanStep, ...]

    @property
    def current(self) -> PlanStep | None:
        """The step that is being done."""
        return next((step for step in self.steps if step.current), None)


def task_path(config: Config, agent: str | None) -> str:
    """Give the file of a task: the workspace's, or an agent's own (D030).

    Raises:
        UsageError: the agent's name is none.
    """
    file = task_template(config).files[0]
    if not agent:
        return file
    if not agent.isprintable() or set(agent) & set("/\\ ") or agent.startswith("."):
        raise UsageError(say(config.lang, "agent"))
    there = (one for one in FOLDERS if os.path.isdir(os.path.join(config.root, one, agent)))
    return f"{next(there, FOLDERS[0])}/{agent}/{file}"


def task_template(config: Config) -> Template:
    """Give the template of a task's file; raises ConfigError where somebody has taken it away."""
    template = config.schemas.get("task_process")
    if template is None:
        raise ConfigError("there is no template of the kind `task_process`")
    return template


def read_plan(config: Config, agent: str | None) -> TaskPlan:
    """Read a plan; see `Workspace.plan`."""
    path = task_path(config, agent)
    try:
        document = parse(read_file(config, path, "user").text.encode())
    except TargetError:
        return TaskPlan(path, "", "", ())
    todo = read_todo(document, config.schemas.match(path, document) or task_template(config))
    steps = tuple(PlanStep(one.number, one.text, one.done, one is todo.current) for one in todo.steps)
    phase, pointer = (line.value if line else "" for line in (todo.phase, todo.pointer))
    return TaskPlan(path, phase, pointer, steps)


def add_to_plan(commit: Commit, agent: str | None, texts: Sequence[str], after: str, under: str) -> Outcome:
    """Add steps; see `Workspace.plan_add`."""
    path = commit.path(task_path(commit.config, agent))
    if isinstance(texts, str):
        commit.access.stop(UsageError, "empty-text")
    if not commit.there(path):
        commit.new(path)

    def change(files: Files) -> Edits:
        document = files[path]
        template = commit.template(path, document) or task_template(commit.config)
        made = ready(commit, path, texts, template.entries, dated=True)
        with _retold(commit, path):
            intent = add_steps(document, template, made.texts, behind=after, under=under)
        commit.note(path, *made.notes)
        return {path: intent.edits}

    return _run(commit, path, change, "added", count=len(texts))


def finish_step(commit: Commit, agent: str | None, step: str) -> Outcome:
    """Mark a step as done; see `Workspace.plan_done`."""
    return _moved(commit, agent, lambda document, template: finish(document, template, step), "done")


def next_step(commit: Commit, agent: str | None) -> Outcome:
    """Go on to the next open step; see `Workspace.plan_next`."""
    return _moved(commit, agent, go_on, "went")


def jump(commit: Commit, agent: str | None, step: str) -> Outcome:
    """Jump to a step; see `Workspace.plan_goto`."""
    return _moved(commit, agent, lambda document, template: go_to(document, template, step), "went")


def shift(commit: Commit, agent: str | None, step: str, to: str) -> Outcome:
    """Move a step; see `Workspace.plan_move`."""
    return _moved(commit, agent, lambda document, template: move_step(document, template, step, to), "moved", to=to)


def tell_phase(commit: Commit, agent: str | None, phase: str) -> Outcome:
    """Name the phase; see `Workspace.plan_phase`."""
    return _moved(commit, agent, lambda document, template: set_phase(document, template, phase), "phase", phase=phase)


def drop(commit: Commit, agent: str | None, steps: Sequence[str]) -> Outcome:
    """Take steps out; see `Workspace.plan_remove`."""
    path = commit.path(task_path(commit.config, agent))
    if not steps or isinstance(steps, str):
        commit.access.stop(UsageError, "empty-text")
    count = 0

    def change(files: Files) -> Edits:
        nonlocal count
        document = commit.document(files, path)
        with _retold(commit, path):
            intent = remove_steps(document, _template(commit, path, document), steps)
        lines = intent.notes[0].facts["lines"]
        count = int(str(intent.notes[0].facts["count"]))
        gone = [one for one in document.entries if isinstance(lines, tuple) and one.line in lines]
        return {path: intent.edits, **archive(commit, files, path, document, gone, "removed")}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "removed", path=path, count=count), path, *_stands(commit, path))


def _moved(commit: Commit, agent: str | None, move: Move, done: str, **facts: object) -> Outcome:
    path = commit.path(task_path(commit.config, agent))

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        with _retold(commit, path):
            intent = move(document, _template(commit, path, document))
        commit.note(path, *intent.notes)
        return {path: intent.edits}

    return _run(commit, path, change, done, **facts)


def _run(commit: Commit, path: str, change: Callable[[Files], Edits], done: str, **facts: object) -> Outcome:
    commit.run(change, propose=propose)
    again = [note for _, note in commit.notes if note.kind == "reopened"]
    commit.notes = [(name, note) for name, note in commit.notes if note.kind != "reopened"]
    hints = [say(commit.lang, "reopened", **note.facts) for note in again]
    return commit.outcome(say(commit.lang, done, path=path, **facts), path, *_stands(commit, path), *hints)


def _stands(commit: Commit, path: str) -> Iterator[str]:
    """Say where the plan stands now, so that nobody has to look."""
    step = commit.gate.steps.get(path)
    if step is None or step.after is None:
        return
    todo = read_todo(step.after, _template(commit, path, step.after))
    now = todo.current
    if now:
        yield say(commit.lang, "now", number=now.number, text=now.text)
    else:
        yield say(commit.lang, "all-done" if todo.steps else "empty")


def _template(commit: Commit, path: str, document: Document) -> Template:
    return commit.template(path, document) or task_template(commit.config)


@contextmanager
def _retold(commit: Commit, path: str) -> Iterator[None]:
    """Tell in the workspace's words what a move in the plan did not find."""
    lang = commit.lang
    try:
        yield
    except TargetError as error:
        names = "; ".join(error.candidates)
        key = "many-steps" if error.count > 1 else "no-step" if names else "none-open"
        hint = say(lang, f"{key}.hint", names=names)
        raise TargetError(
            say(lang, key, path=path), hint=hint, candidates=error.candidates, count=error.count
        ) from error
    except VerificationError as error:
        raise VerificationError(say(lang, "unproved", path=path), hint=say(lang, "unproved.hint")) from error
    except UsageError as error:
        key = "open-below" if "below it" in error.message else "phase-unknown" if "phase" in error.message else ""
        if not key:
            raise
        raise UsageError(say(lang, key, names=error.hint), hint=say(lang, f"{key}.hint", names=error.hint)) from error
