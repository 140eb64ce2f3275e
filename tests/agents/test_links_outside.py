"""Writers outside the memory folder follow no link that leads out of what they were told to write into."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import Make
from harness import files_of
from typer.core import TyperCommand

from mdmem.agents.connect.plugin import ClaudePlugin
from mdmem.agents.connect.service import Connector
from mdmem.cli.commands import setup
from mdmem.cli.grammar.call import Call
from mdmem.errors import RefusedError, WriteError
from mdmem.instructions import outside_files
from mdmem.instructions.outside_files import PRIVATE, replace_outside
from mdmem.workspace import Workspace


@pytest.fixture
def work(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    for name in ("home", "elsewhere", "project"):
        (tmp_path / name).mkdir()
    (tmp_path / "project/.git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make("en")


def test_a_plugin_behind_a_link_is_not_removed(work: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "project/plugins/memory"
    ClaudePlugin(work).write(str(folder))
    other = tmp_path / "elsewhere/memory"
    ClaudePlugin(work).write(str(other))
    before = files_of(tmp_path / "elsewhere")
    shutil.rmtree(tmp_path / "project/plugins")
    (tmp_path / "project/plugins").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RefusedError, match="elsewhere"):
        ClaudePlugin(work).remove(str(folder))
    assert files_of(tmp_path / "elsewhere") == before
    assert {one.status for one in ClaudePlugin(work).remove(str(other))} == {"removed"}
    assert not other.exists()
    assert (tmp_path / "elsewhere").is_dir()


@pytest.mark.parametrize("name", [".git/hooks", ".git/hooks/pre-commit"])
def test_a_hook_behind_a_link_is_not_removed(work: Workspace, tmp_path: Path, name: str) -> None:
    subprocess.run(["git", "init", "-q", work.root], check=True)
    assert work.install_hook()
    path, elsewhere = Path(work.root, name), tmp_path / "elsewhere" / "x"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    before = files_of(tmp_path / "elsewhere")
    with pytest.raises(RefusedError, match="elsewhere"):
        work.uninstall_hook()
    assert files_of(tmp_path / "elsewhere") == before


def test_a_hook_is_written_and_removed_in_a_folder_that_is_a_link_within(work: Workspace) -> None:
    subprocess.run(["git", "init", "-q", work.root], check=True)
    shutil.rmtree(Path(work.root, ".git/hooks"), ignore_errors=True)
    Path(work.root, "tools").mkdir()
    Path(work.root, ".git/hooks").symlink_to("../tools")
    assert work.install_hook()
    hook = Path(work.root, "tools/pre-commit")
    assert stat.S_IMODE(hook.stat().st_mode) == 0o700
    assert work.install_hook()  # an older one of ours is replaced
    assert [one.name for one in hook.parent.iterdir()] == ["pre-commit"]
    assert work.uninstall_hook() == "removed"
    assert work.uninstall_hook() == "none"
    hook.symlink_to("other")
    assert work.uninstall_hook() == "another"
    assert not work.install_hook()


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True)


def _repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "-q")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("forged", ["file", "link", "common", "worktree"])
def test_no_hook_is_written_into_a_repository_that_the_folder_only_names(
    work: Workspace, tmp_path: Path, forged: str
) -> None:
    root, theirs = Path(work.root), _repository(tmp_path / "elsewhere/project") / ".git"
    shutil.rmtree(theirs / "hooks", ignore_errors=True)
    if forged == "file":
        (root / ".git").write_text(f"gitdir: {theirs}\n")
    elif forged == "link":
        (root / ".git").symlink_to(theirs)
    elif forged == "common":
        _repository(root)
        (root / ".git/commondir").write_text(f"{theirs}\n")
    else:  # a worktree's folder of the attacker's own, which names this folder
        (root / "fake/worktrees/x").mkdir(parents=True)
        (root / "fake/worktrees/x/HEAD").write_text("ref: refs/heads/main\n")
        (root / "fake/worktrees/x/gitdir").write_text(f"{root}/.git\n")
        (root / "fake/worktrees/x/commondir").write_text(f"{theirs}\n")
        (root / ".git").write_text("gitdir: fake/worktrees/x\n")
    before = files_of(theirs)
    with pytest.raises(RefusedError, match="elsewhere/project"):
        work.install_hook()
    with pytest.raises(RefusedError, match="elsewhere/project"):
        work.uninstall_hook()
    assert files_of(theirs) == before


@pytest.mark.slow
def test_a_hook_is_written_for_a_worktree_and_for_a_submodule(tmp_path: Path) -> None:
    ours, part = _repository(tmp_path / "ours"), _repository(tmp_path / "part")
    _git(ours, "worktree", "add", "-q", str(tmp_path / "tree"))
    _git(ours, "submodule", "add", "-q", str(part), "sub")
    for folder, hooks in ((tmp_path / "tree", ours / ".git/hooks"), (ours / "sub", ours / ".git/modules/sub/hooks")):
        (folder / "MEMORY.md").write_text("# Memory\n", "utf-8")
        assert Workspace(folder).install_hook()
        assert (hooks / "pre-commit").exists()
        assert Workspace(folder).uninstall_hook() == "removed"


def _swapping(monkeypatch: pytest.MonkeyPatch, folder: Path, target: Path) -> None:
    """Put a link in the place of a folder after the paths were checked, before the file is opened."""
    real = outside_files._real

    def swapped(path: str, within: str) -> str:
        found = real(path, within)
        if not folder.is_symlink():
            folder.rename(folder.with_name("away"))
            folder.symlink_to(target)
        return found

    monkeypatch.setattr(outside_files, "_real", swapped)


def test_a_link_that_is_put_in_the_way_after_the_check_leads_nowhere(
    work: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project/.claude"
    folder.mkdir()
    _swapping(monkeypatch, folder, tmp_path / "elsewhere")
    with pytest.raises(WriteError):
        replace_outside(str(folder / "settings.json"), None, b"{}", PRIVATE, str(tmp_path / "project"))
    assert files_of(tmp_path / "elsewhere") == {}


def test_a_link_that_comes_between_two_checks_is_refused(
    work: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`connect` looks at all files first, and writes them one after another."""
    project = tmp_path / "project"
    connector = Connector(work, str(project))
    monkeypatch.setattr(
        "mdmem.agents.connect.service._require_writable",
        lambda _: (project / ".gemini").symlink_to(tmp_path / "elsewhere"),
    )
    with pytest.raises(RefusedError, match="elsewhere"):
        connector.connect("gemini")
    assert files_of(tmp_path / "elsewhere") == {}


