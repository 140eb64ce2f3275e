"""The journey of a fix: mend each file until nothing is left to mend, prove it, and replace it whole."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mdmem.core.document import parse
from mdmem.linter.fix import fix as fix_document
from mdmem.linter.run import lint_subject
from mdmem.store.files import replace
from mdmem.workspace.config import Config
from mdmem.workspace.judge import Choice, Judge
from mdmem.workspace.lint import Change, Report
from mdmem.workspace.source import Source, found_sources


def fix(
    config: Config,
    paths: Sequence[str],
    *,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    write: bool,
) -> Report:
    """Mend the files; see `Workspace.fix`."""
    settings = config.settings.lint
    choice: Choice = (
        tuple(settings.select if select is None else select),
        tuple(settings.ignore if ignore is None else ignore),
    )
    judge = Judge(config, choice)
    changes, remaining, files = [], [], 0
    for source in found_sources(config, paths, settings):
        files += 1
        verdict = judge.judge(source)
        if not any(diagnostic.fix for diagnostic in verdict.diagnostics):
            remaining += verdict.diagnostics
            continue
        done = fix_document(
            parse(source.seen.data),
            lambda document, s=source: lint_subject(judge.subject(s, document), judge.rules, config.lang, every=True),  # type: ignore[misc]
        )
        remaining += done.remaining
        after = done.document.to_bytes()
        if after != source.seen.data:
            changes.append(Change(source.path, source.seen.data, after, done.applied))
            if write:
                _write(config, source, after)
    return Report(files, tuple(remaining), settings.fail_on, tuple(changes))


def _write(config: Config, source: Source, after: bytes) -> None:
    replace(os.path.join(config.root, source.path), source.seen.data, after, source.path)
