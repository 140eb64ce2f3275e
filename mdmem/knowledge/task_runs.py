"""Run a function of a piece: make the task plan an instance of it (D006, D059), and record it in the session."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import archive_file
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.errors import RefusedError, TargetError
from mdmem.formats.knowledge.piece_functions import FunctionStep, KnowledgeFunction, fill
from mdmem.formats.task_plan import read_todo
from mdmem.formats.template import Template
from mdmem.knowledge.edits import RunLine, begin_plan, extend_plan, number_below
from mdmem.knowledge.fitting import find_contradictions, open_pieces, say_contradiction
from mdmem.knowledge.functions import Expansion, StepLimits, StepPlace, bind, find_function
from mdmem.knowledge.model import RunName, read_run_name
from mdmem.knowledge.plan_runs import plan_runs, read_run, recorded
from mdmem.knowledge.read import OpenPiece, is_piece, open_for_use, saved_text, say_undeclared, version_names
from mdmem.knowledge.trials import next_version
from mdmem.messages.catalog import say
from mdmem.plan.read import task_path, task_template
from mdmem.plan.service import read_plan, translated_plan_errors
from mdmem.sessions.read import head, latest_sessions
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import smallest


class KnowledgeRun:
    """One run: the function, its inputs, and the steps that it becomes."""

    def __init__(self, commit: ChangeRequest, target: str, inputs: Mapping[str, str], agent: str | None) -> None:
        """Find what is to be run.

        Raises:
            TargetError: there is no such piece, version or function; `candidates` are similar names.
            UsageError: inputs are missing or unknown.
        """
        asked = read_run_name(target)
        config = commit.config
        self._config, self._inputs = config, dict(inputs)
        now = open_for_use(config, asked.piece)
        version = asked.version or next_version(config, now.piece, plan_runs(config, agent))
        self.piece = open_for_use(config, asked.piece, version) if version else now
        self.function = _function(config, self.piece, asked.function)
        self.values = bind(self.function, self._inputs)
        limits = StepLimits(config.settings.knowledge.steps, config.settings.knowledge.calls)
        self._expansion = Expansion(self._find, limits)
        self._begun = dt.datetime.now().astimezone()
        self.name = RunName(self.piece.piece.name, self.function.name, version or _saved_as(config, now))

    @property
    def stamp(self) -> str:
        """What is run and when it began, as plans and sessions name it."""
        return f"{self.name} {self._begun.replace(tzinfo=None).isoformat(' ', 'milliseconds')}"

    def state(self) -> list[RunLine]:
        """Return the lines that tell in the plan what it is a run of."""
        inputs = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        needs, outputs = (fill(one, self.values) for one in (self.function.needs, self.function.outputs))
        named = (("inputs", inputs), ("needs", needs), ("outputs", outputs))
        return [RunLine("knowledge", self.stamp), *(RunLine(*one) for one in named)]

    def steps(self, place: StepPlace) -> tuple[FunctionStep, ...]:
        """Return the steps of the plan."""
        piece = self.piece
        return self._expansion.steps(piece.piece.name, self.function, piece.template, self._inputs, place)

    def left_open(self) -> list[str]:
        """Return what is said of the inputs that stay in the steps as they are, because no function declares them."""
        return [say_undeclared(self._config, self.piece, str(name), one) for name, one in self._expansion.undeclared]

    def _find(self, piece: str, called: str) -> tuple[str, KnowledgeFunction, Template]:
        """Return a called function: one of the same piece, `piece:function`, or another piece by its name."""
        own = self.piece if piece == self.piece.piece.name else open_for_use(self._config, piece)
        wanted = read_run_name(called)
        if not wanted.function:
            try:
                return piece, find_function(own.functions, wanted.piece), own.template
            except TargetError:
                pass  # it may be the name of a piece
        other = open_for_use(self._config, wanted.piece, wanted.version)
        return other.piece.name, _function(self._config, other, wanted.function), other.template


def run_function(
    commit: ChangeRequest, target: str, inputs: Mapping[str, str], under: str, *, replace: bool, agent: str | None
) -> Outcome:
    """Make the plan a run of a function; see `Workspace.knowledge.run`."""
    config = commit.config
    path = commit.path(task_path(config, agent))
    run = KnowledgeRun(commit, target, inputs, agent)
    session = _open_session(config, agent)
    if not commit.exists(path):
        commit.new(path)

    def change(files: DraftFiles) -> Edits:
        document = files[path]
        template = commit.template(path, document) or task_template(config)
        if under:
            made = _below(commit, files, path, template, run, under)
        else:
            made = _anew(commit, files, path, template, run, replace=replace)
        return {**made, **recorded(files, session, run.stamp)}

    commit.run(change, propose=propose, paths=(path, session) if session else (path,))
    return _told(commit, path, run, agent)


def _anew(
    commit: ChangeRequest, files: DraftFiles, path: str, template: Template, run: KnowledgeRun, *, replace: bool
) -> Edits:
    """Return the edits that make the plan a run; what was in it goes to the archive."""
    document = files[path]
    steps = run.steps(StepPlace())
    text = begin_plan(task_template(commit.config), run.state(), steps).edits[0].new
    if document is None or not document.text.strip():
        return {path: smallest(document.text if document else "", text)}
    left = [step for step in read_todo(document, template).steps if not step.done]
    if left and not replace:
        facts = {"number": left[0].number, "text": left[0].text, "count": len(left)}
        commit.access.stop(RefusedError, "knowledge.plan-open", path, **facts)
    return {**archive_file(commit, files, path, document), path: smallest(document.text, text)}


def _below(
    commit: ChangeRequest, files: DraftFiles, path: str, template: Template, run: KnowledgeRun, under: str
) -> Edits:
    """Return the edits that add a run below a step of the plan."""
    document = commit.document(files, path)
    with translated_plan_errors(commit, path):
        number, before = number_below(document, template, under)
        steps = run.steps(StepPlace(number, before))
        return {path: extend_plan(document, template, under, run.state()[:1], steps).edits}


def _function(config: WorkspaceConfig, own: OpenPiece, name: str) -> KnowledgeFunction:
    try:
        return find_function(own.functions, name)
    except TargetError as error:
        key = "knowledge.no-function" if error.candidates else "knowledge.no-steps"
        facts = {"piece": own.piece.name, "function": name, "names": ", ".join(filter(None, error.candidates))}
        hint = say(config.lang, f"{key}.hint", **facts)
        raise TargetError(say(config.lang, key, **facts), hint=hint, candidates=error.candidates) from error


def _saved_as(config: WorkspaceConfig, own: OpenPiece) -> str:
    """Return the version that a text is; empty if it has changed since it was saved."""
    name, version = own.piece.name, own.piece.version
    is_same = version in version_names(config, name) and saved_text(config, name, version) == own.document.text
    return version if is_same else ""


def _open_session(config: WorkspaceConfig, agent: str | None) -> str:
    """Return the newest session if it has not ended; else an empty text."""
    found = next(iter(latest_sessions(config, agent=agent, limit=1)), "")
    return found if found and not head(config, found).ended else ""


def _told(commit: ChangeRequest, path: str, run: KnowledgeRun, agent: str | None) -> Outcome:
    config, lang = commit.config, commit.lang
    current = None if commit.dry_run else read_plan(config, task_path(config, agent)).current
    hints = [say(lang, "plan.now", number=current.number, text=current.text)] if current else []
    runs = (read_run(stamp).name.piece for stamp in plan_runs(config, agent))
    named = [one for one in dict.fromkeys((*runs, run.name.piece)) if is_piece(config, one)]
    hints += run.left_open()
    hints += [say_contradiction(lang, one) for one in find_contradictions(config, open_pieces(config, named))]
    return commit.outcome(say(lang, "knowledge.ran", name=run.name, path=path), path, *hints)
