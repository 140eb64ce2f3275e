"""The end of a session takes up the extraction of earlier ones that failed, or that never ended (K143)."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest
from conftest import Make
from month.clock import MonthClock, month_clock

from mdmem import ModelError, OpenSession, Workspace
from mdmem.keeper.job_runner import BackendChoice
from mdmem.keeper.session_extraction import extract_left_over


def hold(work: Workspace, task: str, said: str) -> str:
    session = work.sessions.start(task)
    session.turn("user", said)
    session.turn("assistant", "ok")
    return session.path


def idle(folder: Path, path: str, hours: int = 3) -> None:
    """Make a session look untouched for so long."""
    then = os.stat(folder / path).st_mtime - hours * 3600
    os.utime(folder / path, (then, then))


@pytest.mark.parametrize(("lang", "said", "value", "told"), [
    ("en", "I live in Leiden.", "Leiden", "took up the extraction of 1 earlier session"),
    ("zh", "我住在莱顿。", "莱顿", "补提取了以前的会话 1 个"),
])  # fmt: skip
def test_a_session_that_never_ended_is_extracted_when_another_one_ends(
    make: Make, tmp_path: Path, lang: str, said: str, value: str, told: str
) -> None:
    work = make(lang)
    left = hold(work, "one", said)
    running = hold(work, "two", said.replace(value, "Delft"))
    idle(tmp_path / "workspace", left)
    ended = work.sessions.start("three")
    ended.turn("user", "ok")
    hint = ended.end().hint
    assert told in hint
    assert any(value in fact.text for fact in work.facts())
    assert not any("Delft" in fact.text for fact in work.facts()), f"{running} goes on"
    later = work.sessions.start("four")
    later.turn("user", "ok")
    assert told not in later.end().hint, "once"


def test_no_more_than_the_settings_say_and_the_oldest_first(make: Make, tmp_path: Path) -> None:
    work = make("en", settings="[session]\nend_pending = 2\n")
    for number, town in enumerate(("Leiden", "Delft", "Gouda")):
        idle(tmp_path / "workspace", hold(work, f"task {number}", f"My friend {town} lives in {town}."))
    ended = work.sessions.start("last")
    ended.turn("user", "ok")
    assert "2 earlier sessions" in ended.end().hint
    ended = work.sessions.start("last")
    ended.turn("user", "ok")
    assert "1 earlier session" in ended.end().hint


def test_a_model_that_is_gone_is_asked_once_and_nothing_is_lost(make: Make, tmp_path: Path) -> None:
    work, asked = make("en"), list[str]()

    def gone(prompt: str) -> str:
        asked.append(prompt)
        raise ModelError("no such model")

    for number in range(3):
        idle(tmp_path / "workspace", hold(work, f"task {number}", "I live in Leiden."))
    assert extract_left_over(work.config, "", BackendChoice(backend=gone)) == ()
    assert len(asked) == 1
    assert len(extract_left_over(work.config, "", BackendChoice())) == 2, "the one that failed waits for its time"
    assert [one.status for one in work.keeper.extract(now=True)] == ["done"]


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
