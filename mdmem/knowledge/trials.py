"""Compare two versions by what came of their tasks, let them take turns, and pick one.

A task is one run of a version; its outcome is that of the last session in which it was worked on. The first tasks of
each version count, as many as `[knowledge] tasks` says for both: looking again later, or in between, decides nothing
else. Two equal versions would be called different more often if each look could decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.edits.add import add
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.errors import RefusedError, UnreadableFileError, UsageError
from mdmem.formats.session import rounds as rounds_of
from mdmem.formats.session_edits import set_values, tool_runs
from mdmem.formats.task_plan import section_name
from mdmem.knowledge.edits import without_key
from mdmem.knowledge.knowledge_versions import taken_back
from mdmem.knowledge.model import (
    KnowledgePiece,
    TaskResult,
    VersionComparison,
    VersionTally,
)
from mdmem.knowledge.plan_runs import RUNS, RecordedRun, read_run
from mdmem.knowledge.read import KIND, open_piece, saved_text, version_names
from mdmem.knowledge.score_intervals import newcombe, wilson
from mdmem.messages.catalog import say
from mdmem.sessions.file_names import ARCHIVED
from mdmem.sessions.read import head_document, paths, read_whole
from mdmem.store.files import names_in
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits, smallest

_FINISHED = ("success", "partial", "failed")  # outcomes of a task that is over


def recorded_runs(config: WorkspaceConfig, name: str) -> Iterator[RecordedRun]:
    """Yield the runs of a piece that sessions name, those of archived sessions included."""
    for path in _session_paths(config):
        front = head_document(config, path).front_matter
        stamps = front.values.get(RUNS) if front else None
        for stamp in stamps if isinstance(stamps, list) else ():
            run = read_run(str(stamp), path)
            if run.name.piece == name and run.name.version:
                yield run


def _session_paths(config: WorkspaceConfig) -> Iterator[str]:
    yield from paths(config)
    folder = config.whose.place(ARCHIVED)
    try:
        names = names_in(config.root, folder)
    except UnreadableFileError:
        return
    yield from (f"{folder}/{name}" for name in names if name.endswith(".md"))


def next_version(config: WorkspaceConfig, piece: KnowledgePiece, running: Sequence[str]) -> str:
    """Return the version whose turn it is: that with fewer runs; empty without a trial.

    `running` are the runs of the task plan, of which a session may not know yet.
    """
    if len(piece.trial) != 2:
        return ""
    known = {(run.name.version, run.started) for run in recorded_runs(config, piece.name)}
    known |= {(run.name.version, run.started) for run in map(read_run, running) if run.name.piece == piece.name}
    counts = [sum(version == one for version, _ in known) for one in piece.trial]
    return piece.trial[counts[1] < counts[0]]


def task_results(config: WorkspaceConfig, name: str, versions: Sequence[str]) -> tuple[TaskResult, ...]:
    """Return what came of the finished tasks of some versions, the earliest first."""
    found = [run for run in recorded_runs(config, name) if run.name.version in versions]
    found.sort(key=lambda run: (run.started, run.name.version, run.session))
    groups = groupby(found, key=lambda run: (run.started, run.name.version))
    results = (_result(config, version, started, [run.session for run in own]) for (started, version), own in groups)
    return tuple(one for one in results if one)


def _result(config: WorkspaceConfig, version: str, started: str, files: Sequence[str]) -> TaskResult | None:
    """Return what came of a task; None if it is not over."""
    sessions = sorted((read_whole(config, path) for path in files), key=lambda one: (one.started, one.id))
    if sessions[-1].outcome not in _FINISHED:
        return None
    count = token_counter(config.settings.tokens)
    runs = [run for one in sessions for _, run in tool_runs(one.turns)]
    return TaskResult(
        version,
        started,
        sessions[-1].outcome == _FINISHED[0],
        sum(len(rounds_of(one.turns)) for one in sessions),
        len(runs),
        sum(run.ok is False or bool(run.exit_code) for run in runs),
        sum(count(turn.text) for one in sessions for turn in one.turns),
        tuple(one.id for one in sessions),
    )


def compare_results(
    name: str, versions: tuple[str, str], results: Iterable[TaskResult], wanted: int, confidence: float
) -> VersionComparison:
    """Compare two versions by the first `wanted` tasks of each, from the time on at which both were in use."""
    all_results = sorted(results, key=lambda one: one.started)
    own = [[one for one in all_results if one.version == version] for version in versions]
    begun = max((one[0].started for one in own if one), default="")
    counted = [_since(begun, some)[:wanted] for some in own]
    tallies = [_tally(version, some, confidence) for version, some in zip(versions, counted, strict=True)]
    first, second = tallies
    interval = newcombe((first.successes, first.tasks), (second.successes, second.tasks), confidence)
    thin = min(first.tasks, second.tasks) < wanted
    better = "" if thin else second.version if interval.low > 0 else first.version if interval.high < 0 else ""
    difference = second.rate - first.rate
    return VersionComparison(
        name, first, second, difference, interval.low, interval.high, confidence, wanted, better, thin
    )  # fmt: skip


def _since(begun: str, results: Sequence[TaskResult]) -> Sequence[TaskResult]:
    """Return the results from a time on, with the one before it: the other version's first turn came after that."""
    return results[max(0, sum(one.started < begun for one in results) - 1) :]


