"""`mdmem lint`: the quick path, which loads neither typer nor, for unchanged files, the parser."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from mdmem.core.diagnostic import SEVERITIES, Diagnostic
from mdmem.doors import report
from mdmem.doors.options import LINT, parse, split
from mdmem.doors.terminal import Counter, Paint
from mdmem.errors import UnreadableFileError, UsageError
from mdmem.store.walk import find_root, need_root
from mdmem.workspace.config import Config
from mdmem.workspace.lint import Change, Report, lint


def main(arguments: Sequence[str]) -> int:
    """Parse the command line of the quick path and run it."""
    return run(**parse(LINT, arguments))


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
    jobs: int | None,
    lang: str | None,
    no_cache: bool,
    quiet: bool,
) -> int:
    """Lint, print, and give the exit code: 0 clean, 1 findings."""
    if staged and (fix or diff):
        raise UsageError("--staged judges the index; --fix and --diff work on files", hint="fix, then stage again")
    chosen = {"select": split(select), "ignore": split(ignore)}
    counter = Counter("linting")
    found: list[tuple[Config, Report]] = []
    for config, inside in _workspaces(paths, lang, cache=not no_cache, staged=staged):
        if fix or diff:
            from mdmem.workspace.fix import fix as mend

            done = mend(config, inside, **chosen, write=not diff)
        else:
            done = lint(config, inside, **chosen, staged=staged, jobs=jobs, progress=counter)
        found.append((config, done))
    counter.clear()
    first = found[0][0] if found else Config(os.getcwd(), lang)
    limit = SEVERITIES.index(fail_on or first.settings.lint.fail_on)
    shown = [one for config, done in found for one in _from_here(config.root, done)]
    files = sum(done.files for _, done in found)
    changes = [(_shown(config.root, change.path), change) for config, done in found for change in done.fixed]
    _print(shown, files, changes, "json" if json else format or "text", first.lang, quiet=quiet, diff=diff)
    return int(any(SEVERITIES.index(one.severity) <= limit for one in shown) or (diff and bool(changes)))


def _workspaces(paths: Sequence[str], lang: str | None, *, cache: bool, staged: bool) -> list[tuple[Config, list[str]]]:
    """Sort paths by the workspace they lie in; one in none is its own, or its folder's."""
    if staged:
        return _staged_workspaces(paths, lang, cache=cache)
    if not paths:
        return [(Config(need_root(".", "; or name the files to lint"), lang, remember=cache), [])]
    grouped: dict[str, list[str]] = {}
    for path in paths:
        whole = _existing(path)
        root = find_root(whole) or (whole if os.path.isdir(whole) else os.path.dirname(whole))
        grouped.setdefault(root, []).append(os.path.relpath(whole, root).replace(os.sep, "/"))
    return [(Config(root, lang, remember=cache), [] if "." in inside else inside) for root, inside in grouped.items()]


def _existing(path: str) -> str:
    """Return the absolute path of a file or folder; raises UnreadableFileError where there is none."""
    if not os.path.lexists(path):
        raise UnreadableFileError("there is nothing of that name", path=path, hint="check the spelling")
    return os.path.abspath(path)


def _staged_workspaces(
    paths: Sequence[str], lang: str | None, *, cache: bool
) -> list[tuple[Config, list[str]]]:  # fmt: skip
    """Sort staged files by the memory folder they lie in; a file in no memory folder is left out.

    Without paths, all staged files below the workspace here, or below the top of the repository. A folder without
    `mdmem.toml` that holds a memory file may be a project of any kind: only its files of a known kind are judged.
    """
    from mdmem.store import git
    from mdmem.store.walk import is_excluded, is_included, is_marked

    top = os.path.realpath(git.top("."))
    base = os.path.realpath(find_root(".") or top)
    wholes = list(map(_existing, paths)) or [os.path.join(top, name) for name in git.changed(top)]
    configs: dict[str, Config] = {}
    grouped: dict[str, list[str]] = {}
    for whole in wholes:
        root = find_root(whole if os.path.isdir(whole) else os.path.dirname(whole))
        if root is None or (not paths and os.path.commonpath((base, os.path.realpath(root))) != base):
            continue
        config = configs.setdefault(root, Config(root, lang, remember=cache))
        path, own = os.path.relpath(whole, root).replace(os.sep, "/"), config.settings.lint
        included = is_included(path, own.include, own.skip_folders) and not is_excluded(path, own.exclude)
        if os.path.isdir(whole) or (included and (is_marked(root) or config.schemas.kind(path))):
            grouped.setdefault(root, []).append(path)
    return [(configs[root], [] if "." in inside else inside) for root, inside in grouped.items()]


def _from_here(root: str, done: Report) -> list[Diagnostic]:
    """Give the findings with paths as a person here would write them."""
    names: dict[str, str] = {}
    for one in done.diagnostics:
        if one.path not in names:
            names[one.path] = _shown(root, one.path)
    return [one._replace(path=names[one.path]) for one in done.diagnostics]


def _shown(root: str, path: str) -> str:
    return os.path.relpath(os.path.join(root, path)).replace(os.sep, "/")


def _print(
    found: list[Diagnostic],
    files: int,
    changes: list[tuple[str, Change]],
    format: str,  # noqa: A002
    lang: str,
    *,
    quiet: bool,
    diff: bool,
) -> None:
    if format == "json":
        print(report.as_json(found, files))
        return
    if format == "github":
        print(report.github(found), end="\n" if found else "")
        return
    if format == "sarif":
        from mdmem import __version__

        print(report.sarif(found, __version__))
        return
    paint = Paint(sys.stdout)
    if diff:
        for path, change in changes:
            print(_diff(path, change), end="")
    listed = [one for one in found if one.severity != "note"] if quiet else found
    if listed:
        print(report.text(listed, _Lines().line, paint, lang))
    if changes:
        applied = sum(change.applied for _, change in changes)
        words = report.WORDS[lang]["would" if diff else "fixed"]
        print(paint("good", words.format(count=applied, files=report.count_files(len(changes), lang))))
    if not quiet:
        print(report.summary(found, files, paint, lang))


def _diff(shown: str, change: Change) -> str:
    from difflib import unified_diff

    old, new = (data.decode("utf-8", "backslashreplace").splitlines(keepends=True) for data in change[1:3])
    lines = unified_diff(old, new, f"a/{shown}", f"b/{shown}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class _Lines:
    """Reads the lines that findings point at, each file once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str | None:
        """Give a line of a file, or None where it cannot be read any more."""
        if path not in self._files:
            from mdmem.core.text import Lines
            from mdmem.store.files import look

            text = look(path, os.path.dirname(os.path.abspath(path)), 1 << 24).data.decode("utf-8", "replace")
            lines = Lines(text)
            self._files[path] = [lines.text(index) for index in range(len(lines))]
        found = self._files[path]
        return found[number - 1] if number <= len(found) else None
