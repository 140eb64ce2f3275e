"""`mdmem git setup` changes what it names, keeps what others wrote, and takes all of it back, byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import in_process
import pytest
from hypothesis import given
from hypothesis import strategies as st

from git.machines import Machines, git
from mdmem import GitError, RefusedError, Workspace
from mdmem.errors import WorkspaceNotFoundError
from mdmem.git.own_lines import has_lines, with_lines, without_lines
from mdmem.store.git import program
from mdmem.store.walk import find_root

from .conftest import Repository

LINES = ("*.md merge=mdmem diff=mdmem",)
FOREIGN = st.one_of(
    st.none(),
    st.binary(max_size=40),
    st.sampled_from(
        [b"", b"*.md text", b"\xef\xbb\xbf*.png binary\n", b"a\r\nb\r\n", b"# mdmem begin: x\n", b"\n# mdmem end"]
    ),
)


def states(repository: Repository, **choice: object) -> dict[str, str]:
    return {one.part: one.state for one in Workspace(repository.root).git.setup(**choice)}  # type: ignore[arg-type]


@given(FOREIGN)
def test_lines_go_in_and_out_without_a_trace(data: bytes | None) -> None:
    with_ours = with_lines(data, LINES)
    assert has_lines(with_ours, LINES)
    assert with_ours.endswith((data or b"").removeprefix(b"\xef\xbb\xbf"))
    assert without_lines(with_ours) == data
    assert with_lines(with_ours, LINES) == with_ours


def test_lines_that_a_person_adds_to_a_file_of_ours_stay() -> None:
    assert without_lines(with_lines(None, LINES) + b"*.png binary\n") == b"*.png binary\n"


@pytest.mark.slow
@pytest.mark.parametrize("foreign", [{}, {".gitattributes": "*.png binary", ".gitignore": "*.swp\n"}])
def test_undo_leaves_the_repository_as_it_was(bare: Repository, foreign: dict[str, str]) -> None:
    for name, text in foreign.items():
        bare.write(name, text)
    before = bare.snapshot()
    done = states(bare)
    assert done == {"attributes": "made", "driver": "made", "ignore": "made", "hook": "made"}
    after = bare.snapshot()
    assert set(states(bare).values()) == {"present"}
    assert bare.snapshot() == after
    for name, text in foreign.items():
        assert after[name].endswith(text.encode())
    states(bare, remote="../other.git")
    states(bare, undo=True)
    assert bare.snapshot() == before
    assert set(states(bare, undo=True).values()) == {"absent"}


@pytest.mark.slow
def test_a_hook_that_was_there_is_not_taken_back(bare: Repository) -> None:
    Workspace(bare.root).install_hook()
    assert states(bare)["hook"] == "present"
    assert states(bare, undo=True)["hook"] == "absent"
    assert (bare.root / ".git/hooks/pre-commit").exists()


@pytest.mark.slow
def test_what_others_set_is_not_changed(bare: Repository) -> None:
    bare.git("config", "merge.mdmem.driver", "my-own %A %O %B")
    bare.git("remote", "add", "origin", "../theirs.git")
    hook = bare.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    done = states(bare, driver=True, hook=True, remote="../other.git")
    assert (done["driver"], done["hook"], done["remote"]) == ("another", "another", "another")
    assert bare.git("config", "merge.mdmem.driver").stdout == "my-own %A %O %B\n"
    assert bare.git("remote", "get-url", "origin").stdout == "../theirs.git\n"
    assert states(bare, undo=True)["driver"] == "another"
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"


@pytest.mark.slow
def test_a_choice_sets_up_no_more(bare: Repository) -> None:
    assert set(states(bare, hook=True)) == {"ignore", "hook"}
    assert set(states(bare, driver=True)) == {"attributes", "driver", "ignore"}
    assert set(states(bare, driver=True, undo=True)) == {"attributes", "driver"}
    assert (bare.root / ".gitignore").exists()


@pytest.mark.slow
def test_an_address_with_a_password_is_refused(bare: Repository) -> None:
    before = bare.snapshot()
    with pytest.raises(RefusedError) as caught:
        Workspace(bare.root).git.setup(remote="https://ann:river-77@example.org/m.git")
    assert "river-77" not in str(caught.value) + caught.value.hint
    assert {name: data for name, data in bare.snapshot().items() if name != ".gitignore"} == before
    assert states(bare, remote="-u")["remote"] == "made"  # no option of git


@pytest.mark.slow
def test_a_memory_below_the_top_is_set_up_in_its_own_folder(bare: Repository) -> None:
    inner = Repository(bare.root / "agent", bare.root.parent)
    inner.root.mkdir()
    inner.write("mdmem.toml", "")
    Workspace(inner.root).git.setup(driver=True)
    assert (inner.root / ".gitattributes").exists()
    assert not (bare.root / ".gitattributes").exists()
    assert inner.git("check-attr", "merge", "MEMORY.md").stdout == "MEMORY.md: merge: mdmem\n"
    assert bare.git("check-attr", "merge", "README.md").stdout == "README.md: merge: unspecified\n"


@pytest.mark.slow
def test_a_folder_that_names_a_foreign_repository_is_refused(bare: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "foreign"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {bare.root}/.git\n")
    (folder / "mdmem.toml").touch()
    before = bare.snapshot()
    with pytest.raises(RefusedError, match="does not name this folder"):
        Workspace(folder).git.setup()
    assert bare.snapshot() == before
    assert sorted(one.name for one in folder.iterdir()) == [".git", "mdmem.toml"]


@pytest.mark.slow
def test_a_linked_worktree_shares_the_configuration(bare: Repository, tmp_path: Path) -> None:
    bare.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    assert states(Repository(tmp_path / "linked", tmp_path), driver=True)["driver"] == "made"
    assert states(bare, driver=True)["driver"] == "present"


def test_without_a_repository_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").touch()
    with pytest.raises(GitError, match="not in a git repository"):
        Workspace(tmp_path).git.setup()


def test_an_old_git_is_refused_with_both_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "version", lambda: (2, 17))
    with pytest.raises(GitError, match=r"git 2\.17 is too old; git 2\.38 is needed"):
        Workspace(tmp_path).git.setup()


@pytest.mark.slow
def test_doctor_tells_of_attributes_without_their_configuration(repository: Repository, tmp_path: Path) -> None:
    def check(root: Path) -> tuple[str, str]:
        one = next(one for one in Workspace(root, lang="en").git.checks() if one.name == "git-driver")
        return one.state, one.hint

    assert check(repository.root) == ("good", "")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repository.root), str(clone)], check=True, env=repository.env)
    assert check(clone) == ("weaker", "`mdmem git setup --driver`")
    Workspace(clone).git.setup(driver=True)
    assert check(clone) == ("good", "")


@pytest.mark.slow
def test_the_command_line_says_what_it_did(bare: Repository) -> None:
    done = in_process.run_text("git", "setup", "--lang", "en", cwd=bare.root, env=bare.env)
    assert done.returncode == 0, done.stderr
    assert "✓ the pre-commit hook: set up\n" in done.stdout
    assert "on each further clone run `mdmem git setup`" in done.stdout
    done = in_process.run_text("git", "setup", "--json", cwd=bare.root, env=bare.env)
    assert json.loads(done.stdout)["steps"][0] == {"part": "attributes", "state": "present", "name": ""}
    doctor = in_process.run_text("doctor", "--lang", "en", cwd=bare.root, env=bare.env)
    assert "git merges the memory entry by entry" in doctor.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_a_read_only_file_is_not_replaced(bare: Repository) -> None:
    bare.write(".gitattributes", "*.png binary\n")
    place = bare.root / ".gitattributes"
    place.chmod(stat.S_IRUSR)
    with pytest.raises(Exception, match="read-only"):
        Workspace(bare.root).git.setup()
    assert place.read_text() == "*.png binary\n"


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


@pytest.mark.slow
def test_a_linked_worktree_without_a_memory_uses_that_of_the_main_one(project: Path) -> None:
    linked = project.parent / "feature"
    for start in (linked, linked / "src"):
        assert find_root(str(start)) == str(project)
    Workspace.find(linked / "src").add("MEMORY.md", "2026-02-02: the heron", section="Notes")
    git(project, "worktree", "remove", "--force", "../feature")
    assert "heron" in (project / "MEMORY.md").read_text("utf-8")


@pytest.mark.slow
def test_a_memory_of_its_own_comes_first(project: Path) -> None:
    linked = project.parent / "feature"
    (linked / "mdmem.toml").write_text("", "utf-8")
    assert find_root(str(linked / "src")) == str(linked)
    checks = {one.name: one for one in Workspace(project).git.checks()}
    assert checks["git-worktrees"].state == "weaker"
    assert "feature" in checks["git-worktrees"].message


@pytest.mark.slow
def test_doctor_says_which_memory_the_worktrees_use(project: Path) -> None:
    checks = {one.name: one for one in Workspace(project).git.checks()}
    assert checks["git-worktrees"].state == "good"
    assert "feature" in checks["git-worktrees"].message


@pytest.mark.slow
def test_status_says_whose_memory_it_is(project: Path) -> None:
    done = in_process.run_text("status", cwd=project.parent / "feature", env=dict(os.environ))
    assert f"main worktree is used, ..{os.sep}project" in done.stdout


@pytest.mark.slow
def test_a_forged_file_names_no_memory(project: Path) -> None:
    """Whoever wrote a folder can name any repository in its `.git`; that repository does not name the folder."""
    forged = project.parent / "forged"
    forged.mkdir()
    for name in (project / ".git", project / ".git" / "worktrees" / "feature"):
        (forged / ".git").write_text(f"gitdir: {name}\n", "utf-8")
        assert find_root(str(forged)) is None
    with pytest.raises(WorkspaceNotFoundError):
        Workspace.find(forged)


@pytest.mark.slow
def test_a_worktree_of_a_bare_repository_has_no_main_one(tmp_path: Path) -> None:
    made = Machines(tmp_path / "m", "a")
    git(made.remote, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"), "main")
    os.unlink(tmp_path / "other" / "mdmem.toml")
    os.unlink(tmp_path / "other" / "MEMORY.md")
    assert find_root(str(tmp_path / "other")) is None
    shutil.rmtree(tmp_path / "other")


@pytest.mark.slow
def test_a_sync_in_a_linked_worktree_syncs_its_own_branch(tmp_path: Path) -> None:
    made = Machines(tmp_path / "m", "a")
    git(made.root("a"), "worktree", "add", "-q", "-b", "other", "../other")
    git(made.folder / "other", "push", "-qu", "origin", "HEAD:other")
    made.work("other").add("MEMORY.md", "2026-02-02: the heron", section="Notes")
    assert made.work("other").sync().status == "same"
    assert "heron" in git(made.remote, "show", "other:MEMORY.md")
    assert "heron" not in git(made.remote, "show", "main:MEMORY.md")
    assert git(made.root("a"), "status", "-s") == ""
