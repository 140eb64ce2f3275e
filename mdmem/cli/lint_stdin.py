"""`mdmem lint -`: lint a text from the standard input as the content of a file, for editors."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from mdmem.cli.lint_report import failed, report_words, show
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.linter.sources import FileFix, LintSource
from mdmem.linter.worker import LintWorker, fix_source
from mdmem.store.files import FileSnapshot
from mdmem.store.walk import find_root
from mdmem.text.spans import Lines

_NAMELESS = "stdin.md"  # a file of no kind


def run(
    filename: str | None,
    root: str | None,
    lang: str | None,
    chosen: Mapping[str, list[str] | None],
    fail_on: str | None,
    output_format: str,
    *,
    fix: bool,
    diff: bool,
    quiet: bool,
) -> int:
    """Lint the standard input and return the exit code.

    With `fix`, the fixed text goes to the standard output, and the remaining findings to the standard error.
    """
    absolute = os.path.abspath(os.path.join(root or ".", filename or _NAMELESS))
    folder = os.path.abspath(root) if root else find_root(absolute) or os.path.dirname(absolute)
    config = WorkspaceConfig(folder, lang)
    settings = config.settings.lint
    select, ignore = chosen["select"], chosen["ignore"]
    worker = LintWorker(config, (tuple(select or settings.select), tuple(ignore or settings.ignore)))
    data, path = sys.stdin.buffer.read(), os.path.relpath(absolute, folder).replace(os.sep, "/")
    source = LintSource(path, FileSnapshot("regular", len(data), "none", data))
    change: FileFix | None = None
    if fix or diff:
        found, change = fix_source(worker, source)
    else:
        found = worker.lint(source).diagnostics
    shown = filename or "-"
    listed = [one._replace(path=shown) for one in found]
    after = change.after if change else data
    if fix:
        sys.stdout.buffer.write(after)
        sys.stdout.flush()
    lines = Lines((data if diff else after).decode("utf-8", "replace"))
    show(
        listed, 1, [(shown, change)] if change else [], output_format, report_words(config), quiet=quiet, diff=diff,
        read=lambda _, number: lines.text(number - 1) if number <= len(lines) else None,
        stream=sys.stderr if fix else sys.stdout,
    )  # fmt: skip
    return failed(listed, fail_on or settings.fail_on) or int(diff and change is not None)
