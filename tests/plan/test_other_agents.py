"""Two agents on one plan are told of each other: who, since when, at which step; nothing is blocked (D066)."""

from __future__ import annotations

import datetime as dt
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Make, Run

from mdmem.plan.other_agents import is_same_agent
from mdmem.workspace import Workspace

PLAN = "## Current state\n\n- Instruction pointer: 1\n\n## TODO list\n\n- [ ] read ← current\n- [ ] write\n- [ ] send\n"


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"task_process.md": PLAN})


def hint(work: Workspace, actor: str, action: str = "show", agent: str = "") -> str:
    """Return the hint of the tool `plan`."""
    reply = work.call("plan", {"action": action, **({"agent": agent} if agent else {})}, actor=actor)
    assert reply["status"] == "done"
    return str(reply["hint"])


def test_each_is_told_of_the_other_ones_move_once_it_is_the_last(work: Workspace) -> None:
    assert "made the last change" not in hint(work, "scout", "next")
    assert "scout made the last change to this plan, at " in hint(work, "rook")
    told = hint(work, "rook", "done")
    assert "scout made the last change" in told
    assert "(current step: 2 write): take another step, or agree with scout first" in told
    assert "made the last change" not in hint(work, "rook")  # the last move is its own now
    assert "rook made the last change" in hint(work, "scout")
    assert [one.done for one in work.plan.show().steps] == [False, True, False]  # nothing was blocked


def test_an_open_session_of_another_agent_on_the_same_plan_is_told(work: Workspace) -> None:
    session = work.sessions.start("write it", agent="scout")
    told = hint(work, "rook", "next")
    assert "scout has a session open on this plan since 20" in told
    assert "(current step: 1 read)" in told
    assert "scout" not in hint(work, "scout")
    hint(work, "scout", "next")
    assert "scout made the last change to this plan" in hint(work, "rook")
    assert "and has a session open" in hint(work, "rook")
    session.end("done")
    assert "session open" not in hint(work, "rook")


def test_a_session_of_an_agent_with_a_plan_of_its_own_is_not_on_the_workspaces(work: Workspace) -> None:
    work.plan.add("own step", agent="scout")
    work.sessions.start("own work", agent="scout")
    assert hint(work, "rook") == ""
    assert "scout has a session open" in hint(work, "rook", agent="scout")


@pytest.mark.parametrize(("settings", "minutes"), [("", 61), ("[plan]\ntold_minutes = 5\n", 6)])
def test_what_was_longer_ago_than_the_setting_says_is_not_told(make: Make, settings: str, minutes: int) -> None:
    work = make("en", {"task_process.md": PLAN}, settings=settings)
    session = work.sessions.start("write it", agent="scout")
    assert "scout" in hint(work, "rook")
    old = time.time() - minutes * 60
    os.utime(Path(work.root) / session.path, (old, old))
    assert hint(work, "rook") == ""


def test_a_move_that_was_longer_ago_is_not_told(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    hint(work, "scout", "next")
    assert "scout" in hint(work, "rook")
    later = dt.datetime.now().astimezone() + dt.timedelta(minutes=61)

    class Later(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
            return later.astimezone(tz)

    monkeypatch.setattr("mdmem.plan.other_agents.dt.datetime", Later)
    assert hint(work, "rook") == ""


def test_a_log_with_a_forged_time_costs_no_plan(work: Workspace) -> None:
    hint(work, "scout", "next")
    log = Path(work.root) / ".mdmem/history/log"
    forged = replace(work.history.log()[0], time="yesterday")
    log.write_bytes(log.read_bytes() + forged.line())
    assert hint(work, "rook") == ""


def test_a_person_is_told_of_nobody_and_nobody_of_a_person(work: Workspace) -> None:
    hint(work, "scout", "next")
    assert work.plan.show().others == ()
    work.plan.next()
    assert hint(work, "rook") == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("mcp:claude-code", "claude", True), ("mcp:codex-mcp-client", "codex", True), ("scout", "scout", True),
        ("mcp:claude-code", "codex", False), ("scout", "scout-2", False), ("mcp:a", "mcp:b", False),
    ],
)  # fmt: skip
def test_an_agent_that_is_served_is_the_one_whose_session_is_recorded(one: str, other: str, same: bool) -> None:
    assert is_same_agent(one, other) is is_same_agent(other, one) is same


def test_the_command_line_says_who_is_there_in_both_languages(mdmem: Run) -> None:
    mdmem("plan", "add", "读", "写", "--agent", "scout")
    mdmem("plan", "next", "--agent", "scout", "--actor", "rook")
    assert "rook 在 20" in mdmem("plan", "--agent", "scout").stderr
    assert "rook made the last change to this plan" in mdmem("plan", "show", "--agent", "scout", "--lang", "en").stderr
    moved = mdmem("plan", "done", "--agent", "scout", "--actor", "kestrel", "--lang", "en").stdout
    assert "(current step: 2 写)" in moved
    assert mdmem("plan", "--agent", "scout", "--actor", "kestrel").stderr == ""
