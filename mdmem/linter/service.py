"""Lints the files of a workspace: cached verdicts, new verdicts, and files that are gone."""

# `worker` is imported only if a file is not in the cache, `history.known` only if there is a history.
from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.linter.sources import LintReport, LintSource, find_sources, orphan_sources, staged_sources, walk_of
from mdmem.linter.verdict import Verdict, recall
from mdmem.store.files import FileSnapshot, digest

if TYPE_CHECKING:
    from mdmem.store.history.known import KnownFiles

Progress = Callable[[int, int], None]  # (files done, files in all)


def lint(
    config: WorkspaceConfig,
    paths: Sequence[str],
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    staged: bool,
    jobs: int | None,
    progress: Progress | None,
) -> LintReport:
    """Lint files; see `Workspace.lint`."""
    settings = config.settings.lint
    choice = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    known = known_of(config) if not staged and config.has_state("history/log") else None
    sources = staged_sources(config, paths, settings) if staged else find_sources(config, paths, settings)
    results = verdicts(config, sources, choice, known, jobs=jobs, progress=progress)
    diagnostics = {source.path: verdict.diagnostics for source, verdict in results}
    files = len(diagnostics)
    gone = gone_sources(config, known, diagnostics.keys(), paths) if known else ()
    if extra := [*gone, *(orphan_sources(config, paths) if not staged else ())]:
        results = verdicts(config, extra, choice, known, jobs=1)
        diagnostics |= {source.path: verdict.diagnostics for source, verdict in results}
    config.cache.save(complete=not paths and not staged)
    return LintReport(files, tuple(d for path in sorted(diagnostics) for d in diagnostics[path]), settings.fail_on)


def verdicts(
    config: WorkspaceConfig,
    sources: Iterable[LintSource],
    choice: tuple[tuple[str, ...], tuple[str, ...]],
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


def gone_sources(
    config: WorkspaceConfig, known: KnownFiles, present: Collection[str], paths: Sequence[str]
) -> Sequence[LintSource]:
    """Return the known files below these paths that are missing; `there` are the files that were found."""

    def everything() -> Collection[str]:
        return present if not paths else list(walk_of(config).files())

    gone = known.gone(present, paths or ("",), everything, config.cache)
    return [LintSource(path, FileSnapshot("missing", 0, "none", b""), "gone") for path in gone]


def _heavy(missing: Iterable[tuple[str, LintSource]], from_bytes: int, jobs: int | None) -> bool:
    return jobs != 1 and sum(source.seen.size for _, source in missing) >= from_bytes
