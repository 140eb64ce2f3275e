"""Which repositories a sync goes to and what git runs there: what the user has allowed on this machine, and no more."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import in_process
import pytest

from git.machines import Machines, git
from mdmem import GitError, Workspace
from mdmem.store.git import program
from mdmem.store.git.repository_requests import requests_in
from mdmem.watch.syncs import keep_synced

pytestmark = pytest.mark.slow


@pytest.fixture
def two(tmp_path: Path) -> Machines:
    return Machines(tmp_path / "machines")


def told(folder: Path, *words: str) -> str:
    """Call the command line in a folder, and return what it prints."""
    done = in_process.run_text(*words, "--lang", "en", cwd=folder, env=dict(os.environ))
    return done.stdout + done.stderr


def hook(folder: Path, text: str, name: str = "pre-push") -> None:
    place = folder / ".git" / "hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    place.chmod(0o755)


def test_a_remote_that_nobody_allowed_is_not_contacted(two: Machines) -> None:
    root = two.root("a")
    with mock.patch.object(program, "talk", side_effect=AssertionError("contacted")):
        for dry_run in (True, False):
            with pytest.raises(GitError, match="nobody has allowed a sync with the remote origin") as caught:
                Workspace(root).sync(dry_run=dry_run)
            assert "mdmem trust" in caught.value.hint
        (notice,) = keep_synced(Workspace(root).config).notices
    assert (notice.severity, "nobody has allowed" in notice.message) == ("warning", True)


def test_trust_shows_the_address_and_allows_it(two: Machines) -> None:
    root = two.root("a")
    for person in ("ann:Kz8-lake-77", "lake-token"):
        git(root, "remote", "set-url", "origin", f"https://{person}@example.org/m.git")
        asked = Workspace(root).trust_requests()
        assert (asked.git, asked.git_trusted) == ({"remote.origin.url": "https://…@example.org/m.git"}, False)
        assert "lake" not in told(root, "trust") + told(root, "git", "setup", "--driver")
    git(root, "remote", "set-url", "origin", two.remote.as_uri())
    shown = told(root, "trust", "--yes")
    assert f"remote.origin.url = {two.remote.as_uri()}\n  `mdmem sync` sends the memory to this address" in shown
    assert "the repository is trusted until one of these changes" in shown
    assert Workspace(root).sync().status == "same"
    git(root, "remote", "set-url", "origin", str(two.remote))
    with pytest.raises(GitError, match="nobody has allowed"):
        Workspace(root).sync()
    assert "not trusted and not synced" in told(root, "trust", "--revoke")


def test_no_secret_of_a_repository_is_shown(two: Machines) -> None:
    """Git keeps a token for a server in its configuration as plain text."""
    token = "ghp_Zk8rT2vQ9xLm4NbW7cYd1HsJ6fPa3GuE5oKi"
    git(two.root("a"), "config", "http.extraheader", f"Authorization: Bearer {token}")
    for more in ((), ("--json",)):
        shown = told(two.root("a"), "trust", "--yes", *more)
        assert "http.extraheader" in shown
        assert token not in shown


def test_a_setup_allows_the_address_and_no_program(two: Machines) -> None:
    root = two.root("a")
    hook(root, "exit 1")
    assert f"✓ `mdmem sync` with origin: {two.remote}: set up\n" in told(root, "git", "setup", "--driver")
    with pytest.raises(GitError, match=r"what you have not allowed: hooks/pre-push; nothing was run"):
        Workspace(root).sync()
    hook(root, "exit 0", "pre-commit")
    (root / ".git/hooks/pre-push").unlink()
    assert Workspace(root).sync().status == "same"
    Workspace(root).git.setup(driver=True, undo=True)
    with pytest.raises(GitError, match="nobody has allowed"):
        Workspace(root).sync()


def test_a_setup_with_an_address_allows_no_other_one(two: Machines) -> None:
    steps = Workspace(two.root("a")).git.setup(remote="https://example.org/m.git")
    assert {one.part: one.state for one in steps} == {"ignore": "present", "remote": "another"}


def test_a_hook_of_the_user_runs_once_it_is_trusted_and_asks_anew_when_it_changes(two: Machines) -> None:
    root, mark = two.root("a"), two.folder / "ran"
    hook(root, f"touch {mark}")
    (root / "USER.md").write_text("# User\n\n- Ann\n", "utf-8")
    with pytest.raises(GitError, match="hooks/pre-push"):
        Workspace(root).sync()
    assert not mark.exists()
    assert two.work("a").sync().status == "same"
    assert mark.exists()
    hook(root, f"touch {mark} {mark}")
    with pytest.raises(GitError, match="hooks/pre-push"):
        Workspace(root).sync()
    state = Workspace(root).sync_state()
    assert state
    assert "hooks/pre-push" in state.trouble
    assert [one.name for one in Workspace(root).git.checks()] == ["git-trust"]


def test_the_users_own_configuration_and_hooks_need_no_trust(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    own, mark = two.folder / "own", two.folder / "ran"
    own.mkdir()
    (own / "pre-push").write_text(f"#!/bin/sh\ntouch {mark}\n", "utf-8")
    (own / "pre-push").chmod(0o755)
    (own / "config").write_text(
        f"[core]\n\thooksPath = {own}\n\tpager = less\n[credential]\n\thelper = store\n", "utf-8"
    )
    work = two.work("a")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own / "config"))
    work.add("MEMORY.md", "2026-02-02: the heron waits", section="Notes")
    assert work.sync().status == "same"
    assert mark.exists()


def test_a_usual_repository_asks_for_its_address_alone(two: Machines) -> None:
    root = two.root("a")
    Workspace(root).git.setup()
    usual = {
        "user.name": "Ann", "core.autocrlf": "false", "pull.rebase": "true", "commit.gpgsign": "true",
        "push.default": "current", "branch.main.vscode-merge-base": "origin/main",
        "remote.origin.gh-resolved": "base", "protocol.version": "2",
        "merge.conflictStyle": "zdiff3", "core.untrackedCache": "true", "extensions.worktreeConfig": "true",
        "submodule.active": ".", "gc.auto": "0", "diff.algorithm": "histogram",
    }  # fmt: skip
    for key, value in usual.items():
        git(root, "config", key, value)
    git(root, "worktree", "add", "-q", "-b", "other", "../other")
    names = [one.name for one in requests_in(str(root))]
    assert names == ["remote.origin.url"]
    assert [one.name for one in requests_in(str(two.folder / "other"))] == names


@pytest.mark.parametrize("place", ["a", "other"])
def test_reading_starts_git_no_more_often_than_it_needs(two: Machines, place: str) -> None:
    """Whether a repository is the folder's own is seen without git, in a linked worktree too."""
    git(two.root("a"), "worktree", "add", "-q", "-b", "other", "../other")
    work = two.work(place)
    with mock.patch.object(program, "_start", side_effect=program._start) as started:
        work.lint(["MEMORY.md"], staged=True)
    assert started.call_count == 4  # the top folder; the named file; its size, its text
