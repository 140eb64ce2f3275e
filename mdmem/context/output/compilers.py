"""Compilers and linters: how many errors and warnings in how many files, the first of them, the tool's own total."""

from __future__ import annotations

import re

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say
from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.core.settings.files import ArtifactSettings

_WORD = r"(?P<word>fatal error|internal compiler error|error|warning|note|info|help|错误|警告|附注)"
_FORMS = (
    # gcc, clang, mypy, javac, eslint in unix format, tsc with --pretty: file:line:column: error: words
    pattern(
        rf"(?P<file>(?:[A-Za-z]:)?[^\s:()][^:()]{{0,250}}):(?P<line>\d+)(?::\d+)?(?::| -) {_WORD}\b"
        r"[^:：]{0,40}[:：] ?(?P<say>.+)", re.IGNORECASE
    ),
    # tsc, msvc: file(line,column): error TS2304: words
    pattern(rf"(?P<file>[^\s()][^()]{{0,250}})\((?P<line>\d+)(?:,\d+)?\) ?: {_WORD}\b ?(?P<say>.+)", re.IGNORECASE),
    # ruff, flake8, pylint: file:line:column: CODE words
    pattern(r"(?P<file>[^\s:()][^:()]{0,250}):(?P<line>\d+):\d+: (?P<word>)(?P<say>[A-Z]{1,5}\d{2,5}\b.+)"),
    # go: ./file.go:line:column: words
    pattern(r"(?P<file>[^\s:()][^:()]{0,250}\.go):(?P<line>\d+):\d+: (?P<word>)(?P<say>.+)"),
)  # fmt: skip
_HEADED = pattern(rf"{_WORD}(?:\[\w+\])?: (?P<say>.+)")  # rustc; the place stands below
_CODED = pattern(r"(?P<say>[A-Z]{1,5}\d{2,5}(?: \[\*\])? .+)")  # ruff in full; the same
_ARROW = pattern(r"\s{0,12}--> ?(?P<file>.{1,250}?):(?P<line>\d+):\d+\Z")
_TOTAL = pattern(
    r"(?:Found \d+ errors?\b.*|Success: no issues found.*|All checks passed!|\d+ files? (?:would be|left|already|re).*"
    r"|error: (?:could not compile|aborting due to).*|✖ \d+ problems?.*|\d+ (?:error|warning)s? generated\."
    r"|make(?:\[\d+\])?: \*\*\* .*|BUILD (?:FAILED|SUCCESSFUL).*|Your code has been rated at .*)\Z"
)
_SIGN = pattern(r":\d+:|:\d+ - |\(\d+[,)]")  # a place in a file, as every form names it
_MILD = frozenset(("warning", "警告", "note", "info", "help", "附注"))
_WARNING = frozenset(("warning", "警告"))


class Found(NamedTuple):
    """One complaint."""

    file: str
    line: str
    word: str  # error or warning, however the tool says it
    words: str


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Give the counts, the first errors (else the first warnings), and the tool's own last word."""
    found = _found(seen) if _SIGN.search(seen.text or "\n".join(seen.lines)) else []
    totals = [line for line in seen.lines if _TOTAL.match(line)][-1:]
    if not found:
        return totals if totals and len(seen.lines) <= 3 else []
    errors = [one for one in found if one.word not in _MILD]
    warnings = [one for one in found if one.word in _WARNING]
    files = {one.file for one in (*errors, *warnings)}
    if not files:
        return []
    shown = [f"{one.file}:{one.line}: {one.words}" for one in (errors or warnings)[: numbers.errors]]
    return [say(lang, "found", errors=len(errors), warnings=len(warnings), files=len(files)), *shown, *totals]


def _found(seen: Seen) -> list[Found]:
    found: list[Found] = []
    headed: tuple[str, str] | None = None
    for line in seen.lines:
        if headed and (arrow := _ARROW.match(line)):
            found.append(Found(arrow["file"].strip(), arrow["line"], *headed))
            headed = None
        elif ":" in line or "：" in line:
            match = next(filter(None, (form.match(line) for form in _FORMS)), None)
            if match:
                found.append(Found(match["file"], match["line"], match["word"].lower(), match["say"].strip()))
            elif head := _HEADED.match(line):
                headed = head["word"].lower(), head["say"]
        if code := _CODED.match(line):
            headed = "", code["say"]
    return found
