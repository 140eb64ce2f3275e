"""The journey of a look: how full each memory file is, what waits for the keeper, what is broken."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import parse
from mdmem.core.loss import Loss
from mdmem.core.meters import size
from mdmem.core.record import NamedTuple
from mdmem.core.template import FileLimits
from mdmem.linter.rule import Subject
from mdmem.linter.run import lint_subject
from mdmem.workspace.config import Config
from mdmem.workspace.judge import Judge
from mdmem.workspace.lost import lost_files
from mdmem.workspace.pending import reasons
from mdmem.workspace.source import memories


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
    """Measure the memory files of a workspace, without what tools gave; other Markdown only where it is too large."""
    settings = config.settings.lint
    judge = Judge(config, (settings.select, settings.ignore))
    found, waits, lost = [], reasons(config), lost_files(config)
    for source in memories(config):
        subject = judge.subject(source, parse(source.seen.data))
        too_large = source.seen.size if source.seen.size > settings.max_bytes else 0
        how = lost.get(source.path, "")
        if subject.template or too_large or how:
            diagnostics = lint_subject(subject, judge.rules, config.lang)
            measured = _measured(subject, diagnostics, waits.get(source.path, ()), too_large)
            found.append(measured._replace(lost=how))
    found += [_gone(config, path) for path, how in lost.items() if how == "gone"]
    return tuple(sorted(found, key=lambda one: one.path))


def _gone(config: Config, path: str) -> FileStatus:
    """Return the line of a file that is no longer there."""
    template = config.schemas.match(path)
    return FileStatus(path, template.kind if template else "", 0, None, 0, None, (), (), 0, 0, lost="gone")


def _measured(
    subject: Subject, diagnostics: Sequence[Diagnostic], pending: tuple[str, ...], too_large: int
) -> FileStatus:
    measured, template = size(subject.document), subject.template
    limits = template.file if template else FileLimits(None, None, None)
    sections = tuple(
        SectionStatus(fill.spec.name, fill.number, fill.spec.entries.max, fill.pending) for fill in subject.fills
    )
    return FileStatus(
        subject.path, template.kind if template else "", measured.chars, limits.max_chars, measured.entries,
        limits.max_entries, sections, pending,
        sum(one.severity == "error" for one in diagnostics),
        sum(one.severity == "warning" for one in diagnostics),
        too_large,
    )  # fmt: skip
