"""`mdmem lint`: find the workspaces of the paths, lint them, and print the report.

The parser, the fixes, the facts, git and the messages are imported when needed: a run over unchanged files
loads none of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from mdmem.cli.console import ProgressBar, safe
from mdmem.cli.lint_report import Say, failed, report_words, show
from mdmem.cli.opened import opened
from mdmem.cli.usage import split, usage_error
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UnreadableFileError, WorkspaceNotFoundError
from mdmem.linter.service import lint
from mdmem.linter.sources import LintReport, OutdatedMark, is_judged
from mdmem.store.walk import find_root
from mdmem.text.edit import Diagnostic

if TYPE_CHECKING:
    from mdmem.linter.known_findings import Allowance

_STDIN = "-"
_OF_A_COMMIT = "GIT_INDEX_FILE"  # set by git where a hook runs
_CODE = "MM"  # begins the code of a rule


def run(
    *,
    paths: Sequence[str],
    fix: bool,
    diff: bool,
    staged: bool,
    whole: bool,
    baseline: str | None,
    write_baseline: str | None,
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
    _check_judging(paths, baseline, write_baseline, staged=staged, whole=whole, change=fix or diff)
    if _STDIN in paths:
        from mdmem.cli.lint_stdin import run as lint_stdin

        return lint_stdin(stdin_filename, root, lang, chosen, fail_on, output_format, fix=fix, diff=diff, quiet=quiet)
    spaces = _workspaces(_named(paths, root), lang, cache=not no_cache, staged=staged)
    for config, _ in spaces:
        opened(config)
    first = spaces[0][0] if spaces else WorkspaceConfig(os.getcwd(), lang)
    say = report_words(first)
    known = _known(baseline)
    counter = ProgressBar(say("busy"))
    found: list[tuple[WorkspaceConfig, LintReport]] = []
    for config, members in spaces:
        if fix or diff:
            from mdmem.linter.worker import fix_files

            report = fix_files(config, members, **chosen, write=not diff)
        else:
            report = lint(
                config, members, **chosen, staged=staged, jobs=jobs, progress=counter, whole=whole,
                baseline=known(config.root), outdated=_outdated,
            )  # fmt: skip
        if not (report.files or staged):
            raise usage_error("nothing-to-lint", path=_display_path(config.root, members[0] if members else "."))
        found.append((config, report))
    counter.close()
    if write_baseline:
        return _write_baseline(write_baseline, found, say, quiet=quiet)
    shown = [one for config, report in found for one in _from_here(config.root, report.diagnostics)]
    older = [one for config, report in found for one in _from_here(config.root, report.known)]
    files = sum(report.files for _, report in found)
    changes = [(_display_path(config.root, change.path), change) for config, report in found for change in report.fixed]
    is_change = staged and not whole
    show(shown, files, changes, output_format, say, quiet=quiet, diff=diff, known=older, list_known=is_change)
    code = failed(shown, fail_on or first.settings.lint.fail_on) or int(diff and bool(changes))
    return _told_of_commit(code, say) if staged and shown and output_format == "text" else code


def _told_of_commit(code: int, say: Say) -> int:
    """Return the exit code; where git runs the hook of a commit, say what becomes of the commit."""
    if _OF_A_COMMIT in os.environ:
        print(say("commit-stopped" if code else "commit-goes-on"))
    return code


def _outdated(config: WorkspaceConfig) -> Mapping[str, tuple[OutdatedMark, ...]]:
    """Return the lines that state what was replaced by hand; called where a facts file was edited."""
    from mdmem.facts.hand_edits import outdated_marks

    return outdated_marks(config)


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


def _check_judging(
    paths: Sequence[str], baseline: str | None, write_baseline: str | None, *, staged: bool, whole: bool, change: bool
) -> None:
    """Refuse options about what counts that contradict each other."""
    if whole and not staged:
        raise usage_error("all-alone")
    given = {"--baseline": baseline, "--write-baseline": write_baseline}
    for option in (name for name, path in given.items() if path is not None):
        if not given[option]:
            raise usage_error("needs-value", option=option, usage=f"{option} FILE", program="mdmem lint")
        if change or _STDIN in paths or (write_baseline and (staged or baseline)):
            raise usage_error("baseline-alone", option=option)


def _known(baseline: str | None) -> Callable[[str], Allowance]:
    """Read the file of `--baseline`; return what tells what is known of a workspace, nothing without the option."""
    if baseline is None:
        return lambda _: {}
    from mdmem.cli.lint_baseline import BaselineFile

    file = BaselineFile(baseline)
    return partial(file.below, file.read())


def _write_baseline(
    path: str, found: Sequence[tuple[WorkspaceConfig, LintReport]], say: Say, *, quiet: bool
) -> int:  # fmt: skip
    """Write what was found to a file, and tell what is not in it."""
    from mdmem.cli.lint_baseline import BaselineFile

    written, secrets = BaselineFile(path).write(found)
    if not quiet:
        print(say("baseline", count=written, path=safe(path)))
    if secrets:
        print(say("baseline-secrets", count=secrets))
    return 0


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
            if path[:2].upper() == _CODE and path[2:].isdecimal():
                raise usage_error("code-no-path", kind=UnreadableFileError, path=path, code=path.upper())
            if usage := _call_of(path, paths):
                raise usage_error("verb-no-path", kind=UnreadableFileError, path=path, usage=usage)
            is_pattern = any(sign in path for sign in "*?[")
            raise usage_error("no-match" if is_pattern else "no-path", kind=UnreadableFileError, path=path)
        named += found
    return named


def _call_of(path: str, paths: Sequence[str]) -> str:
    """Return the call that is meant by a verb of mdmem among the paths; empty for any other word."""
    from shlex import quote

    from mdmem.cli.grammar.verbs import VERBS

    return " ".join(("mdmem", *map(quote, paths[list(paths).index(path) :]))) if path in VERBS else ""


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
    from mdmem.store.git.repository import top_of
    from mdmem.store.git.staged_files import changed
    from mdmem.store.walk import is_marked

    top = os.path.realpath(top_of("."))
    base = os.path.realpath(find_root(".") or top)
    absolute_paths = list(map(os.path.abspath, paths)) or [os.path.join(top, name) for name in changed(top)]
    configs: dict[str, WorkspaceConfig] = {}
    grouped: dict[str, list[str]] = {}
    for absolute in absolute_paths:
        root = find_root(absolute if os.path.isdir(absolute) else os.path.dirname(absolute))
        if root is None or (not paths and os.path.commonpath((base, os.path.realpath(root))) != base):
            continue
        config = configs.setdefault(root, WorkspaceConfig(root, lang, remember=cache))
        path, settings = os.path.relpath(absolute, root).replace(os.sep, "/"), config.settings.lint
        if os.path.isdir(absolute) or (is_judged(path, settings) and (is_marked(root) or config.schemas.kind(path))):
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


def _from_here(root: str, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the findings with paths relative to the current folder."""
    names: dict[str, str] = {}
    for diagnostic in found:
        if diagnostic.path not in names:
            names[diagnostic.path] = _display_path(root, diagnostic.path)
    return [one._replace(path=names[one.path]) for one in found]


def _display_path(root: str, path: str) -> str:
    return os.path.relpath(os.path.join(root, path)).replace(os.sep, "/")
