"""The end of a session takes up the extraction of earlier ones that failed, or that never ended (K143)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import Make

from mdmem import ModelError, Workspace
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
