"""The journey of a lint: which files, what is remembered of them, what the rules say of the rest."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.record import NamedTuple
from mdmem.store.cache import digest
from mdmem.store.files import Seen
from mdmem.workspace.config import Config
from mdmem.workspace.source import Source, found_sources, staged_sources, walk_of

if TYPE_CHECKING:
    from mdmem.store.known import KnownFiles
    from mdmem.workspace import Progress
    from mdmem.workspace.judge import Verdict


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
    store = config.cache
    settings = config.settings.lint
    chosen = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    key = digest(config.key, repr(chosen))
    known = known_of(config) if not staged and config.has_state("history/log") else None
    versions = known.versions if known else {}
    sources = staged_sources(config, paths, settings) if staged else found_sources(config, paths, settings)
    kept: dict[str, list[Diagnostic]] = {}
    missing: list[tuple[str, Source]] = []

    def look(source: Source) -> None:
        """Recall what was said of a source, or note that it must be judged."""
        version = versions.get(source.path, "")
        name = digest(key, source.path, repr(source.seen[:3]), source.seen.data, version)
        found = _recall(config, store.get(name), source.path)
        kept[source.path] = found or []
        if found is None:
            lost = known.loss_of(source.path, source.seen) if known and version else ""
            missing.append((name, source._replace(lost=lost) if lost else source))

    for count, source in enumerate(sources):
        look(source)
        if progress:
            progress(count + 1 - len(missing), 0)
    gone = gone_sources(config, known, kept.keys(), paths) if known else ()
    for source in gone:
        look(source)
    if missing:
        _judge_all(config, chosen, missing, kept, jobs, progress)
    store.save(complete=not paths and not staged)
    found = tuple(d for path in sorted(kept) for d in kept[path])
    return Report(len(kept) - len(gone), found, settings.fail_on)


def known_of(config: Config) -> KnownFiles:
    """Return the files that the history knows."""
    from mdmem.store.known import known_files  # only where there is a history

    settings = config.settings.lint
    return known_files(config.root, (settings.lost_ratio, settings.lost_min_bytes), config.cache, config.key)


def gone_sources(config: Config, known: KnownFiles, there: Collection[str], paths: Sequence[str]) -> Sequence[Source]:
    """Give the known files below these paths that are gone; `there` are the files that were found there."""

    def everything() -> Collection[str]:
        return there if not paths else list(walk_of(config).files())

    gone = known.gone(there, paths or ("",), everything, config.cache)
    return [Source(path, Seen("missing", 0, "none", b""), "gone") for path in gone]


def _judge_all(
    config: Config,
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
    missing: Sequence[tuple[str, Source]],
    kept: dict[str, list[Diagnostic]],
    jobs: int | None,
    progress: Progress | None,
) -> None:
    """Judge what is not remembered, and remember it."""
    from mdmem.workspace.judge import judge_all

    parallel = (jobs or os.cpu_count() or 1) if _heavy(missing, config.settings.lint.parallel_from_bytes, jobs) else 1
    verdicts = judge_all(config, chosen, [source for _, source in missing], parallel)
    for count, ((name, source), verdict) in enumerate(zip(missing, verdicts, strict=True)):
        kept[source.path] = verdict.diagnostics
        config.cache.put(name, _record(verdict))
        if progress:
            progress(len(kept) - len(missing) + count + 1, len(kept))


def _heavy(missing: Iterable[tuple[str, Source]], from_bytes: int, jobs: int | None) -> bool:
    return jobs != 1 and sum(source.seen.size for _, source in missing) >= from_bytes


def _record(verdict: Verdict) -> list[Any]:
    return [verdict.day, verdict.asked, [d.as_dict() for d in verdict.diagnostics]]


def _recall(config: Config, record: Any, path: str) -> list[Diagnostic] | None:  # noqa: ANN401 - a cache's content is checked here
    """Give what was said of this file, if it still holds: the same day where the day mattered, the same files there."""
    try:
        day, asked, found = record
        if day not in (None, config.day):
            return None
        if any(os.path.exists(os.path.join(config.root, other)) != there for other, there in asked.items()):
            return None
        return [Diagnostic.from_dict(values | {"path": path}) for values in found]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
