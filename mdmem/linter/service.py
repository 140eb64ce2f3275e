"""Lints the files of a workspace: cached verdicts, new verdicts, and files that are gone."""

# `worker` is imported only if a file is not in the cache, `history.known` only if there is a history.
from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.linter.sources import (
    LintReport,
    LintSource,
    OutdatedMark,
    committed_sources,
    find_sources,
    order_marks,
    orphan_sources,
    staged_sources,
    walk_of,
)
from mdmem.linter.verdict import Choice, Verdict, recall
from mdmem.store.files import FileSnapshot, digest
from mdmem.store.walk import need_folder

if TYPE_CHECKING:
    from mdmem.linter.known_findings import Allowance
    from mdmem.store.history.known import KnownFiles
    from mdmem.text.edit import Diagnostic

Progress = Callable[[int, int], None]  # (files done, files in all)
OutdatedReader = Callable[[WorkspaceConfig], Mapping[str, tuple[OutdatedMark, ...]]]
_FACTS = "facts"  # the kind of files whose manual edits make lines of other files outdated


def lint(
    config: WorkspaceConfig,
    paths: Sequence[str],
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    staged: bool,
    jobs: int | None,
    progress: Progress | None,
    whole: bool = False,
    baseline: Allowance | None = None,
    outdated: OutdatedReader | None = None,
) -> LintReport:
    """Lint files; see `Workspace.lint`. What `baseline` knows is reported apart.

    `outdated` finds the lines that state what was replaced by hand in a facts file; it is asked where one was edited.
    """
    need_folder(config.root)
    settings = config.settings.lint
    choice = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    known = known_of(config) if not staged and config.has_state("history/log") else None
    sources = staged_sources(config, paths, settings) if staged else find_sources(config, paths, settings)
    if known and outdated and _has_edited_facts(config, known):
        marks = outdated(config)
        sources = (one._replace(outdated=marks.get(one.path, ())) for one in sources)
    if not staged and (opposed := order_marks(config)):
        sources = (one._replace(opposed=opposed.get(one.path, ())) for one in sources)
    judged = _Judged(config, choice, changes_only=staged and not whole, baseline=baseline or {})
    results = verdicts(config, sources, choice, known, jobs=jobs, progress=progress)
    present: set[str] = set()
    for source, verdict in results:
        present.add(source.path)
        judged.add(source, verdict.refusing() if staged else verdict)
    gone = gone_sources(config, known, present, paths) if known else ()
    if extra := [*gone, *(orphan_sources(config, paths) if not staged else ())]:
        for source, verdict in verdicts(config, extra, choice, known, jobs=1):
            judged.add(source, verdict)
    config.cache.save(complete=not paths and not staged)
    new, older = judged.report()
    return LintReport(len(present), new, settings.fail_on, known=older)


class _Judged:
    """The findings of a run, divided into those that count and those that were known before."""

    def __init__(self, config: WorkspaceConfig, choice: Choice, *, changes_only: bool, baseline: Allowance) -> None:
        self._config, self._choice, self._baseline = config, choice, baseline
        self._changes_only = changes_only
        self._found: dict[str, tuple[list[Diagnostic], list[Diagnostic]]] = {}

    def add(self, source: LintSource, verdict: Verdict) -> None:
        """Take the findings of a file."""
        self._found[source.path] = self._divided(source, verdict.diagnostics)

    def report(self) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
        """Return the findings that count, and those that were known, by path."""
        paths = sorted(self._found)
        new, known = (tuple(one for path in paths for one in self._found[path][side]) for side in (0, 1))
        return new, known

    def _divided(self, source: LintSource, found: list[Diagnostic]) -> tuple[list[Diagnostic], list[Diagnostic]]:
        if not found or not (self._changes_only or self._baseline):
            return found, []
        from mdmem.linter.known_findings import are_known, names_of

        names = names_of(found, source.seen.data)
        flags = are_known(found, names, self._baseline)
        if self._changes_only:
            before = self._committed(source)
            flags = [True] * len(found) if before is None else [
                one or other for one, other in zip(flags, are_known(found, names, before), strict=True)
            ]  # fmt: skip
        pairs = list(zip(found, flags, strict=True))
        known = [one._replace(severity="note") for one, is_known in pairs if is_known]
        return [one for one, is_known in pairs if not is_known], known

    def _committed(self, source: LintSource) -> Allowance | None:
        """Return the findings that the last commit has in a file; None if the next one leaves it as it is."""
        from mdmem.linter.known_findings import allowance, names_of
        from mdmem.linter.worker import LintWorker

        if source.path not in self._before:
            return None
        if (older := self._before[source.path]) is None:
            return {}
        found = LintWorker(self._config, self._choice).every(older)
        return allowance(zip(found, names_of(found, older.seen.data, source.path), strict=True))

    @cached_property
    def _before(self) -> dict[str, LintSource | None]:
        return committed_sources(self._config, self._config.settings.lint)


