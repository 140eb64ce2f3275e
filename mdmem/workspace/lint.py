"""The journey of a lint: which files, what is remembered of them, what the rules say of the rest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.record import NamedTuple
from mdmem.store.cache import digest
from mdmem.workspace.config import Config
from mdmem.workspace.source import Source, found_sources, staged_sources
from mdmem.workspace.verdict import Verdict, recall

if TYPE_CHECKING:
    from mdmem.workspace import Progress


class Change(NamedTuple):
    """What fixing made of one file."""

    path: str
    before: bytes
    after: bytes
    applied: int


class Report(NamedTuple):
    """What a run found: the files looked at, every finding in the order of path and place, and what was mended."""

    files: int
    diagnostics: tuple[Diagnostic, ...]
    fail_on: str  # the severity from which a run has failed, as the settings say
    fixed: tuple[Change, ...] = ()


def lint(
    config: Config,
    paths: Sequence[str],
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    staged: bool,
    jobs: int | None,
    progress: Progress | None,
) -> Report:
    """Judge the files; see `Workspace.lint`."""
    settings = config.settings.lint
    chosen = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    sources = staged_sources(config, paths, settings) if staged else found_sources(config, paths, settings)
    found = {
        source.path: verdict.diagnostics
        for source, verdict in verdicts(config, sources, chosen, jobs=jobs, progress=progress)
    }
    config.cache.save(complete=not paths and not staged)
    return Report(len(found), tuple(d for path in sorted(found) for d in found[path]), settings.fail_on)


def verdicts(
    config: Config,
    sources: Iterable[Source],
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[Source, Verdict]]:
    """Give the verdict on each file: first those that the cache holds, then those of the files judged now.

    What is new is put into the cache; the caller saves it. `chosen` are the rules to select and to ignore.
    """
    store, key, done = config.cache, digest(config.key, repr(chosen)), 0
    store.refresh()
    missing: list[tuple[str, Source]] = []
    for source in sources:
        name = digest(key, source.path, repr(source.seen[:3]), source.seen.data)
        known = recall(config, store.get(name), source.path)
        if known is None:
            missing.append((name, source))
            continue
        done += 1
        yield source, known
        if progress:
            progress(done, 0)
    if missing:
        from mdmem.workspace.judge import judge_all

        parallel = (
            (jobs or os.cpu_count() or 1) if _heavy(missing, config.settings.lint.parallel_from_bytes, jobs) else 1
        )
        judged = judge_all(config, chosen, [source for _, source in missing], parallel)
        for count, ((name, source), verdict) in enumerate(zip(missing, judged, strict=True), done + 1):
            store.put(name, verdict.record())
            yield source, verdict
            if progress:
                progress(count, done + len(missing))


def _heavy(missing: Iterable[tuple[str, Source]], from_bytes: int, jobs: int | None) -> bool:
    return jobs != 1 and sum(source.seen.size for _, source in missing) >= from_bytes
