"""What is staged is judged, not what lies on disk; by the hook of our own and by the real pre-commit program."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import CLEAN, Run, environment

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
BAD = "\ufeff" + CLEAN
WORSE = "# 🧠 记忆\n\n- 好\x00\n"  # NUL: an error


def test_staged_is_judged_not_the_working_tree(mdmem: Run, git: Run, folder: Path) -> None:
    memory = folder / "MEMORY.md"
    memory.write_text(BAD, "utf-8")
    git("add", ".")
    memory.write_text(CLEAN, "utf-8")
    assert mdmem("lint").returncode == 0
    assert mdmem("lint", "--staged").returncode == 1
    git("add", ".")
    memory.write_text(BAD, "utf-8")
    assert mdmem("lint", "--staged").returncode == 0
    assert mdmem("lint", "--staged", "MEMORY.md").returncode == 0


def test_staged_takes_only_what_the_commit_changes(mdmem: Run, git: Run, folder: Path) -> None:
    (folder / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    (folder / "old.md").write_text(BAD, "utf-8")
    git("add", ".")
    git("commit", "-qm", "old")
    (folder / "new 新.md").write_text(BAD, "utf-8")
    (folder / "code.py").write_text("x = 1\n")
    git("add", ".")
    found = json.loads(mdmem("lint", "--staged", "--json").stdout)
    assert found["files"] == 1
    assert [one["path"] for one in found["findings"]] == ["new 新.md"]
    (folder / "old.md").unlink()
    git("add", "-A")
    assert json.loads(mdmem("lint", "--staged", "--json").stdout)["files"] == 1


def test_staged_in_a_folder_below_the_top(mdmem: Run, git: Run, folder: Path) -> None:
    inner = folder / "agent"
    inner.mkdir()
    (inner / "mdmem.toml").touch()
    (inner / "MEMORY.md").write_text(BAD, "utf-8")
    git("add", ".")
    assert mdmem("lint", "--staged", cwd=inner).stdout.startswith("MEMORY.md:1:1:")
    assert mdmem("lint", "--staged", "agent/MEMORY.md").stdout.startswith("agent/MEMORY.md:1:1:")


def test_staged_from_the_top_of_a_repository_that_is_no_memory(mdmem: Run, git: Run, folder: Path) -> None:
    (folder / "MEMORY.md").unlink()
    inner = folder / "agent"
    inner.mkdir()
    git("add", ".")
    assert mdmem("lint", "--staged").returncode == 0
    (inner / "MEMORY.md").write_text(BAD, "utf-8")
    git("add", ".")
    assert mdmem("lint", "--staged").stdout.startswith("agent/MEMORY.md:1:1:")


def test_staged_link_that_leaves(mdmem: Run, git: Run, folder: Path) -> None:
    (folder / "SOUL.md").symlink_to("../outside.md")
    (folder / "USER.md").symlink_to("MEMORY.md")
    git("add", ".")
    found = json.loads(mdmem("lint", "--staged", "--json").stdout)["findings"]
    assert {(one["path"], one["code"]) for one in found} == {("SOUL.md", "MM506")}


def test_staged_outside_git_says_so(mdmem: Run) -> None:
    done = mdmem("lint", "--staged")
    assert done.returncode == 9
    assert "not in a git repository" in done.stderr


def test_staged_with_fix_is_refused(mdmem: Run) -> None:
    assert mdmem("lint", "--staged", "--fix").returncode == 2


def test_own_hook_stops_a_bad_commit_and_goes_away(mdmem: Run, git: Run, folder: Path) -> None:
    assert "installed" in mdmem("hook", "install").stdout
    assert mdmem("hook", "install").returncode == 0, "installing twice is fine"
    (folder / "MEMORY.md").write_text(WORSE, "utf-8")
    git("add", ".")
    (folder / "MEMORY.md").write_text(CLEAN, "utf-8")
    refused = git("commit", "-m", "x")
    assert refused.returncode != 0
    assert "MM104" in refused.stdout + refused.stderr
    git("add", ".")
    assert git("commit", "-m", "x").returncode == 0
    assert "removed" in mdmem("hook", "uninstall").stdout
    (folder / "MEMORY.md").write_text(WORSE, "utf-8")
    assert git("commit", "-am", "y").returncode == 0


def test_the_hook_of_another_folder_is_named_by_root(mdmem: Run, git: Run, folder: Path, tmp_path: Path) -> None:
    assert mdmem("hook", "install", "--root", str(folder), cwd=tmp_path).returncode == 0
    assert (folder / ".git" / "hooks" / "pre-commit").exists()
    assert mdmem("hook", "install", "--root", "nowhere", cwd=tmp_path).returncode == 3
    assert mdmem("hook", "uninstall", "--root", str(folder), cwd=tmp_path).returncode == 0
    assert not (folder / ".git" / "hooks" / "pre-commit").exists()


def test_a_hook_of_ones_own_is_left_alone(mdmem: Run, git: Run, folder: Path) -> None:
    own = folder / ".git" / "hooks" / "pre-commit"
    own.parent.mkdir(exist_ok=True)
    own.write_text("#!/bin/sh\nexit 0\n")
    for verb in ("install", "uninstall"):
        done = mdmem("hook", verb)
        assert done.returncode == 9
        assert "hint:" in done.stderr
    assert own.read_text() == "#!/bin/sh\nexit 0\n"
    git("config", "core.hooksPath", "my hooks")
    assert mdmem("hook", "install").returncode == 0
    assert (folder / "my hooks" / "pre-commit").exists()


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_real_pre_commit_program(git: Run, folder: Path, tmp_path: Path) -> None:
    """A clone of this project as a hook repository, run by pre-commit, judges the index."""
    pytest.importorskip("pre_commit")
    clone = tmp_path / "clone"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, check=True,
    ).stdout  # fmt: skip
    for name in filter(None, listed.decode().split("\0")):
        if (REPOSITORY / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, clone / name)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        assert git(*command, cwd=clone).returncode == 0
    revision = git("rev-parse", "HEAD", cwd=clone).stdout.strip()
    (folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {clone}\n  rev: {revision}\n  hooks:\n  - id: mdmem-lint\n"
    )
    (folder / "MEMORY.md").write_text(WORSE, "utf-8")
    git("add", ".")
    run = environment(tmp_path) | {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}
    program = [sys.executable, "-m", "pre_commit", "run"]
    bad = subprocess.run(program, cwd=folder, env=run, capture_output=True, text=True, check=False)
    if "Failed" not in bad.stdout and "InstallationError" in bad.stdout + bad.stderr:
        pytest.skip("the dependencies cannot be installed here")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "MM104" in bad.stdout
    (folder / "MEMORY.md").write_text(CLEAN, "utf-8")
    git("add", ".")
    (folder / "MEMORY.md").write_text(WORSE, "utf-8")
    good = subprocess.run(program, cwd=folder, env=run, capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stdout + good.stderr


def test_the_hook_judges_memory_folders_only(mdmem: Run, git: Run, folder: Path) -> None:
    for name in ("README.md", "docs/guide.md", "notes/diary.md", "MEMORY.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(BAD, "utf-8")
    (folder / "notes" / "mdmem.toml").write_text('lang = "en"\n')
    git("add", ".")
    found = json.loads(mdmem("lint", "--staged", "--json").stdout)
    assert {one["path"] for one in found["findings"]} == {"MEMORY.md", "notes/diary.md"}
    assert json.loads(mdmem("lint", "--staged", "--json", "README.md", "docs/guide.md").stdout)["files"] == 0
    (folder / "notes" / "mdmem.toml").write_text('lang = "en"\n[lint]\nexclude = ["diary.md"]\n')
    assert json.loads(mdmem("lint", "--staged", "--json").stdout)["files"] == 1
