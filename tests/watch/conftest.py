"""A folder with memory files, and a watcher with short times upon it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.settings.tables import Settings, WatchSettings
from mdmem.watch.board import watched_files
from mdmem.watch.watcher import WatchedFiles, Watcher

Open = Callable[..., Watcher]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep caches and settings of this machine out."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "记忆 of mine"
    (folder / "memory").mkdir(parents=True)
    (folder / "MEMORY.md").write_bytes(b"one\n")
    (folder / "memory" / "2026-02-20.md").write_bytes(b"one\n")
    return folder


@pytest.fixture
def numbers(settings: Settings) -> WatchSettings:
    return settings.watch._replace(debounce_ms=40, burst_ms=500, poll_ms=50)


@pytest.fixture
def files(root: Path) -> WatchedFiles:
    return watched_files(WorkspaceConfig(str(root)))


@pytest.fixture(params=["events", "polling"])
def watcher(
    request: pytest.FixtureRequest, root: Path, files: WatchedFiles, numbers: WatchSettings
) -> Iterator[Watcher]:
    """A watcher by events, and one by polling: they say the same."""
    with Watcher(str(root), files, numbers, poll=request.param == "polling") as watcher:
        assert watcher.polling == (request.param == "polling")
        yield watcher
