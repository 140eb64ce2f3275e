"""The night proposes to end one of two lines that name one property of a subject; it changes neither by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.workspace import Workspace

_FILE = "facts/user.md"
_LINES = {  # of which the second is newer, and the name that is left
    "known": ("- 2026-02-01: lives in Porto [predicate:: city]", "- 2026-02-09: lives in Ghent [predicate:: lives_in]"),
    "other language": ("- 2026-02-01: works at Acme [predicate:: 公司]", "- 2026-02-09: Globex [predicate:: employer]"),
    "same value": (
        "- 2026-02-01: cache is Redis [predicate:: cache]",
        "- 2026-02-09: cache layer is Redis [predicate:: cache_layer]",
    ),
}
_APART = {
    "another value": ("- Redis [predicate:: cache]", "- Postgres [predicate:: cache_layer]"),
    "a number": ("- 8080 [predicate:: proxy_port]", "- 8080 [predicate:: door_code]"),
    "known, same value": ("- Porto [predicate:: city]", "- Porto [predicate:: birthplace]"),
    "several values": ("- likes tea [predicate:: likes]", "- enjoys chess [predicate:: enjoys]"),
    "one name": ("- lives in Porto [predicate:: city]", "- lives in Ghent [predicate:: city]"),
    "ended": ("- Porto [predicate:: city] [superseded:: 2026-02-03]", "- Ghent [predicate:: lives_in]"),
}


def _workspace(make: Make, lines: tuple[str, str]) -> Workspace:
    return make("en", {_FILE: "# User\n\n## Now\n\n" + "\n".join(lines) + "\n"})


def _night(work: Workspace) -> int:
    (step,) = work.night(now=True, only="corrections").steps
    return step.moved


@pytest.mark.parametrize("lines", _LINES.values(), ids=_LINES)
def test_one_command_ends_the_older_line(make: Make, lines: tuple[str, str]) -> None:
    work = _workspace(make, lines)
    before = Path(work.root, _FILE).read_bytes()
    assert _night(work) == 1
    assert Path(work.root, _FILE).read_bytes() == before
    (item,) = work.inbox.list()
    assert item.path == _FILE
    assert _night(work) == 0
    work.inbox.accept([item.key])
    (live,) = Workspace(work.root).facts("user")
    assert live.date == "2026-02-09"
    assert _night(work) == 0


def test_a_rejected_proposal_is_not_made_again(make: Make) -> None:
    work = _workspace(make, _LINES["known"])
    _night(work)
    work.inbox.reject([work.inbox.list()[0].key])
    assert _night(work) == 0
    assert not work.inbox.list()


@pytest.mark.parametrize("lines", _APART.values(), ids=_APART)
def test_other_lines_are_left_alone(make: Make, lines: tuple[str, str]) -> None:
    assert _night(_workspace(make, lines)) == 0
