"""A watcher syncs from time to time, if the user's settings ask for it, and tells what it came to."""

from __future__ import annotations

from pathlib import Path

import pytest
from git.machines import Machines

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.settings.tables import Settings
from mdmem.watch.syncs import SyncClock, keep_synced


def asking(root: Path, minutes: int) -> WorkspaceConfig:
    """Return the configuration of a workspace whose user asks for a sync each so many minutes."""
    config = WorkspaceConfig(str(root))
    known = config.settings
    values = {**known.values, "sync": {**known.values["sync"], "watch_minutes": minutes}}
    config.settings = Settings.known(values) or known
    return config


def test_the_first_is_due_at_once_and_the_next_one_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SyncClock()
    assert clock.wait(asking(tmp_path, 0)) is None
    config = asking(tmp_path, 5)
    now = 1000.0
    monkeypatch.setattr("mdmem.watch.syncs.time.monotonic", lambda: now)
    assert clock.wait(config) == 0
    clock.begin()
    now += 60
    assert clock.wait(config) == 240
    now += 300
    assert clock.wait(config) == 0


def test_no_folder_asks_for_it_before_it_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text("[sync]\nwatch_minutes = 1\nwhole_folder = true\n", "utf-8")
    settings = WorkspaceConfig(str(tmp_path)).settings.sync
    assert (settings.watch_minutes, settings.whole_folder) == (0, False)


@pytest.mark.slow
def test_it_tells_what_it_did_and_what_stands_in_the_way(tmp_path: Path) -> None:
    two = Machines(tmp_path)
    config = two.work("a").config
    assert keep_synced(config).notices == ()
    two.work("a").add("MEMORY.md", "2026-02-02: the heron waits", section="Notes")
    (told,) = keep_synced(config).notices
    assert (told.kind, told.severity) == ("sync", "note")
    two.remote.rename(tmp_path / "elsewhere.git")
    two.work("a").add("MEMORY.md", "2026-02-03: the river is high", section="Notes")
    (told,) = keep_synced(config).notices
    assert told.severity == "warning"
    assert "no repository at" in told.message
