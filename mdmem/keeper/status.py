"""What waits for the keeper in a workspace: the memory files as they are, and the work that follows from them."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig, token_counter
from mdmem.entries.inbox import inbox_path, items
from mdmem.formats.limits import FileSize, Meters, SectionFill
from mdmem.formats.loss import Loss
from mdmem.formats.template import FileLimits, Template
from mdmem.keeper.conversation.model import KIND
from mdmem.keeper.pending import KINDS, PendingWork, pending
from mdmem.keeper.queue import FAILED, path_of, queue
from mdmem.linter.service import gone_sources, known_of, verdicts
from mdmem.linter.sources import all_memory_sources
from mdmem.linter.verdict import Measured
from mdmem.linter.worker import LintWorker
from mdmem.messages.catalog import say
from mdmem.sessions.read import session_days
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic


class WorkspaceFiles(NamedTuple):
    """The memory files of a workspace, and what each is held to."""

    documents: Mapping[str, Document]
    templates: Mapping[str, Template]
    meters: Mapping[str, Meters] = {}  # where they are known already


def load_workspace_files(config: WorkspaceConfig, paths: Sequence[str] = ()) -> WorkspaceFiles:
    """Read the memory files, or only some of them; other Markdown is left out."""
    judge = LintWorker(config, ((), ()))
    documents, templates = {}, {}
    for source in all_memory_sources(config, paths):
        document = parse(source.seen.data)
        template = judge.template(source.path, document)
        if template is not None and source.seen.type != "missing":
            documents[source.path], templates[source.path] = document, template
    return WorkspaceFiles(documents, templates)


def pending_work(config: WorkspaceConfig, found: WorkspaceFiles) -> tuple[PendingWork, ...]:
    """Return what waits, in the order in which it is to be done."""
    box = found.documents.get(inbox_path(config))
    dated = any(template.parts.get("ttl") for template in found.templates.values())
    sessions = session_days(config) if dated else ()
    day, count = dt.date.fromisoformat(config.day), token_counter(config.settings.tokens)
    waiting, tidy_at = overflowed(box), config.settings.keeper.tidy_at
    idle = idle_sessions(config, found)
    all_work = pending(found.documents, found.templates, day, waiting, sessions, count, found.meters, tidy_at, idle)
    return tuple(sorted(all_work, key=lambda one: (KINDS.index(one.kind), one.path)))


def idle_sessions(config: WorkspaceConfig, found: WorkspaceFiles) -> frozenset[str]:
    """Return the sessions that nobody has added to for a while."""
    least = time.time() - config.settings.extract.idle_seconds
    paths = (path for path, template in found.templates.items() if template.kind == KIND)
    return frozenset(path for path in paths if changed_at(config, path) < least)


def changed_at(config: WorkspaceConfig, path: str) -> float:
    """Return when a file was changed last; now if that is unknown."""
    try:
        return os.stat(os.path.join(config.root, path)).st_mtime
    except OSError:
        return time.time()


def overflowed(box: Document | None) -> list[tuple[str, str]]:
    """Return where the entries of an inbox belong that found no room."""
    return [(item.path, item.section) for _, item in items(box) if not (item.by or item.change)] if box else []


def worded(config: WorkspaceConfig, waits: Iterable[PendingWork]) -> tuple[str, ...]:
    """Say what waits and why, a sentence for each."""
    return tuple(
        say(config.lang, f"keeper.work-{_key(one)}", path=one.path, section=one.section, **one.reason) for one in waits
    )


def waiting(config: WorkspaceConfig, paths: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Say of each file, or of some, what waits there."""
    return _told(config, load_workspace_files(config, [*paths, inbox_path(config)] if paths else ()))


def reasons(config: WorkspaceConfig, found: WorkspaceFiles) -> dict[str, tuple[str, ...]]:
    """Return for each file what waits there, and why it failed so far."""
    told = _told(config, found)
    for key, last in queue(config).items():
        path, facts = path_of(key), {"attempts": last.attempts, "until": last.time, "reason": last.reason}
        tried = say(config.lang, "keeper.tried", **facts)
        if last.state == FAILED:
            tried = say(config.lang, "extract.given-up-work", count=last.attempts, reason=last.reason)
        told[path] = (*told.get(path, ()), *([tried] if last.attempts else ()))
    return told


def _told(config: WorkspaceConfig, found: WorkspaceFiles) -> dict[str, tuple[str, ...]]:
    waits = sorted(pending_work(config, found), key=lambda one: one.path)
    return {path: worded(config, group) for path, group in groupby(waits, key=lambda one: one.path)}


def _key(one: PendingWork) -> str:
    if one.kind == "compact" and one.reason.get("waiting"):
        return "compact-waiting"
    return f"{one.kind}-entries" if "entries" in one.reason else one.kind


class SectionStatus(NamedTuple):
    """A section's outermost entries against its cap; None is «no cap»."""

    name: str
    entries: int
    max: int | None
    pending: bool


class FileStatus(NamedTuple):
    """One memory file: characters and entries against its soft limits, sections, and findings by severity."""

    path: str
    kind: str
    chars: int
    max_chars: int | None
    entries: int
    max_entries: int | None
    sections: tuple[SectionStatus, ...]
    pending: tuple[str, ...]  # what waits for the keeper, and why; then why it did not work so far
    errors: int
    warnings: int
    too_large: int = 0  # bytes of a file that is too large to be read and searched
    lost: Loss = ""  # how it lost what the history knows of it; `gone` for one that is not there


def status(config: WorkspaceConfig) -> tuple[FileStatus, ...]:
    """Measure the memory files of a workspace, without what tools gave; other Markdown only where it is too large.

    What the linter said of a file, and its measures, come from the cache.
    """
    settings = config.settings.lint
    documents, templates, meters, rows = {}, {}, {}, list[FileStatus]()
    there = set[str]()
    template_of = cache(partial(_template, config))
    known = known_of(config)
    chosen = (tuple(settings.select), tuple(settings.ignore))
    for source, verdict in verdicts(config, all_memory_sources(config), chosen, known):
        path, measured = source.path, verdict.measured
        there.add(path)
        template = template_of(measured.kind, measured.lang)
        too_large = source.seen.size if source.seen.size > settings.max_bytes else 0
        lost = known.loss_of(path, source.seen) if path in known.files else ""
        if template is None and not too_large and not lost:
            continue
        counted = _meters(measured, template)
        rows.append(_row(path, template, counted, verdict.diagnostics, too_large)._replace(lost=lost))
        if template is not None and measured.sections is not None:
            documents[path], templates[path], meters[path] = Document(source.seen.data), template, counted
    rows += [_gone(config, one.path) for one in gone_sources(config, known, there, ())]
    config.cache.save(complete=False)
    waits = reasons(config, WorkspaceFiles(documents, templates, meters))
    return tuple(row._replace(pending=waits.get(row.path, ())) for row in sorted(rows))


def _gone(config: WorkspaceConfig, path: str) -> FileStatus:
    """Return the line of a file that is no longer there."""
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
