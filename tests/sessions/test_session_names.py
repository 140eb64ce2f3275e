"""The names of sessions are listed once while their folder rests, and a new one is seen at once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mdmem.sessions import file_names
from mdmem.sessions.read import latest_sessions, newest_turns, session_days
from mdmem.workspace import Workspace

NAMES = [f"2026{month:02}{day:02}_1200{n:02}_task.md" for month in (1, 2) for day in range(1, 21) for n in range(5)]


def folder_of(root: Path, names: list[str]) -> Path:
    folder = root / "sessions"
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    return folder


def test_a_folder_that_rests_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path, NAMES)
    os.utime(folder, (time.time() - 60, time.time() - 60))
    workspace = Workspace(tmp_path)
    listed: list[str] = []
    real = file_names._Listing._files

    def files(self: file_names._Listing) -> list[str]:
        listed.append(self._folder)
        return real(self)

    monkeypatch.setattr(file_names._Listing, "_files", files)
    for _ in range(5):
        assert latest_sessions(workspace.config, limit=1) == (f"sessions/{max(NAMES)}",)
        assert len(session_days(workspace.config)) == len(NAMES)
        workspace.pack("chat")
    assert listed.count(str(folder)) == 1, "ten thousand names are read and sorted once"


def test_a_session_of_this_very_moment_is_seen(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, NAMES)
    workspace = Workspace(tmp_path)
    for number in range(200):
        name = f"20260301_1000{number % 60:02}_{number:03}.md"
        (folder / name).touch()
        assert f"sessions/{name}" in latest_sessions(workspace.config)
    os.remove(folder / name)
    assert f"sessions/{name}" not in latest_sessions(workspace.config)


def test_names_without_a_day_are_no_sessions(tmp_path: Path) -> None:
    folder_of(tmp_path, ["notes.md", "2026-02-03_a.md", "20260204_b.md", "20261399_c.md", "20260205_d.txt"])
    workspace = Workspace(tmp_path)
    assert [str(day) for day in session_days(workspace.config)] == ["2026-02-03", "2026-02-04"]
    assert "sessions/notes.md" not in latest_sessions(workspace.config)


@pytest.mark.parametrize("first", [300, 1000, 4000, 100_000])
def test_the_turns_that_are_passed_over_are_counted_however_much_is_read(tmp_path: Path, first: int) -> None:
    workspace = Workspace(tmp_path)
    session = workspace.sessions.start("count")
    session.turn("user", "Begin.")
    for number in range(60):
        session.turn("tool", f"run {number}: exit 0")
    turns, before = newest_turns(workspace.config, session.path, 3, enough=bool, first=first)
    assert len(turns) + before.get(1, 0) == 61
