"""The journey of a look: how full each memory file is, what waits for the keeper, what is broken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import Document
from mdmem.core.meters import Fill, Meters, Size
from mdmem.core.record import NamedTuple
from mdmem.core.template import FileLimits, Template
from mdmem.workspace.config import Config
from mdmem.workspace.lint import verdicts
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


def status(config: Config) -> tuple[FileStatus, ...]:
    """Measure the memory files of a workspace, without what tools gave; other Markdown only where it is too large.

    What the linter said of a file, and its measures, come from the cache.
    """
    settings = config.settings.lint
    documents, templates, meters, rows = {}, {}, {}, list[FileStatus]()
    template_of = cache(partial(_template, config))
    for source, verdict in verdicts(config, memories(config), (tuple(settings.select), tuple(settings.ignore))):
        path, measured = source.path, verdict.measured
        template = template_of(measured.kind, measured.lang)
        too_large = source.seen.size if source.seen.size > settings.max_bytes else 0
        if template is None and not too_large:
            continue
        counted = _meters(measured, template)
        rows.append(_row(path, template, counted, verdict.diagnostics, too_large))
        if template is not None and measured.sections is not None:
            documents[path], templates[path], meters[path] = Document(source.seen.data), template, counted
    config.cache.save(complete=False)
    waits = reasons(config, Found(documents, templates, meters))
    return tuple(row._replace(pending=waits.get(row.path, ())) for row in sorted(rows))


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