def _tally(version: str, results: Sequence[TaskResult], confidence: float) -> VersionTally:
    tasks, successes = len(results), sum(one.success for one in results)
    low, high = wilson(successes, tasks, confidence)
    rounds, tools, errors, tokens = (
        _mean([getattr(one, key) for one in results]) for key in ("rounds", "tools", "errors", "tokens")
    )
    sessions = tuple(name for one in results for name in one.sessions)
    rate = successes / tasks if tasks else 0.0
    return VersionTally(version, tasks, successes, rate, low, high, rounds, tools, errors, tokens, sessions)


def _mean(values: Sequence[int]) -> float:
    return fmean(values) if values else 0.0


def compare_versions(config: WorkspaceConfig, name: str, first: str, second: str) -> VersionComparison:
    """Compare two versions of a piece; see `Workspace.knowledge.compare`."""
    piece = open_piece(config, name).piece
    versions = _two(config, piece, first, second)
    settings = config.settings.knowledge
    results = task_results(config, piece.name, versions)
    made = compare_results(piece.name, versions, results, settings.tasks // 2, settings.confidence)
    return replace(made, message=verdict(config.lang, made))


def _two(config: WorkspaceConfig, piece: KnowledgePiece, first: str, second: str) -> tuple[str, str]:
    """Return the two versions that are named, or else those that take turns.

    Raises:
        UsageError: two different versions are neither named nor on trial.
        TargetError: a version does not exist.
    """
    named = (first, second) if first and second else piece.trial if not (first or second) else ()
    if len(named) != 2 or named[0] == named[1]:
        hint = say(config.lang, "knowledge.two-versions.hint", names=", ".join(version_names(config, piece.name)))
        raise UsageError(say(config.lang, "knowledge.two-versions"), hint=hint)
    for one in named:
        saved_text(config, piece.name, one)
    return named[0], named[1]


def verdict(lang: str, made: VersionComparison) -> str:
    """Return in one sentence what a comparison shows."""
    facts = {
        "a": made.first.version, "b": made.second.version, "points": f"{made.difference * 100:+.1f}",
        "low": f"{made.low * 100:+.1f}", "high": f"{made.high * 100:+.1f}", "confidence": f"{made.confidence * 100:g}",
        "wanted": made.wanted, "count": min(made.first.tasks, made.second.tasks), "better": made.better,
    }  # fmt: skip
    key = "thin" if made.thin else "better" if made.better else "undecided"
    return say(lang, f"knowledge.{key if made.first.tasks or made.second.tasks else 'untried'}", **facts)


def try_versions(commit: ChangeRequest, name: str, first: str, second: str) -> Outcome:
    """Let two versions take turns; see `Workspace.knowledge.alternate`."""
    piece = open_piece(commit.config, name).piece
    path = commit.path(piece.path)
    versions = _two(commit.config, piece, first, second)

    def change(files: DraftFiles) -> Edits:
        return {path: set_values(commit.document(files, path), {"trial": versions})}

    commit.run(change, propose=propose, paths=(path,))
    facts = {"name": piece.name, "a": versions[0], "b": versions[1], "tasks": commit.config.settings.knowledge.tasks}
    return commit.outcome(say(commit.lang, "knowledge.alternates", **facts), path)


def pick_version(commit: ChangeRequest, name: str, version: str) -> Outcome:
    """Write down which version holds from now on, and why; see `Workspace.knowledge.pick`."""
    config = commit.config
    piece = open_piece(config, name).piece
    path = commit.path(piece.path)
    made = compare_versions(config, piece.name, "", "") if piece.trial or not version else None
    chosen = version or (made.better if made else "")
    if not chosen:
        hint = made.message if made else ""
        raise RefusedError(say(config.lang, "knowledge.no-better"), hint=hint)
    target = parse(saved_text(config, piece.name, chosen).encode("utf-8", "surrogateescape"))
    line = _decision(config, chosen, made)

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        now = str((document.front_matter.values if document.front_matter else {}).get("version") or "")
        base = saved_text(config, piece.name, now) if now in version_names(config, piece.name) else document.text
        edits, conflicts = taken_back(document, parse(base.encode("utf-8", "surrogateescape")), target)
        if conflicts:
            commit.access.stop(RefusedError, "knowledge.pick-collides", path, version=chosen)
        text = _decided(apply_edits(document.text, edits), line, config)
        return {path: smallest(document.text, text)}

    commit.run(change, propose=propose, paths=(path,))
    return commit.outcome(say(config.lang, "knowledge.picked", name=piece.name, version=chosen), path, line)


def _decided(text: str, line: str, config: WorkspaceConfig) -> str:
    """Return a piece without its trial, and with the line about the decision."""
    document = parse(text.encode("utf-8", "surrogateescape"))
    plain = parse(apply_edits(text, without_key(document, "trial")).encode("utf-8", "surrogateescape"))
    template = config.schemas.match("knowledge/x.md", plain) or config.schemas.required(KIND)
    return apply_edits(plain.text, add(plain, template, [line], section=section_name(template, "evidence")).edits)


def _decision(config: WorkspaceConfig, chosen: str, made: VersionComparison | None) -> str:
    """Return the line that tells a decision and what it rests on."""
    begin = f"{config.day}{say(config.lang, 'punctuation.colon')}"
    if made is None or not (made.first.tasks and made.second.tasks):
        return begin + say(config.lang, "knowledge.decision-by-hand", version=chosen)
    last = max((*made.first.sessions, *made.second.sessions))
    counts = {
        f"{side}{key}": getattr(tally, name)
        for side, tally in (("a", made.first), ("b", made.second))
        for key, name in (("", "version"), ("_good", "successes"), ("_all", "tasks"))
    }
    told = say(config.lang, "knowledge.decision", version=chosen, why=made.message, **counts)
    return f"{begin}{told} [source:: chat:{last}]"
