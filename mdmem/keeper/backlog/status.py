"""The pending work of a workspace, and the status of each memory file against its limits."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

from mdmem.config.bundle_manifest import SKILL
from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.inbox.items import inbox_files, items
from mdmem.formats.limits import FileSize, Meters, SectionFill
from mdmem.formats.loss import Loss
from mdmem.formats.paths import is_saved_version, user_of
from mdmem.formats.template import FileLimits, Template
from mdmem.keeper.backlog.pending import KINDS, PendingWork, pending
from mdmem.keeper.backlog.queue import FAILED, path_of, queue
from mdmem.keeper.conversation.chat_window import KIND
from mdmem.linter.service import gone_sources, known_of, verdicts
from mdmem.linter.sources import all_memory_sources
from mdmem.linter.verdict import Measured
from mdmem.messages.catalog import say
from mdmem.sessions.read import session_days
from mdmem.store.walk import need_folder
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic


class WorkspaceFiles(NamedTuple):
    """The memory files of a workspace and their templates, by path."""

    documents: Mapping[str, Document]
    templates: Mapping[str, Template]
    meters: Mapping[str, Meters] = {}  # cached measures


def load_workspace_files(config: WorkspaceConfig, paths: Sequence[str] = ()) -> WorkspaceFiles:
    """Read all memory files, or those of `paths`; other Markdown is skipped."""
    documents, templates = {}, {}
    for source in all_memory_sources(config, paths):
        document = parse(source.seen.data)
        template = config.template(source.path, document)
        if template is not None and source.seen.type != "missing":
            documents[source.path], templates[source.path] = document, template
    return WorkspaceFiles(documents, templates)


def pending_work(config: WorkspaceConfig, files: WorkspaceFiles) -> tuple[PendingWork, ...]:
    """Return the pending work of the user in the order in which it is done."""
    files = _seen(config, files)
    waiting = [one for path in inbox_files(config) for one in overflowed(files.documents.get(path))]
    dated = any(template.parts.get("ttl") for template in files.templates.values())
    sessions = session_days(config) if dated else ()
    day, count = config.today, token_counter(config.settings.tokens)
    tidy_at = config.settings.keeper.tidy_at
    idle = idle_sessions(config, files)
    all_work = pending(files.documents, files.templates, day, waiting, sessions, count, files.meters, tidy_at, idle)
    return tuple(sorted(all_work, key=lambda one: (KINDS.index(one.kind), one.path)))


def _seen(config: WorkspaceConfig, files: WorkspaceFiles) -> WorkspaceFiles:
    """Return the files that the user sees."""
    paths = [path for path in files.documents if config.whose.sees(path)]
    return WorkspaceFiles(
        {path: files.documents[path] for path in paths}, {path: files.templates[path] for path in paths}, files.meters
    )


def idle_sessions(config: WorkspaceConfig, found: WorkspaceFiles) -> frozenset[str]:
    """Return the sessions that nobody has added to for a while."""
    least = time.time() - config.settings.session.idle_seconds
    paths = (path for path, template in found.templates.items() if template.kind == KIND)
    return frozenset(path for path in paths if changed_at(config, path) < least)


def changed_at(config: WorkspaceConfig, path: str) -> float:
    """Return when a file was changed last; now if that is unknown."""
    try:
        return os.stat(os.path.join(config.root, path)).st_mtime
    except OSError:
        return time.time()


def overflowed(box: Document | None) -> list[tuple[str, str]]:
    """Return the path and section of each inbox entry that found no room."""
    return [(item.path, item.section) for _, item in items(box) if not (item.by or item.change)] if box else []


def worded(config: WorkspaceConfig, waits: Iterable[PendingWork]) -> tuple[str, ...]:
    """Return a sentence for each piece of pending work."""
    return tuple(
        say(config.lang, f"keeper.work-{_key(one)}", path=one.path, section=one.section, **one.reason) for one in waits
    )


def waiting(config: WorkspaceConfig, paths: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return the sentences about pending work by file, for all files or those of `paths`."""
    inboxes = [path for one in config.everyone() for path in inbox_files(one)]
    return _by_file(config, load_workspace_files(config, [*paths, *inboxes] if paths else ()))


def reasons(config: WorkspaceConfig, files: WorkspaceFiles) -> dict[str, tuple[str, ...]]:
    """Return for each file its pending work and the reason of the last failure, in words."""
    lines = _by_file(config, files)
    for key, last in queue(config).items():
        path, facts = path_of(key), {"attempts": last.attempts, "until": last.time, "reason": last.reason}
        tried = say(config.lang, "keeper.tried", **facts)
        if last.state == FAILED:
            tried = say(config.lang, "extract.given-up-work", count=last.attempts, reason=last.reason)
        lines[path] = (*lines.get(path, ()), *([tried] if last.attempts else ()))
    return lines


