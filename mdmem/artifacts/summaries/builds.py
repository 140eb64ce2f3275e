"""Summarizes builds: the messages of compilers and linters, test runs, and tracebacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mdmem.artifacts.summaries.output_lines import OutputLines, some
from mdmem.messages.catalog import say
from mdmem.settings.tables import ArtifactSettings
from mdmem.text.pattern import Pattern, pattern

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
_HEADED = pattern(rf"{_WORD}(?:\[\w+\])?: (?P<say>.+)")  # rustc; the location is on a line below
_CODED = pattern(r"(?P<say>[A-Z]{1,5}\d{2,5}(?: \[\*\])? .+)")  # ruff's full format; likewise
_ARROW = pattern(r"\s{0,12}--> ?(?P<file>.{1,250}?):(?P<line>\d+):\d+\Z")
_TOTAL = pattern(
    r"(?:Found \d+ errors?\b.*|Success: no issues found.*|All checks passed!|\d+ files? (?:would be|left|already|re).*"
    r"|error: (?:could not compile|aborting due to).*|✖ \d+ problems?.*|\d+ (?:error|warning)s? generated\."
    r"|make(?:\[\d+\])?: \*\*\* .*|BUILD (?:FAILED|SUCCESSFUL).*|Your code has been rated at .*)\Z"
)
_SIGN = pattern(r":\d+:|:\d+ - |\(\d+[,)]")  # a location in a file, in any of the forms
_MILD = frozenset(("warning", "警告", "note", "info", "help", "附注"))
_WARNING = frozenset(("warning", "警告"))


class CompilerMessage(NamedTuple):
    """One message of a compiler."""

    file: str
    line: str
    word: str  # error or warning, as the tool spells it
    words: str


def summarize_compiler(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Return the counts, the first errors (else the first warnings), and the tool's own total."""
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
    return [say(lang, "output.found", errors=len(errors), warnings=len(warnings), files=len(files)), *shown, *totals]


def _found(seen: OutputLines) -> list[CompilerMessage]:
    found: list[CompilerMessage] = []
    headed: tuple[str, str] | None = None
    for line in seen.lines:
        if headed and (arrow := _ARROW.match(line)):
            found.append(CompilerMessage(arrow["file"].strip(), arrow["line"], *headed))
            headed = None
        elif ":" in line or "：" in line:
            match = next(filter(None, (form.match(line) for form in _FORMS)), None)
            if match:
                found.append(CompilerMessage(match["file"], match["line"], match["word"].lower(), match["say"].strip()))
            elif head := _HEADED.match(line):
                headed = head["word"].lower(), head["say"]
        if code := _CODED.match(line):
            headed = "", code["say"]
    return found


class Runner(NamedTuple):
    """How one test runner reports its results."""

    sign: str  # a text in every total; most other outputs lack it
    total: Pattern  # a line with the total; group 1 is shown
    failed: Pattern  # a line that names a failing test; group 1 is its name, group 2, if any, the reason
    totals: int = 1  # how many of the last such lines are shown


_RUNNERS = (
    Runner(  # pytest
        " in ",
        pattern(
            r"=* ?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun)(?:, )?){1,9} in "
            r"[\d.:]+ ?s.{0,20}?|no tests ran in [\d.]+s) ?=*\Z"
        ),
        pattern(r"(?:FAILED|ERROR) (\S+)(?: - (.*))?"),
    ),
    Runner(  # unittest
        "Ran ",
        pattern(r"(Ran \d+ tests? in [\d.]+s|OK(?: \(.*\))?\Z|FAILED \((?:failures|errors|unexpected|skipped)\b.*\))"),
        pattern(r"(?:FAIL|ERROR): (\S+(?: \(\S+\))?)"),
        2,
    ),
    Runner(  # jest, vitest
        "Test",
        pattern(r"\s{0,8}((?:Tests|Test Suites|Test Files):?\s+\d+ (?:failed|passed|skipped|todo).*)"),
        pattern(r"\s{0,4}(?:●|×|✕|FAIL) {1,4}(\S.*)"),
        2,
    ),
    Runner(  # cargo test
        "test result: ",
        pattern(r"(test result: (?:ok|FAILED)\. .*)"),
        pattern(r"test (\S+) \.\.\. FAILED"),
        3,
    ),
    Runner(  # go test
        "\t",
        pattern(r"((?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[.*\]).*)"),
        pattern(r"\s{0,12}--- FAIL: (\S+)"),
        3,
    ),
    Runner(  # maven, gradle, surefire
        "Tests run: ",
        pattern(r"(?:\[\w+\] )?(Tests run: \d+, Failures: \d+.*)"),
        pattern(r"\[ERROR\] {1,4}([\w.$]+[.:][\w:]+\S*)(?: (?:-- )?(.*))?"),
    ),
    Runner(  # TAP, node --test
        "tests ",
        pattern(r"[#ℹ] ((?:tests|pass|fail) \d+)\Z"),
        pattern(r"\s{0,12}(?:not ok \d+ - |✖ )(\S.*)"),
        3,
    ),
)  # fmt: skip