def verdicts(
    config: WorkspaceConfig,
    sources: Iterable[LintSource],
    choice: Choice,
    known: KnownFiles | None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[LintSource, Verdict]]:
    """Yield the verdict of each file: first the cached ones, then those of the files that are linted now.

    New verdicts are put into the cache; the caller saves it. `choice` are the rules to select and to ignore. `known`
    are the known files of the history, against which losses are found.
    """
    store, key, done = config.cache, digest(config.key, repr(choice)), 0
    store.refresh()
    missing: list[tuple[str, LintSource]] = []
    for source in sources:
        version = known.versions.get(source.path, "") if known else ""
        if source.outdated or source.opposed:
            version += repr((source.outdated, source.opposed))
        name = digest(key, source.path, repr(source.seen[:3]), source.seen.data, version)
        verdict = recall(config, store.get(name), source.path)
        if verdict is None:
            lost = known.loss_of(source.path, source.seen) if known and version else ""
            missing.append((name, source._replace(lost=lost) if lost else source))
            continue
        done += 1
        yield source, verdict
        if progress:
            progress(done, 0)
    if missing:
        from mdmem.linter.worker import lint_all

        parallel = (
            (jobs or os.cpu_count() or 1) if _heavy(missing, config.settings.lint.parallel_from_bytes, jobs) else 1
        )
        new = lint_all(config, choice, [source for _, source in missing], parallel)
        for count, ((name, source), verdict) in enumerate(zip(missing, new, strict=True), done + 1):
            store.put(name, verdict.record())
            yield source, verdict
            if progress:
                progress(count, done + len(missing))


def known_of(config: WorkspaceConfig) -> KnownFiles:
    """Return the known files of the history."""
    from mdmem.store.history.known import known_files

    settings = config.settings.lint
    return known_files(config.root, (settings.lost_ratio, settings.lost_min_bytes), config.cache, config.key)


def _has_edited_facts(config: WorkspaceConfig, known: KnownFiles) -> bool:
    """Return whether a facts file is not what the history knows last."""
    from mdmem.store.history.versions import fingerprint

    for path in known.files:
        if f"{_FACTS}/" in path and config.schemas.kind(path) == _FACTS:
            with suppress(OSError), open(os.path.join(config.root, path), "rb") as file:
                if fingerprint(file.read()) != known.met_last(path):
                    return True
    return False


def gone_sources(
    config: WorkspaceConfig, known: KnownFiles, present: Collection[str], paths: Sequence[str]
) -> Sequence[LintSource]:
    """Return the known files below these paths that are missing; `there` are the files that were found."""

    def everything() -> Collection[str]:
        return present if not paths else list(walk_of(config).files())

    gone = filter(config.whose.covers, known.gone(present, paths or ("",), everything, config.cache))
    return [LintSource(path, FileSnapshot("missing", 0, "none", b""), "gone") for path in gone]


def _heavy(missing: Iterable[tuple[str, LintSource]], from_bytes: int, jobs: int | None) -> bool:
    return jobs != 1 and sum(source.seen.size for _, source in missing) >= from_bytes