def _by_file(config: WorkspaceConfig, files: WorkspaceFiles) -> dict[str, tuple[str, ...]]:
    everyone = config.everyone()
    found = ((own.user, one) for own in everyone for one in pending_work(own, files))
    its = [one for user, one in found if len(everyone) == 1 or user_of(one.path) == user]  # shared work counts once
    waits = sorted(its, key=lambda one: one.path)
    return {path: worded(config, group) for path, group in groupby(waits, key=lambda one: one.path)}


def _key(work: PendingWork) -> str:
    if work.kind == "compact" and work.reason.get("waiting"):
        return "compact-waiting"
    return f"{work.kind}-entries" if "entries" in work.reason else work.kind


@dataclass(frozen=True, slots=True)
class SectionStatus:
    """The number of a section's outermost entries, and its cap (None for no cap)."""

    name: str
    entries: int
    max: int | None
    pending: bool


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One memory file: characters and entries with their soft limits, sections, and findings by severity."""

    path: str
    kind: str
    chars: int
    max_chars: int | None
    entries: int
    max_entries: int | None
    sections: tuple[SectionStatus, ...]
    pending: tuple[str, ...]  # pending work, then the reason of the last failure
    errors: int
    warnings: int
    too_large: int = 0  # bytes of a file that is too large to be read and searched
    lost: Loss = ""  # how content was lost outside mdmem; `gone` if the file does not exist
    versions: int = 0  # saved versions of a piece of knowledge


def status(config: WorkspaceConfig) -> tuple[FileStatus, ...]:
    """Measure the memory files of a workspace except artifacts; other Markdown is listed only if it is too large.

    A saved version of a piece of knowledge is listed only if there is something to say of it; else it is counted at
    its piece. Findings and measures come from the lint cache.
    """
    need_folder(config.root)
    settings = config.settings.lint
    documents, templates, meters, rows = {}, {}, {}, list[FileStatus]()
    present, versions = set[str](), Counter[str]()
    template_of = cache(partial(_template, config))
    known = known_of(config)
    chosen = (tuple(settings.select), tuple(settings.ignore))
    for source, verdict in verdicts(config, all_memory_sources(config), chosen, known):
        path, measured = source.path, verdict.measured
        present.add(path)
        template = template_of(measured.kind, measured.lang)
        too_large = source.seen.size if source.seen.size > settings.max_bytes else 0
        lost = known.loss_of(path, source.seen) if path in known.files else ""
        if template is None and not too_large and not lost:
            continue
        if is_saved_version(path):
            versions[path.rsplit("/", 2)[0]] += 1
            if not (too_large or lost or any(one.severity != "note" for one in verdict.diagnostics)):
                continue
        size = _meters(measured, template)
        rows.append(replace(_row(path, template, size, verdict.diagnostics, too_large), lost=lost))
        if template is not None and measured.sections is not None:
            documents[path], templates[path], meters[path] = Document(source.seen.data), template, size
    rows += [_gone(config, one.path) for one in gone_sources(config, known, present, ())]
    config.cache.save(complete=False)
    waits = reasons(config, WorkspaceFiles(documents, templates, meters))
    counted = (replace(row, pending=waits.get(row.path, ()), versions=versions[_versions_of(row.path)]) for row in rows)
    return tuple(sorted(counted, key=lambda row: row.path))


def _versions_of(path: str) -> str:
    """Return the folder above the saved versions of a piece of knowledge."""
    return path.removesuffix(f"/{SKILL}").removesuffix(".md")


def _gone(config: WorkspaceConfig, path: str) -> FileStatus:
    """Return the row of a file that no longer exists."""
    template = config.schemas.match(path)
    return FileStatus(path, template.kind if template else "", 0, None, 0, None, (), (), 0, 0, lost="gone")


def _template(config: WorkspaceConfig, kind: str, lang: str) -> Template | None:
    return config.schemas.languages(kind)[lang] if kind else None


def _meters(measured: Measured, template: Template | None) -> Meters:
    counts = zip(template.sections, measured.sections or (), strict=False) if template else ()
    return Meters(
        FileSize(measured.chars, measured.entries), tuple(SectionFill(spec, (), count) for spec, count in counts)
    )


def _row(
    path: str, template: Template | None, meters: Meters, diagnostics: Sequence[Diagnostic], too_large: int
) -> FileStatus:
    limits = template.file if template else FileLimits(None, None, None)
    sections = tuple(
        SectionStatus(fill.spec.name, fill.number, fill.spec.entries.max, fill.pending) for fill in meters.fills
    )
    return FileStatus(
        path, template.kind if template else "", meters.size.chars, limits.max_chars, meters.size.entries,
        limits.max_entries, sections, (),
        sum(one.severity == "error" for one in diagnostics),
        sum(one.severity == "warning" for one in diagnostics),
        too_large,
    )  # fmt: skip