def summarize_tests(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Return the total, then the failing tests."""
    whole = seen.text or "\n".join(seen.lines)
    for runner in _RUNNERS:
        if runner.sign not in whole:
            continue
        totals = [match.group(1) for line in seen.lines if (match := runner.total.match(line))]
        if totals:
            found = [match for line in seen.lines if (match := runner.failed.match(line))]
            return [_joined(totals[-runner.totals :]), *_failed(found, lang, numbers.failures)]
    return []


def _failed(found: Sequence[re.Match[str]], lang: str, most: int) -> list[str]:
    """Return the failing tests, each once, with the reason if the runner reports it."""
    names: dict[str, str] = {}
    for match in found:
        groups = match.groups()
        name = groups[0].strip()
        names.setdefault(name, (groups[1] or "") if len(groups) > 1 else "")
    if not names:
        return []
    if not any(names.values()):
        return [say(lang, "output.failed", names=some(lang, list(names), most))]
    lines = [f"{name}: {why}" if why else name for name, why in list(names.items())[:most]]
    more = len(names) - most
    return [
        say(lang, "output.failed", names=lines[0]),
        *lines[1:],
        *([say(lang, "output.more", count=more)] if more > 0 else []),
    ]


def _joined(totals: list[str]) -> str:
    return " · ".join(" ".join(total.split()) for total in totals)


class Language(NamedTuple):
    """How one language prints a traceback."""

    opening: Pattern  # the first line of a traceback
    raised: Pattern  # the line with type and message; group 1 is shown
    frame: Pattern  # a line with a location in group 1
    foreign: tuple[str, ...]  # parts of a location that belong to a library
    innermost_last: bool = False  # whether the innermost frame comes last


_LANGUAGES = (
    Language(
        pattern(r"\s{0,16}(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):"),
        pattern(
            r"(?:\s{0,16}\| )?([A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Group|Failure)"
            r"(?::.*)?|[a-z_][\w.]*\.[A-Z]\w*(?::.*)?)\Z"
        ),
        pattern(r"\s{0,16}(?:\| +)?File (\"[^\"]{1,300}\", line \d+(?:, in \S+)?)"),
        ("site-packages", "dist-packages", "/lib/python", "\\lib\\", "<frozen", "<string>"),
        innermost_last=True,
    ),
    Language(
        pattern(r"(?:Uncaught )?(?:[A-Za-z.]*(?:Error|Exception))\b.*|\s{0,8}throw "),
        pattern(r"(?:Uncaught )?([A-Za-z.]*(?:Error|Exception)\b(?: \[\w+\])?:.*)"),
        pattern(r"\s{1,12}at (?:async )?(?:[^(]{1,200}\()?([^()\s]{1,300}:\d+:\d+)\)?\Z"),
        ("node:", "node_modules", "internal/"),
    ),
    Language(
        pattern(r"(?:Exception in thread |Caused by: |[\w.$]+(?:Exception|Error)\b)"),
        pattern(r"(?:Exception in thread \"[^\"]{0,100}\" |Caused by: )?([\w.$]+(?:Exception|Error)\b(?::.*)?)\Z"),
        pattern(r"\s{1,12}at ([\w.$/<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\))"),
        ("java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "org.springframework.", "org.junit.", "org.apache."),
    ),
    Language(
        pattern(r"thread '.{0,200}?' (?:\(\d+\) )?panicked at "),
        pattern(r"(thread '.{0,200}?' (?:\(\d+\) )?panicked at .*)"),
        pattern(r"\s{1,24}at (\S{1,300}\.rs:\d+(?::\d+)?)"),
        ("/rustc/", ".cargo", "/std/", "/core/"),
    ),
    Language(
        pattern(r"(?:panic|fatal error): "),
        pattern(r"((?:panic|fatal error): .*)"),
        pattern(r"\s{1,8}(\S{1,300}\.go:\d+)"),
        ("/usr/local/go/", "/usr/lib/go", "/go/pkg/", "/src/runtime/"),
    ),
)  # fmt: skip


def summarize_traceback(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:  # noqa: ARG001 - every kind is asked so
    """Return the last error raised and the location of its innermost own frame, then the errors before it."""
    for language in _LANGUAGES:
        if any(map(language.opening.match, seen.lines)):
            summary = _read(language, seen.lines, lang)
            if summary:
                return summary
    return []


def _read(language: Language, lines: Sequence[str], lang: str) -> list[str]:
    frames = [(at, match.group(1)) for at, line in enumerate(lines) if (match := language.frame.match(line))]
    raised = [(at, match.group(1)) for at, line in enumerate(lines) if (match := language.raised.match(line))]
    if not raised or not (frames or "panic" in raised[-1][1]):
        return []
    at, words = raised[-1]
    if words.endswith(":") and at + 1 < len(lines):  # Rust prints the message on the next line
        words = f"{words} {lines[at + 1].strip()}"
    if language.innermost_last:
        begin = max((line for line, _ in raised if line < at), default=-1)
        own = _own(reversed([location for line, location in frames if begin < line < at]), language)
    else:
        own = _own((location for line, location in frames if line > at), language)
    earlier = [one for _, one in raised[:-1] if one != words]
    return [words, *([say(lang, "output.in", place=own)] if own else []), *earlier[-1:]]


def _own(locations: Iterable[str], language: Language) -> str:
    """Return the first location outside libraries, else the first."""
    found = list(locations)
    return next((one for one in found if not any(part in one for part in language.foreign)), found[0] if found else "")
