"""The journey of a fix: mend each file until nothing is left to mend, prove it, and replace it whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import parse
from mdmem.core.edit import smallest
from mdmem.errors import WriteError
from mdmem.linter.fix import fix as fix_document
from mdmem.linter.run import lint_subject
from mdmem.workspace.config import Config
from mdmem.workspace.judge import Choice, Judge
from mdmem.workspace.lint import Change, Report
from mdmem.workspace.source import Source, found_sources

if TYPE_CHECKING:
    from mdmem.store.draft import Edits, Files


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
    changes: list[Change] = []
    remaining: list[Diagnostic] = []
    files = 0
    for source in found_sources(config, paths, settings):
        files += 1
        left, change = mend(judge, source)
        remaining += left
        if change:
            changes.append(change)
            if write:
                _write(config, source, change.after)
    return Report(files, tuple(remaining), settings.fail_on, tuple(changes))


def mend(judge: Judge, source: Source) -> tuple[Sequence[Diagnostic], Change | None]:
    """Mend one file in memory; return the findings that are left, and what changed."""
    verdict = judge.judge(source)
    if not any(diagnostic.fix for diagnostic in verdict.diagnostics):
        return verdict.diagnostics, None
    done = fix_document(
        parse(source.seen.data),
        lambda document: lint_subject(judge.subject(source, document), judge.rules, judge.config.lang, every=True),
    )
    after = done.document.to_bytes()
    if after == source.seen.data:
        return done.remaining, None
    return done.remaining, Change(source.path, source.seen.data, after, done.applied)


def _write(config: Config, source: Source, after: bytes) -> None:
    """Let the pen write what was mended; that it is safe, the linter has proved already."""
    old, new = (data.decode("utf-8", "surrogateescape") for data in (source.seen.data, after))

    def change(files: Files) -> Edits:
        found = files[source.path]
        if found is None or found.text != old:
            raise WriteError("changed while it was being fixed", path=source.path, hint="run the command again")
        return {source.path: smallest(old, new)}

    config.pen().commit(change, actor="user", reason="lint --fix")
