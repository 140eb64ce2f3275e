"""`mdmem lint`: the quick path, which loads for unchanged files no parser."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mdmem.cli.lint_report import failed, report_words, show
from mdmem.cli.parser.options import split
from mdmem.cli.parser.usage import wrong
from mdmem.cli.terminal import ProgressLine
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
    """Lint, print, and give the exit code: 0 clean, 1 findings."""
    chosen = {"select": split(select), "ignore": split(ignore)}
    shape = "json" if json else format or "text"
    _check(paths, stdin_filename, shape, staged=staged, fix=fix, diff=diff)
    if _STDIN in paths:
        from mdmem.cli.lint_stdin import run as lint_stdin

        return lint_stdin(stdin_filename, root, lang, chosen, fail_on, shape, fix=fix, diff=diff, quiet=quiet)
    spaces = _workspaces(_named(paths, root), lang, cache=not no_cache, staged=staged)
    first = spaces[0][0] if spaces else WorkspaceConfig(os.getcwd(), lang)
    say = report_words(first)
    counter = ProgressLine(say("busy"))
    found: list[tuple[WorkspaceConfig, LintReport]] = []
    for config, inside in spaces:
        if fix or diff:
            from mdmem.linter.worker import fix_files as mend

            done = mend(config, inside, **chosen, write=not diff)
        else:
            done = lint(config, inside, **chosen, staged=staged, jobs=jobs, progress=counter)
        if not (done.files or staged):
            raise wrong("nothing-to-lint", path=_shown(config.root, inside[0] if inside else "."))
        found.append((config, done))
    counter.clear()
    shown = [one for config, done in found for one in _from_here(config.root, done)]
    files = sum(done.files for _, done in found)
    changes = [(_shown(config.root, change.path), change) for config, done in found for change in done.fixed]
    show(shown, files, changes, shape, say, quiet=quiet, diff=diff)
    return failed(shown, fail_on or first.settings.lint.fail_on) or int(diff and bool(changes))


def _check(paths: Sequence[str], filename: str | None, shape: str, *, staged: bool, fix: bool, diff: bool) -> None:
    """Refuse options that contradict each other."""
    if staged and (fix or diff):
        raise wrong("staged-alone")
    if filename and _STDIN not in paths:
        raise wrong("filename-alone")
    if _STDIN in paths and (staged or len(paths) > 1):
        raise wrong("stdin-alone")
    if _STDIN in paths and fix and shape != "text":
        raise wrong("stdin-format")


def _named(paths: Sequence[str], root: str | None) -> list[str]:
    """Return the paths as they lie from here; with a root they are meant from there. Expand what no shell expanded."""
    if root and not os.path.isdir(root):
        raise wrong("no-root", kind=WorkspaceNotFoundError, path=root)
    from_here = [os.path.join(root, path) for path in paths] or [root] if root else list(paths)
    named: list[str] = []
    for path in from_here:
        if os.path.lexists(path):
            named.append(path)
            continue
        found = _matching(path)
        if not found:
            is_pattern = any(sign in path for sign in "*?[")
            raise wrong("no-match" if is_pattern else "no-path", kind=UnreadableFileError, path=path)
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
    """Sort paths by the workspace they lie in; one in none is its own, or its folder's."""
    if staged:
        return _staged_workspaces(paths, lang, cache=cache)
    if not paths:
        return [(WorkspaceConfig(_need_root(lang), lang, remember=cache), [])]
    grouped: dict[str, list[str]] = {}
    for path in paths:
        whole = os.path.abspath(path)
        root = find_root(whole) or (whole if os.path.isdir(whole) else os.path.dirname(whole))
        grouped.setdefault(root, []).append(os.path.relpath(whole, root).replace(os.sep, "/"))
    return [
        (WorkspaceConfig(root, lang, remember=cache), [] if "." in inside else inside)
        for root, inside in grouped.items()
    ]


def _staged_workspaces(
    paths: Sequence[str], lang: str | None, *, cache: bool
) -> list[tuple[WorkspaceConfig, list[str]]]:  # fmt: skip
    """Sort staged files by the memory folder they lie in; a file in no memory folder is left out.

    Without paths, all staged files below the workspace here, or below the top of the repository. A folder without
    `mdmem.toml` that holds a memory file may be a project of any kind: only its files of a known kind are judged.
    """
    from mdmem.store import git
    from mdmem.store.walk import is_excluded, is_included, is_marked

    top = os.path.realpath(git.top("."))
    base = os.path.realpath(find_root(".") or top)
    wholes = list(map(os.path.abspath, paths)) or [os.path.join(top, name) for name in git.changed(top)]
    configs: dict[str, WorkspaceConfig] = {}
    grouped: dict[str, list[str]] = {}
    for whole in wholes:
        root = find_root(whole if os.path.isdir(whole) else os.path.dirname(whole))
        if root is None or (not paths and os.path.commonpath((base, os.path.realpath(root))) != base):
            continue
        config = configs.setdefault(root, WorkspaceConfig(root, lang, remember=cache))
        path, own = os.path.relpath(whole, root).replace(os.sep, "/"), config.settings.lint
        included = is_included(path, own.include, own.skip_folders) and not is_excluded(path, own.exclude)
        if os.path.isdir(whole) or (included and (is_marked(root) or config.schemas.kind(path))):
            grouped.setdefault(root, []).append(path)
    return [(configs[root], [] if "." in inside else inside) for root, inside in grouped.items()]


def _need_root(lang: str | None) -> str:
    root = find_root(".")
    if root is None:
        from mdmem.cli.language import spoken
        from mdmem.messages.catalog import say

        raise wrong("no-workspace", kind=WorkspaceNotFoundError, more=say(lang or spoken(), "usage.or-name-files"))
    return root


def _from_here(root: str, done: LintReport) -> list[Diagnostic]:
    """Return the findings with paths as a person here would write them."""
    names: dict[str, str] = {}
    for one in done.diagnostics:
        if one.path not in names:
            names[one.path] = _shown(root, one.path)
    return [one._replace(path=names[one.path]) for one in done.diagnostics]


def _shown(root: str, path: str) -> str:
    return os.path.relpath(os.path.join(root, path)).replace(os.sep, "/")
