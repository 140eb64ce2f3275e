"""A memory in a repository is found from each of its worktrees; `doctor` and `status` say which one is used."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import in_process
import pytest

from git.machines import Machines, git
from mdmem.errors import WorkspaceNotFoundError
from mdmem.store.walk import find_root
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose memory is not committed, and a linked worktree of it."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "src").mkdir()
    (folder / "src" / "code.py").write_text("", "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Begin")
    (folder / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    (folder / "MEMORY.md").write_text("# Memory\n\n## Notes\n\n- 2026-02-01: the owl\n", "utf-8")
    git(folder, "worktree", "add", "-q", "-b", "feature", "../feature")
    return folder


def test_a_linked_worktree_without_a_memory_uses_that_of_the_main_one(project: Path) -> None:
    linked = project.parent / "feature"
    for start in (linked, linked / "src"):
        assert find_root(str(start)) == str(project)
    Workspace.find(linked / "src").add("MEMORY.md", "2026-02-02: the heron", section="Notes")
    git(project, "worktree", "remove", "--force", "../feature")
    assert "heron" in (project / "MEMORY.md").read_text("utf-8")


def test_a_memory_of_its_own_comes_first(project: Path) -> None:
    linked = project.parent / "feature"
    (linked / "mdmem.toml").write_text("", "utf-8")
    assert find_root(str(linked / "src")) == str(linked)
    checks = {one.name: one for one in Workspace(project).git.checks()}
    assert checks["git-worktrees"].state == "weaker"
    assert "feature" in checks["git-worktrees"].message


def test_doctor_says_which_memory_the_worktrees_use(project: Path) -> None:
    checks = {one.name: one for one in Workspace(project).git.checks()}
    assert checks["git-worktrees"].state == "good"
    assert "feature" in checks["git-worktrees"].message


def test_status_says_whose_memory_it_is(project: Path) -> None:
    done = in_process.run_text("status", cwd=project.parent / "feature", env=dict(os.environ))
    assert f"main worktree is used, ..{os.sep}project" in done.stdout


def test_a_forged_file_names_no_memory(project: Path) -> None:
    """Whoever wrote a folder can name any repository in its `.git`; that repository does not name the folder."""
    forged = project.parent / "forged"
    forged.mkdir()
    for name in (project / ".git", project / ".git" / "worktrees" / "feature"):
        (forged / ".git").write_text(f"gitdir: {name}\n", "utf-8")
        assert find_root(str(forged)) is None
    with pytest.raises(WorkspaceNotFoundError):
        Workspace.find(forged)


def test_a_worktree_of_a_bare_repository_has_no_main_one(tmp_path: Path) -> None:
    made = Machines(tmp_path / "m", "a")
    git(made.remote, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"), "main")
    os.unlink(tmp_path / "other" / "mdmem.toml")
    os.unlink(tmp_path / "other" / "MEMORY.md")
    assert find_root(str(tmp_path / "other")) is None
    shutil.rmtree(tmp_path / "other")


def test_a_sync_in_a_linked_worktree_syncs_its_own_branch(tmp_path: Path) -> None:
    made = Machines(tmp_path / "m", "a")
    git(made.root("a"), "worktree", "add", "-q", "-b", "other", "../other")
    git(made.folder / "other", "push", "-qu", "origin", "HEAD:other")
    made.work("other").add("MEMORY.md", "2026-02-02: the heron", section="Notes")
    assert made.work("other").sync().status == "same"
    assert "heron" in git(made.remote, "show", "other:MEMORY.md")
    assert "heron" not in git(made.remote, "show", "main:MEMORY.md")
    assert git(made.root("a"), "status", "-s") == ""
