"""What a person deleted by hand is not written again, unless it is said again after that."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest
from conftest import Make
from month.clock import MonthClock, month_clock

from mdmem import OpenSession
from mdmem.workspace import Workspace

_SAID = {"en": "I am allergic to gluten.", "zh": "我对麸质过敏。"}
_WORD = {"en": "gluten", "zh": "麸质"}


def _say(session: OpenSession, text: str) -> None:
    session.turn("user", text)
    session.turn("assistant", "OK.")


def _fresh(root: Path, day: dt.date, clock: MonthClock, hour: int = 9) -> Workspace:
    clock.set(day, hour)
    work = Workspace(root)
    work.config.day = day.isoformat()
    return work


def _delete(root: Path, word: str, *, day: dt.date, hour: int) -> None:
    """Take the lines with a word out of all files but the sessions, as an editor does at that hour."""
    saved = dt.datetime.combine(day, dt.time(hour)).astimezone().timestamp()
    for file in (*root.glob("*.md"), *root.glob("facts/*.md")):
        lines = file.read_text("utf-8").splitlines(keepends=True)
        if any(word in line for line in lines):
            file.write_text("".join(line for line in lines if word not in line), "utf-8")
            os.utime(file, (saved, saved))


def _stated(root: Path, word: str) -> list[str]:
    files = (*root.glob("*.md"), *root.glob("facts/*.md"))
    return [file.name for file in files if word in file.read_text("utf-8")]


_DAY = dt.date(2026, 2, 10)


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("review", ["propose", "write"])
def test_a_line_deleted_while_its_session_goes_on_stays_out(make: Make, lang: str, review: str) -> None:
    root = Path(make(lang, settings=f'[memory]\nreview = "{review}"\n').root)
    with month_clock() as clock:
        work = _fresh(root, _DAY, clock)
        session = work.sessions.start("lunch")
        _say(session, _SAID[lang])
        work.keeper.extract(backend="rules", now=True)
        assert _stated(root, _WORD[lang])
        _delete(root, _WORD[lang], day=_DAY, hour=10)
        clock.set(_DAY, 11)
        _say(session, "Which soup is on the menu?")
        session.end("ok")
        assert _stated(root, _WORD[lang]) == []
        work = _fresh(root, _DAY, clock, 12)
        work.review()
        work.night(now=True)
        assert _stated(root, _WORD[lang]) == []


@pytest.mark.thorough
@pytest.mark.parametrize(("hour", "is_back"), [(9, False), (11, True)])
def test_only_what_is_said_after_the_deletion_is_written_again(make: Make, hour: int, *, is_back: bool) -> None:
    root = Path(make("en").root)
    with month_clock() as clock:
        first = _fresh(root, _DAY, clock, 8).sessions.start("lunch")
        _say(first, _SAID["en"])
        first.end("ok")
        second = _fresh(root, _DAY, clock, hour).sessions.start("dinner")
        _say(second, _SAID["en"])
        _delete(root, _WORD["en"], day=_DAY, hour=10)
        clock.set(_DAY, 12)
        second.end("ok")
        assert ("user.md" in _stated(root, _WORD["en"])) is is_back


def test_a_generated_line_stays_out_however_many_changes_follow(make: Make) -> None:
    work = make("en", settings="[portrait]\nchanges = 1\n")
    work.facts.set("user", "city", "lives in Porto")
    work.portrait.refresh("user")
    file = Path(work.root, "USER.md")
    file.write_text("".join(line for line in file.read_text("utf-8").splitlines(keepends=True) if "Porto" not in line))
    for number in range(3):
        Workspace(work.root).facts.set("user", f"colour {number}", f"the colour {number} is red")
        Workspace(work.root).portrait.refresh("user")
    assert "Porto" not in file.read_text("utf-8")
    assert "colour 2" in file.read_text("utf-8")