def test_missing_folders_are_made_and_a_folder_that_only_may_be_entered_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed/open").mkdir()
    (tmp_path / "closed").chmod(0o111)
    try:
        replace_outside(str(tmp_path / "closed/open/a/b/file"), None, b"x")
        assert (tmp_path / "closed/open/a/b/file").read_bytes() == b"x"
        replace_outside(str(tmp_path / "closed/open/a/b/file"), b"x", None)
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_the_users_own_links_are_told_with_the_file_behind_them(work: Workspace, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "dotfiles").mkdir()
    (home / "dotfiles/claude.json").write_text("{}", "utf-8")
    (home / ".claude.json").symlink_to(home / "dotfiles/claude.json")
    found = {one.path: one.target for one in Connector(work).connect("claude")}
    assert found == {"~/.claude.json": "~/dotfiles/claude.json", "~/.claude/settings.json": ""}
    assert (home / ".claude.json").is_symlink()
    assert b"mdmem" in (home / "dotfiles/claude.json").read_bytes()


@pytest.mark.parametrize("answer", [True, False])
def test_a_person_at_a_terminal_is_asked_before_a_link_is_followed(
    work: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    home, asked = tmp_path / "home", list[str]()
    (home / "dotfiles").mkdir()
    (home / ".claude").symlink_to(home / "dotfiles")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    def confirmed(_: Call, question: str) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(Call, "confirmed", confirmed)
    call = Call(TyperCommand("connect"))
    call.params["root"] = work.root
    assert setup._may_follow_links(call, "claude") is answer
    assert asked == ["~/.claude/settings.json is a link to ~/dotfiles/settings.json. Write into that file?"]
    assert os.listdir(home / "dotfiles") == []
