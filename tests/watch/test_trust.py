"""Whose settings may run a program or send text away: the user's own; a workspace's only once it is trusted."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from mdmem.errors import ConfigError
from mdmem.generation.chosen_backend import model
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
