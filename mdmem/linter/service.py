"""The files to judge, with their bytes: as they lie on disk, or as they are staged in git."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.linter.verdict import Verdict, recall
from mdmem.store.files import FileSnapshot, digest, read_snapshot
from mdmem.store.walk import FileWalk, is_included
from mdmem.text.edit import Diagnostic

if TYPE_CHECKING:
    from mdmem.formats.loss import Loss
    from mdmem.settings.tables import LintSettings
    from mdmem.store.git import Staged
    from mdmem.store.history.known import KnownFiles


class LintSource(NamedTuple):
    """A file to judge, with its bytes as they are on disk or in the index."""

    path: str
    seen: FileSnapshot
    lost: Loss = ""  # how it lost what the history knows of it


def walk_of(config: WorkspaceConfig, settings: LintSettings | None = None) -> FileWalk:
    """Return the walk over the memory files of a workspace."""
    settings = settings or config.settings.lint
    return FileWalk(config.root, settings.include, settings.exclude, settings.skip_folders)


def find_sources(config: WorkspaceConfig, paths: Sequence[str], settings: LintSettings) -> Iterator[LintSource]:
    """Read the files named, and the memory files below the folders named; without any, all of the workspace."""
    walk = walk_of(config, settings)
    done: set[str] = set()
    for path in paths or ("",):
        whole = os.path.join(config.root, path)
        inside = not os.path.islink(whole) and os.path.isdir(whole)
        for one in walk.files(path) if inside else (path,):
            if one not in done:
                done.add(one)
                yield LintSource(one, read_snapshot(os.path.join(config.root, one), config.root, settings.max_bytes))


def all_memory_sources(
    config: WorkspaceConfig, paths: Sequence[str] = (), max_bytes: int | None = None
) -> Iterator[LintSource]:
    """Read the memory files, but for what tools gave: of that there is much, and nothing in it grows."""
    from mdmem.formats.artifact import FOLDER

    settings = config.settings.lint
    skip, most = (*settings.skip_folders, FOLDER), max_bytes or settings.max_bytes
    yield from find_sources(config, paths, settings._replace(skip_folders=skip, max_bytes=most))


def staged_sources(config: WorkspaceConfig, paths: Sequence[str], settings: LintSettings) -> Iterator[LintSource]:
    """Read what is staged below the workspace: the paths named, or every memory file that the commit would change."""
    from mdmem.store import git

    top = git.top(config.root)
    prefix = os.path.relpath(os.path.realpath(config.root), os.path.realpath(top)).replace(os.sep, "/")
    prefix = "" if prefix == "." else f"{prefix}/"
    for one in git.staged(top, [prefix + path for path in paths], settings.max_bytes):
        path = one.path.removeprefix(prefix)
        if one.path.startswith(prefix) and (paths or is_included(path, settings.include, settings.skip_folders)):
            yield LintSource(
                path, _staged_link(path, one) if one.link else FileSnapshot("regular", one.size, "none", one.data)
            )


def _staged_link(path: str, one: Staged) -> FileSnapshot:
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(one.data)))
    outside = os.path.isabs(target) or target.split(os.sep)[0] == ".."
    return FileSnapshot("regular", 0, "outside" if outside else "inside", b"")


class FileFix(NamedTuple):
    """What fixing made of one file."""

    path: str
    before: bytes
    after: bytes
    applied: int


class LintReport(NamedTuple):
    """What a run found: the files looked at, every finding in the order of path and place, and what was mended."""

    files: int
    diagnostics: tuple[Diagnostic, ...]
    fail_on: str  # the severity from which a run has failed, as the settings say
    fixed: tuple[FileFix, ...] = ()


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
    """Judge the files; see `Workspace.lint`."""
    settings = config.settings.lint
    chosen = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    known = known_of(config) if not staged and config.has_state("history/log") else None
    sources = staged_sources(config, paths, settings) if staged else find_sources(config, paths, settings)
    judged = verdicts(config, sources, chosen, known, jobs=jobs, progress=progress)
    found = {source.path: verdict.diagnostics for source, verdict in judged}
    files = len(found)
    gone = gone_sources(config, known, found.keys(), paths) if known else ()
    if gone:
        found |= {source.path: verdict.diagnostics for source, verdict in verdicts(config, gone, chosen, known, jobs=1)}
    config.cache.save(complete=not paths and not staged)
    return LintReport(files, tuple(d for path in sorted(found) for d in found[path]), settings.fail_on)


def verdicts(
    config: WorkspaceConfig,
    sources: Iterable[LintSource],
    chosen: tuple[tuple[str, ...], tuple[str, ...]],
    known: KnownFiles | None,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[LintSource, Verdict]]:
    """Return the verdict on each file: first those that the cache holds, then those of the files judged now.

    What is new is put into the cache; the caller saves it. `chosen` are the rules to select and to ignore, `known` the
    files of the history, against which a file that was emptied or clobbered is found.
    """
    store, key, done = config.cache, digest(config.key, repr(chosen)), 0
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
        from mdmem.linter.worker import judge_all

        parallel = (
            (jobs or os.cpu_count() or 1) if _heavy(missing, config.settings.lint.parallel_from_bytes, jobs) else 1
        )
        judged = judge_all(config, chosen, [source for _, source in missing], parallel)
        for count, ((name, source), verdict) in enumerate(zip(missing, judged, strict=True), done + 1):
            store.put(name, verdict.record())
            yield source, verdict
            if progress:
                progress(count, done + len(missing))


def known_of(config: WorkspaceConfig) -> KnownFiles:
    """Return the files that the history knows."""
    from mdmem.store.history.known import known_files  # only where there is a history

    settings = config.settings.lint
    return known_files(config.root, (settings.lost_ratio, settings.lost_min_bytes), config.cache, config.key)


def gone_sources(
    config: WorkspaceConfig, known: KnownFiles, there: Collection[str], paths: Sequence[str]
) -> Sequence[LintSource]:
    """Return the known files below these paths that are gone; `there` are the files that were found there."""

    def everything() -> Collection[str]:
        return there if not paths else list(walk_of(config).files())

    gone = known.gone(there, paths or ("",), everything, config.cache)
    return [LintSource(path, FileSnapshot("missing", 0, "none", b""), "gone") for path in gone]


def _heavy(missing: Iterable[tuple[str, LintSource]], from_bytes: int, jobs: int | None) -> bool:
    return jobs != 1 and sum(source.seen.size for _, source in missing) >= from_bytes


Progress = Callable[[int, int], None]  # (files done, files in all)
