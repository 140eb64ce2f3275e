"""The journey of a look: how full each memory file is, what waits for the keeper, what is broken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import Document
from mdmem.core.loss import Loss
from mdmem.core.meters import Fill, Meters, Size
from mdmem.core.record import NamedTuple
from mdmem.core.template import FileLimits, Template
from mdmem.workspace.config import Config
from mdmem.workspace.lint import gone_sources, known_of, verdicts
from mdmem.workspace.pending import Found, reasons
from mdmem.workspace.source import memories
from mdmem.workspace.verdict import Measured


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


def status(config: Config) -> tuple[FileStatus, ...]:
    """Measure the memory files of a workspace, without what tools gave; other Markdown only where it is too large.

    What the linter said of a file, and its measures, come from the cache.
    """
    settings = config.settings.lint
    documents, templates, meters, rows = {}, {}, {}, list[FileStatus]()
    there = set[str]()
    template_of = cache(partial(_template, config))
    known = known_of(config)
    chosen = (tuple(settings.select), tuple(settings.ignore))
    for source, verdict in verdicts(config, memories(config), chosen, known):
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
    waits = reasons(config, Found(documents, templates, meters))
    return tuple(row._replace(pending=waits.get(row.path, ())) for row in sorted(rows))


def _gone(config: Config, path: str) -> FileStatus:
    """Return the line of a file that is no longer there."""
    template = config.schemas.match(path)
    return FileStatus(path, template.kind if template else "", 0, None, 0, None, (), (), 0, 0, lost="gone")


def _template(config: Config, kind: str, lang: str) -> Template | None:
    return config.schemas.languages(kind)[lang] if kind else None


def _meters(measured: Measured, template: Template | None) -> Meters:
    counts = zip(template.sections, measured.sections or (), strict=False) if template else ()
    return Meters(Size(measured.chars, measured.entries), tuple(Fill(spec, (), count) for spec, count in counts))


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
