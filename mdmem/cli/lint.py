"""`mdmem lint`: find the workspaces of the paths, lint them, and print the report.

The parser, the fixes, git and the messages are imported when needed: a run over unchanged files loads none of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from mdmem.cli.console import ProgressBar
from mdmem.cli.grammar.usage import split, usage_error
from mdmem.cli.lint_report import failed, report_words, show
from mdmem.cli.opened import opened
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UnreadableFileError, WorkspaceNotFoundError
from mdmem.linter.service import lint
from mdmem.linter.sources import LintReport
from mdmem.store.walk import find_root
from mdmem.text.edit import Diagnostic

_STDIN = "-"


def run(
    *,
    paths: Sequence[str],
    fix: bool,
    diff: bool,
    staged: bool,
    select: Sequence[str] | None,
    ignore: Sequence[str] | None,
    fail_on: str | None,
    format: str | None,  # noqa: A002 - the option's name
    json: bool,
    stdin_filename: str | None,
    jobs: int | None,
    root: str | None,
    lang: str | None,
    no_cache: bool,
    quiet: bool,
) -> int:
    """Lint, print, and return the exit code: 0 for clean, 1 for findings."""
    chosen = {"select": split(select), "ignore": split(ignore)}
    output_format = "json" if json else format or "text"
    _check(paths, stdin_filename, output_format, staged=staged, fix=fix, diff=diff)
    if _STDIN in paths:
        from mdmem.cli.lint_stdin import run as lint_stdin

        return lint_stdin(stdin_filename, root, lang, chosen, fail_on, output_format, fix=fix, diff=diff, quiet=quiet)
    spaces = _workspaces(_named(paths, root), lang, cache=not no_cache, staged=staged)
    for config, _ in spaces:
        opened(config)
    first = spaces[0][0] if spaces else WorkspaceConfig(os.getcwd(), lang)
    say = report_words(first)
    counter = ProgressBar(say("busy"))
    found: list[tuple[WorkspaceConfig, LintReport]] = []
    for config, members in spaces:
        if fix or diff:
            from mdmem.linter.worker import fix_files

            report = fix_files(config, members, **chosen, write=not diff)
        else:
            report = lint(config, members, **chosen, staged=staged, jobs=jobs, progress=counter)
        if not (report.files or staged):
            raise usage_error("nothing-to-lint", path=_display_path(config.root, members[0] if members else "."))
        found.append((config, report))
    counter.close()
    shown = [one for config, report in found for one in _from_here(config.root, report)]
    files = sum(report.files for _, report in found)
    changes = [(_display_path(config.root, change.path), change) for config, report in found for change in report.fixed]
    show(shown, files, changes, output_format, say, quiet=quiet, diff=diff)
    return failed(shown, fail_on or first.settings.lint.fail_on) or int(diff and bool(changes))


def _check(
    paths: Sequence[str], filename: str | None, output_format: str, *, staged: bool, fix: bool, diff: bool
) -> None:
    """Refuse options that contradict each other."""
    if staged and (fix or diff):
        raise usage_error("staged-alone")
    if filename and _STDIN not in paths:
        raise usage_error("filename-alone")
    if _STDIN in paths and (staged or len(paths) > 1):
        raise usage_error("stdin-alone")
    if _STDIN in paths and fix and output_format != "text":
        raise usage_error("stdin-format")


def _named(paths: Sequence[str], root: str | None) -> list[str]:
    """Return the paths relative to the current folder; paths below `root` are joined to it, patterns are expanded."""
    if root and not os.path.isdir(root):
        from shlex import quote

        raise usage_error("no-root", kind=WorkspaceNotFoundError, path=root, folder=quote(root))
    from_here = [os.path.join(root, path) for path in paths] or [root] if root else list(paths)
    named: list[str] = []
    for path in from_here:
        if os.path.lexists(path):
            named.append(path)
            continue
        found = _matching(path)
        if not found:
            is_pattern = any(sign in path for sign in "*?[")
            raise usage_error("no-match" if is_pattern else "no-path", kind=UnreadableFileError, path=path)
        named += found
    return named


def _matching(path: str) -> list[str]:
    if not any(sign in path for sign in "*?["):
        return []
    from glob import glob

    return sorted(glob(path, recursive=True))


def _workspaces(
    paths: Sequence[str], lang: str | None, *, cache: bool, staged: bool
) -> list[tuple[WorkspaceConfig, list[str]]]:
    """Return paths grouped by workspace; a path outside of workspaces is linted in its own folder."""
    if staged:
        return _staged_workspaces(paths, lang, cache=cache)
    if not paths:
        return [(WorkspaceConfig(_need_root(lang), lang, remember=cache), [])]
    grouped: dict[str, list[str]] = {}
    for path in paths:
        absolute = os.path.abspath(path)
        root = find_root(absolute) or (absolute if os.path.isdir(absolute) else os.path.dirname(absolute))
        grouped.setdefault(root, []).append(os.path.relpath(absolute, root).replace(os.sep, "/"))
    return [
        (WorkspaceConfig(root, lang, remember=cache), [] if "." in members else members)
        for root, members in grouped.items()
    ]


def _staged_workspaces(
    paths: Sequence[str], lang: str | None, *, cache: bool
) -> list[tuple[WorkspaceConfig, list[str]]]:  # fmt: skip
    """Return staged files grouped by workspace; files outside of workspaces are skipped.

    Without paths, use all staged files below the current workspace, or below the top of the repository. A folder
    without `mdmem.toml` may be any project, so only its files of a known kind are linted.
    """
    from mdmem.store import git
    from mdmem.store.walk import is_excluded, is_included, is_marked

    top = os.path.realpath(git.top("."))
    base = os.path.realpath(find_root(".") or top)
    absolute_paths = list(map(os.path.abspath, paths)) or [os.path.join(top, name) for name in git.changed(top)]
    configs: dict[str, WorkspaceConfig] = {}
    grouped: dict[str, list[str]] = {}
    for absolute in absolute_paths:
        root = find_root(absolute if os.path.isdir(absolute) else os.path.dirname(absolute))
        if root is None or (not paths and os.path.commonpath((base, os.path.realpath(root))) != base):
            continue
        config = configs.setdefault(root, WorkspaceConfig(root, lang, remember=cache))
        path, settings = os.path.relpath(absolute, root).replace(os.sep, "/"), config.settings.lint
        included = is_included(path, settings.include, settings.skip_folders) and not is_excluded(
            path, settings.exclude
        )
        if os.path.isdir(absolute) or (included and (is_marked(root) or config.schemas.kind(path))):
            grouped.setdefault(root, []).append(path)
    return [(configs[root], [] if "." in members else members) for root, members in grouped.items()]


def _need_root(lang: str | None) -> str:
    root = find_root(".")
    if root is None:
        from mdmem.cli.language import current_language
        from mdmem.messages.catalog import say

        raise usage_error(
            "no-workspace", kind=WorkspaceNotFoundError, more=say(lang or current_language(), "usage.or-name-files")
        )
    return root


def _from_here(root: str, report: LintReport) -> list[Diagnostic]:
    """Return the findings with paths relative to the current folder."""
    names: dict[str, str] = {}
    for diagnostic in report.diagnostics:
        if diagnostic.path not in names:
            names[diagnostic.path] = _display_path(root, diagnostic.path)
    return [one._replace(path=names[one.path]) for one in report.diagnostics]


def _display_path(root: str, path: str) -> str:
    return os.path.relpath(os.path.join(root, path)).replace(os.sep, "/")
