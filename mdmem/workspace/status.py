"""The journey of a look: how full each memory file is, what waits for the keeper, what is broken."""

from __future__ import annotations

from mdmem.core.document import parse
from mdmem.core.meters import size
from mdmem.core.record import NamedTuple
from mdmem.linter.run import lint_subject
from mdmem.workspace.config import Config
from mdmem.workspace.judge import Judge
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


def status(config: Config) -> tuple[FileStatus, ...]:
    """Measure the memory files of a workspace; other Markdown in it is left out, and what tools gave."""
    settings = config.settings.lint
    judge = Judge(config, (settings.select, settings.ignore))
    found, waits = [], reasons(config)
    for source in memories(config):
        document = parse(source.seen.data)
        subject = judge.subject(source, document)
        if subject.template is None:
            continue
        measured, limits = size(document), subject.template.file
        sections = tuple(
            SectionStatus(fill.spec.name, fill.number, fill.spec.entries.max, fill.pending) for fill in subject.fills
        )
        diagnostics = lint_subject(subject, judge.rules, config.lang)
        pending = waits.get(source.path, ())
        found.append(
            FileStatus(
                source.path, subject.template.kind, measured.chars, limits.max_chars, measured.entries,
                limits.max_entries, sections, pending,
                sum(d.severity == "error" for d in diagnostics),
                sum(d.severity == "warning" for d in diagnostics),
            )
        )  # fmt: skip
    return tuple(found)
