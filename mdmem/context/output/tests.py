"""Test runs: the total in the runner's own words, and which tests failed and why."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say, some
from mdmem.core.pattern import Pattern, pattern
from mdmem.core.record import NamedTuple
from mdmem.core.settings.files import ArtifactSettings


class Runner(NamedTuple):
    """How one runner says what became of the tests."""

    sign: str  # what every total holds; most outputs do not
    total: Pattern  # a line with the total; group 1 is what to show
    failed: Pattern  # a line that names a failing test; group 1 is its name, group 2, where there is one, says why
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


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Give the total first, then the failing tests."""
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
    """Name the failing tests, each once; with the reason where the runner gives one."""
    names: dict[str, str] = {}
    for match in found:
        groups = match.groups()
        name = groups[0].strip()
        names.setdefault(name, (groups[1] or "") if len(groups) > 1 else "")
    if not names:
        return []
    if not any(names.values()):
        return [say(lang, "failed", names=some(lang, list(names), most))]
    lines = [f"{name}: {why}" if why else name for name, why in list(names.items())[:most]]
    more = len(names) - most
    return [say(lang, "failed", names=lines[0]), *lines[1:], *([say(lang, "more", count=more)] if more > 0 else [])]


def _joined(totals: list[str]) -> str:
    return " · ".join(" ".join(total.split()) for total in totals)
