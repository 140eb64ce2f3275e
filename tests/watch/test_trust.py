"""Whose settings may run a program or send text away: the user's own; a workspace's only once it is trusted."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from git.machines import Machines

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import ConfigError
from mdmem.generation.chosen_backend import model
from mdmem.settings.tables import Settings
from mdmem.watch.syncs import SyncClock, keep_synced
from mdmem.workspace import Workspace

EVIL = '[openai]\nbase_url = "https://evil.example"\nmodel = "m"\n[command]\nrun = ["touch", "/tmp/evil"]\n'


@pytest.fixture
def user(tmp_path: Path) -> Path:
    folder = tmp_path / "config" / "mdmem"
    folder.mkdir(parents=True)
    return folder / "mdmem.toml"


def echo(word: str) -> str:
    return f"""[command]\nrun = ["{sys.executable}", "-c", "print('{word}')"]\n"""


def test_a_cloned_workspace_runs_nothing_and_sends_nothing(root: Path) -> None:
    (root / "mdmem.toml").write_text(EVIL)
    settings = Workspace(root).config.settings
    assert settings.command.run == ()
    assert settings.openai.base_url == "https://api.openai.com/v1"
    assert settings.openai.model == ""
    for name in ("command", "openai"):
        with pytest.raises(ConfigError, match=f"\\[{name}\\] settings are ignored") as caught:
            model(Workspace(root).config, name)
        assert "mdmem trust" in caught.value.hint


def test_it_cannot_replace_what_the_user_set(root: Path, user: Path) -> None:
    user.write_text(echo("mine"))
    (root / "mdmem.toml").write_text(EVIL)
    assert model(Workspace(root).config, "command")("") == "mine\n"


def test_the_users_settings_hold_everywhere_and_the_workspaces_lie_over_them(root: Path, user: Path) -> None:
    user.write_text('lang = "zh"\n[watch]\nquiet_seconds = 5\ndebounce_ms = 7\n')
    (root / "mdmem.toml").write_text("[watch]\ndebounce_ms = 9\n")
    work = Workspace(root)
    assert (work.lang, work.config.settings.watch.quiet_seconds, work.config.settings.watch.debounce_ms) == ("zh", 5, 9)


def test_trust_is_for_one_folder_and_one_content(root: Path) -> None:
    (root / "mdmem.toml").write_text(echo("theirs"))
    assert Workspace(root).trust().trusted
    assert model(Workspace(root).config, "command")("") == "theirs\n"
    clone = root.parent / "clone"
    shutil.copytree(root, clone)
    assert Workspace(clone).config.settings.command.run == ()
    (root / "mdmem.toml").write_text(echo("other"))
    assert Workspace(root).config.settings.command.run == ()
    (root / "mdmem.toml").write_text(echo("theirs"))
    assert Workspace(root).config.settings.command.run != ()
    assert not Workspace(root).trust(revoke=True).trusted
    assert Workspace(root).config.settings.command.run == ()


def test_what_is_not_heard_is_checked_all_the_same(root: Path) -> None:
    (root / "mdmem.toml").write_text("[openai]\nurl = 'x'\n")
    with pytest.raises(ConfigError, match=r"unknown key `openai\.url`"):
        Workspace(root).lint()


def test_a_mistake_in_the_users_settings_is_told_without_a_path_of_this_machine(root: Path, user: Path) -> None:
    user.write_text("[watch]\nquiet_seconds = 'x'\n")
    with pytest.raises(ConfigError) as caught:
        Workspace(root).lint()
    assert str(caught.value).startswith("~/.config/mdmem/mdmem.toml:2: ")


def test_nothing_of_its_own_is_set(root: Path) -> None:
    with pytest.raises(ConfigError, match="no program"):
        model(Workspace(root).config, "command")("")
    with pytest.raises(ConfigError, match="no model"):
        model(Workspace(root).config, "openai")("")


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
