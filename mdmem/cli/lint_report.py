"""Print findings for people, for programs (JSON), for GitHub workflows, and for code scanners (SARIF).

`json`, `difflib`, `urllib` and the readers of messages and files are imported by the formats that need them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from mdmem import SEVERITIES, Diagnostic
from mdmem.cli.console import Paint, columns, folded, labelled, safe, width
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.linter.sources import FileFix
from mdmem.messages.counted import counted
from mdmem.store.files import digest

Line = Callable[[str, int], str | None]  # (path, 1-based line) → its text
Say = Callable[..., str]  # (key of `[cli.lint]`, **facts) → a sentence

_EXCERPT = 100  # characters of a line that are shown
_GUTTER = 10  # columns of the line's number, and of the marks for what is left out
_INDENT = 6


def text(found: Sequence[Diagnostic], line: Line, paint: Paint, say: Say) -> str:
    """Return findings for a person: location, severity, message, the line with the text underlined, and the hint."""
    out = []
    secret = {(one.path, one.line) for one in found if one.secret}
    for diagnostic in found:
        place = f"{safe(diagnostic.path)}:{diagnostic.line}:{diagnostic.column}:"
        severity, mark = say(diagnostic.severity), " [*]" if diagnostic.fix else ""
        head = f"{place} {severity} {diagnostic.code} "
        told = folded(f"{head}{safe(diagnostic.message)}{mark}", _INDENT)
        if told.startswith(head):  # colours have no width, so they come after the folding
            painted = (paint("path", place), paint(diagnostic.severity, severity), paint("dim", diagnostic.code))
            told = " ".join((*painted, told[len(head) :]))
        out.append(told.removesuffix(mark) + paint("fix", mark) if mark and told.endswith(mark) else told)
        is_secret = (diagnostic.path, diagnostic.line) in secret  # also where another rule finds something
        source = None if is_secret else line(diagnostic.path, diagnostic.line)
        if source is not None and source.strip():
            out += _excerpt(diagnostic, source, paint)
        if diagnostic.hint:
            head = say("advice")
            hint = folded(f"      {labelled(head, safe(diagnostic.hint))}", _INDENT)
            out.append(hint.replace(head, paint("dim", head), 1))
    return "\n".join(out)


def _excerpt(diagnostic: Diagnostic, source: str, paint: Paint) -> list[str]:
    """Return the line, or the relevant part of a long one, with the finding underlined."""
    room = min(_EXCERPT, columns() - _GUTTER)
    most = room if width(safe(source)) <= len(source) else room // 2  # wide characters take two columns
    start = diagnostic.column - 1
    end = diagnostic.end_column - 1 if diagnostic.end_line == diagnostic.line else len(source)
    begin = 0 if len(source) <= most else max(0, min(start - most // 4, len(source) - most))
    piece = source[begin : begin + most]
    before, marked = safe(piece[: start - begin]), safe(piece[start - begin : max(end, start + 1) - begin])
    gutter = f"{diagnostic.line:>5} │ "
    mark = paint(diagnostic.severity, "^" * max(1, width(marked)))
    return [
        f"{paint('dim', gutter)}{'…' if begin else ''}{safe(piece)}{'…' if begin + most < len(source) else ''}",
        f"{paint('dim', '      │ ')}{' ' * (width(before) + (1 if begin else 0))}{mark}",
    ]


def summary(found: Sequence[Diagnostic], files: int, paint: Paint, say: Say, *, known: bool = False) -> str:
    """Return a line with the number of findings of each severity."""
    if not found:
        return paint("good", "✓ " + say("nothing-new" if known else "clean", files=files))
    parts = [
        paint(severity, say(f"{severity}s", count=number))
        for severity in SEVERITIES
        if (number := sum(one.severity == severity for one in found))
    ]
    fixable = sum(bool(one.fix) for one in found)
    tail = f" · {say('fixable', count=fixable)}" if fixable else ""
    mark = "✗" if any(one.severity != "note" for one in found) else "·"
    return f"{mark} {say('found', counts=' · '.join(parts), files=files)}{tail}"


def as_json(found: Sequence[Diagnostic], files: int, known: Sequence[Diagnostic] = ()) -> str:
    """Return one JSON object: the number of files, and the findings with their fixes as offsets and texts."""
    import json

    values: dict[str, object] = {"files": files, "findings": [one.as_dict() for one in found]}
    if known:
        values["known"] = [one.as_dict() for one in known]
    return json.dumps(values, ensure_ascii=False, indent=1)


def github(found: Sequence[Diagnostic]) -> str:
    """Return GitHub workflow commands, which show each finding beside its line in a pull request."""
    levels = {"error": "error", "warning": "warning", "note": "notice"}
    return "\n".join(
        f"::{levels[one.severity]} file={_escape(one.path, ',:')},line={one.line},col={one.column},"
        f"endLine={one.end_line},title={one.code} {one.name}::{_escape(one.message)}"
        + (f" ({_escape(one.hint)})" if one.hint else "")
        for one in found
    )


def _escape(value: str, more: str = "") -> str:
    for char in "%\r\n" + more:
        value = value.replace(char, f"%{ord(char):02X}")
    return value


def sarif(found: Sequence[Diagnostic], version: str, known: Sequence[Diagnostic] = ()) -> str:
    """Return a SARIF 2.1.0 log with one run."""
    import json

    rules = sorted({(one.code, one.name) for one in (*found, *known)})
    index = {code: position for position, (code, _) in enumerate(rules)}
    results = [
        {
            "ruleId": one.code,
            "ruleIndex": index[one.code],
            "level": one.severity,
            "message": {"text": f"{one.message} ({one.hint})" if one.hint else one.message},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": _uri(one.path)}, "region": _region(one)}}],
        }
        | ({"baselineState": state} if known else {})
        for state, group in (("new", found), ("unchanged", known))
        for one in group
    ]
    driver = {"name": "mdmem", "version": version, "rules": [{"id": code, "name": name} for code, name in rules]}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(log, ensure_ascii=False, indent=1)


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path)


def _region(diagnostic: Diagnostic) -> dict[str, int]:
    return {
        "startLine": diagnostic.line,
        "startColumn": diagnostic.column,
        "endLine": diagnostic.end_line,
        "endColumn": max(diagnostic.end_column, diagnostic.column + 1)
        if diagnostic.line == diagnostic.end_line
        else diagnostic.end_column,
    }


def report_words(config: WorkspaceConfig) -> Say:
    """Return the `Say` of a report; its messages are cached, so that a run over unchanged files parses no TOML."""
    name = digest(config.key, "report")
    cached = config.cache.get(name)
    if not isinstance(cached, dict):
        from mdmem.messages.catalog import table

        cached = table(config.lang, "cli.lint")
        config.cache.put(name, cached)
    return lambda key, **facts: str(cached[f"cli.lint.{key}"]).format_map(counted(facts))


def failed(found: Sequence[Diagnostic], fail_on: str) -> int:
    """Return the exit code: 1 if a finding has this severity or a higher one."""
    limit = SEVERITIES.index(fail_on)
    return int(any(SEVERITIES.index(one.severity) <= limit for one in found))


def show(
    found: Sequence[Diagnostic],
    files: int,
    changes: Sequence[tuple[str, FileFix]],
    format: str,  # noqa: A002
    say: Say,
    *,
    quiet: bool,
    diff: bool,
    read: Line | None = None,
    stream: TextIO | None = None,
    known: Sequence[Diagnostic] = (),
    list_known: bool = False,
) -> None:
    """Print findings and fixes; `read` returns the lines of a text that is not in a file.

    What was `known` before is only counted, or with `list_known` listed as notes.
    """
    older = known if list_known else ()
    stream = stream or sys.stdout
    if format == "json":
        print(as_json(found, files, known))
        return
    if format == "github":
        listed = [*found, *older]
        print(github(listed), end="\n" if listed else "")
        return
    if format == "sarif":
        from mdmem import __version__

        print(sarif(found, __version__, known))
        return
    paint = Paint(stream)
    if diff:
        for path, change in changes:
            print(_diff(path, change), end="")
    listed = [one for one in found if one.severity != "note"] if quiet else [*found, *older]
    if listed and not diff:  # what stays is counted: its lines are those of a text that is in no file yet
        print(text(listed, read or _LineReader().line, paint, say), file=stream)
    if diff and not changes and not quiet:
        print(say("nothing-to-fix"), file=stream)
    if changes:
        mended = [f"  {safe(path)}:{line} {code}" for path, change in changes for line, code in change.mended]
        if mended and not (diff or quiet):
            print("\n".join(mended), file=stream)
        applied = sum(change.applied for _, change in changes)
        done = say("would" if diff else "fixed", count=applied, files=len(changes))
        print(paint("good", done), file=stream)
    if not quiet:
        print(summary(found, files, paint, say, known=bool(known)), file=stream)
        if known:
            told = say("known-staged", count=len(known)) if list_known else say("known-baseline", count=len(known))
            print(told, file=stream)


def _diff(shown: str, change: FileFix) -> str:
    from difflib import unified_diff

    old, new = (data.decode("utf-8", "backslashreplace").splitlines(keepends=True) for data in change[1:3])
    lines = unified_diff(old, new, f"a/{shown}", f"b/{shown}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class _LineReader:
    """Reads the lines of findings; each file is read once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str | None:
        """Return a line of a file (1-based); None if the file has fewer lines now."""
        if path not in self._files:
            from mdmem.store.files import read_snapshot
            from mdmem.text.spans import Lines

            text = read_snapshot(path, os.path.dirname(os.path.abspath(path)), 1 << 24).data.decode("utf-8", "replace")
            lines = Lines(text)
            self._files[path] = [lines.text(index) for index in range(len(lines))]
        found = self._files[path]
        return found[number - 1] if number <= len(found) else None
