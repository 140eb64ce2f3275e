"""Real git with the merge driver of `mdmem git setup`: what each of its verbs that merges makes of a memory."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mdmem import Workspace

from .conftest import MEMORY, Repository

pytestmark = pytest.mark.slow

MINE = MEMORY.replace("call Ann back", "call Ann back on Monday").replace("Tom\n", "Tom\n- 2026-02-15: from main\n")
THEIRS = MEMORY.replace("- 2026-02-13", "- ✅ 2026-02-13").replace("Tom\n", "Tom\n- 2026-02-16: from other\n")
BOTH = """\
# Memory

## To-dos

- ✅ 2026-02-13: call Ann back on Monday
- 2026-02-14: send the report

## Notes

- 2026-02-12: the key is with Tom
- 2026-02-15: from main
- 2026-02-16: from other
"""


def branches(repository: Repository, mine: str = MINE, theirs: str = THEIRS, name: str = "MEMORY.md") -> None:
    """Commit one change on `other` and one on `main`, which stays checked out."""
    repository.git("checkout", "-qb", "other")
    repository.write(name, theirs)
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    repository.write(name, mine)
    repository.commit("mine")


@pytest.mark.parametrize(
    "verb", [["merge", "-q", "other"], ["rebase", "-q", "other"], ["cherry-pick", "other"]], ids=lambda verb: verb[0]
)
def test_both_changes_stand(repository: Repository, verb: list[str]) -> None:
    branches(repository)
    repository.git(*verb)
    assert repository.read() == BOTH
    assert repository.git("status", "--porcelain").stdout == ""


def test_a_merge_of_the_other_side_gives_the_same_bytes(repository: Repository) -> None:
    branches(repository)
    repository.git("checkout", "-q", "other")
    repository.git("merge", "-q", "main")
    assert repository.read() == BOTH


def test_stash_pop(repository: Repository) -> None:
    repository.write("MEMORY.md", MINE)
    repository.git("stash", "-q")
    repository.commit("theirs", MEMORY__md=THEIRS)
    repository.git("stash", "pop", "-q")
    assert repository.read() == BOTH


def test_revert(repository: Repository) -> None:
    repository.commit("theirs", MEMORY__md=THEIRS)
    repository.commit("mine", MEMORY__md=BOTH)
    repository.git("revert", "--no-edit", "HEAD~1")
    assert repository.read() == MINE


def test_a_file_renamed_on_one_side_and_edited_on_the_other(repository: Repository) -> None:
    repository.git("checkout", "-qb", "other")
    repository.git("mv", "MEMORY.md", "新的 名字.md")
    repository.write("新的 名字.md", THEIRS)
    repository.commit("renamed")
    repository.git("checkout", "-q", "main")
    repository.commit("mine", MEMORY__md=MINE)
    repository.git("merge", "-q", "other")
    assert repository.read("新的 名字.md") == BOTH
    assert not (repository.root / "MEMORY.md").exists()


@pytest.mark.parametrize("name", ["我的 记忆.md", "-x y.md", "a'b\".md", "facts/user 用户.md"])
def test_both_added_a_file(repository: Repository, name: str) -> None:
    branches(repository, "# T\n\n- 2026-02-15: from main\n", "# T\n\n- 2026-02-16: from other\n", name)
    repository.git("merge", "-q", "other")
    assert repository.read(name) == "# T\n\n- 2026-02-15: from main\n- 2026-02-16: from other\n"


def test_both_deleted_a_file(repository: Repository) -> None:
    repository.git("checkout", "-qb", "other")
    repository.git("rm", "-q", "MEMORY.md")
    repository.commit("theirs")
    repository.git("checkout", "-q", "main")
    repository.git("rm", "-q", "MEMORY.md")
    repository.commit("mine", USER__md="# U\n")
    repository.git("merge", "-q", "other")
    assert not (repository.root / "MEMORY.md").exists()


def test_carriage_returns_on_one_side(repository: Repository) -> None:
    branches(repository, MINE.replace("\n", "\r\n"))
    repository.git("merge", "-q", "other")
    assert repository.read().replace("\r\n", "\n") == BOTH
    assert len(set(repository.read().splitlines())) == len(set(BOTH.splitlines()))


def test_bytes_that_are_no_utf_8(repository: Repository) -> None:
    odd = MEMORY + "- 2026-02-15: \udcff\udcfe\n"
    branches(repository, odd)
    repository.git("merge", "-q", "other")
    assert "\udcff\udcfe\n" in repository.read()
    assert "from other" in repository.read()


@pytest.mark.thorough
def test_a_text_of_two_megabytes(repository: Repository) -> None:
    many = MEMORY + "".join(f"- 2026-02-13: entry {n} of many, {'x' * 60}\n" for n in range(20_000))
    repository.commit("large", MEMORY__md=many)
    branches(repository, many + "- 2026-02-15: from main\n", many.replace("- 2026-02-14", "- ✅ 2026-02-14"))
    repository.git("merge", "-q", "other")
    text = repository.read()
    assert "- ✅ 2026-02-14: send" in text
    assert text.endswith("- 2026-02-15: from main\n")
    assert text.count("\n") == many.count("\n") + 1


def test_a_collision_shows_both_texts(repository: Repository) -> None:
    branches(repository, MEMORY.replace("Ann", "Ben"), MEMORY.replace("Ann", "Cyd"))
    done = repository.git("merge", "other", ok=False)
    assert done.returncode == 1
    assert "both sides changed 1 entry differently" in done.stderr + done.stdout
    shown = "<<<<<<< ours\n- 2026-02-13: call Ben back\n=======\n- 2026-02-13: call Cyd back\n>>>>>>> theirs\n"
    assert repository.read() == MEMORY.replace("- 2026-02-13: call Ann back\n", shown)
    assert "UU MEMORY.md" in repository.git("status", "--porcelain").stdout


def test_marks_have_the_size_that_git_asks_for(repository: Repository) -> None:
    with (repository.root / ".gitattributes").open("a") as file:
        file.write("MEMORY.md conflict-marker-size=12\n")
    repository.commit("size")
    branches(repository, MEMORY.replace("Ann", "Ben"), MEMORY.replace("Ann", "Cyd"))
    repository.git("merge", "other", ok=False)
    assert f"\n{'<' * 12} ours\n" in repository.read()
    assert f"\n{'=' * 12}\n" in repository.read()


def test_removed_here_and_changed_there_is_shown(repository: Repository) -> None:
    branches(
        repository, MEMORY.replace("- 2026-02-14: send the report\n", ""), MEMORY.replace("report", "report to Eve")
    )
    assert repository.git("merge", "other", ok=False).returncode == 1
    assert "=======\n- 2026-02-14: send the report to Eve\n>>>>>>> theirs\n" in repository.read()


def test_an_octopus_that_collides_is_refused_with_words(repository: Repository) -> None:
    for name, text in {"one": MEMORY.replace("Ann", "Ben"), "two": MEMORY.replace("Ann", "Cyd")}.items():
        repository.git("checkout", "-qb", name, "main")
        repository.commit(name, MEMORY__md=text)
    repository.git("checkout", "-q", "main")
    before = repository.git("rev-parse", "HEAD").stdout
    done = repository.git("merge", "one", "two", ok=False)
    assert done.returncode != 0
    assert "Automatic merge failed" in done.stdout
    assert "content conflict in MEMORY.md" in done.stderr
    assert all(word in repository.read() for word in ("Ben", "Cyd"))
    assert repository.git("rev-parse", "HEAD").stdout == before


def test_what_was_removed_after_a_crossed_merge_stays_removed(repository: Repository) -> None:
    """Two branches merge each other, so that their next merge has two bases, which git merges first."""
    one, two = MEMORY + "- 2026-02-15: one\n", MEMORY + "- 2026-02-16: two\n"
    branches(repository, one, two)
    repository.git("branch", "keep-main", "main")
    repository.git("merge", "-q", "other")
    repository.git("checkout", "-q", "other")
    repository.git("merge", "-q", "keep-main")
    assert repository.read() == MEMORY + "- 2026-02-15: one\n- 2026-02-16: two\n"
    repository.commit("removed", MEMORY__md=MEMORY + "- 2026-02-15: one\n")
    repository.git("checkout", "-q", "main")
    repository.commit("ticked", MEMORY__md=repository.read().replace("- 2026-02-14", "- ✅ 2026-02-14"))
    repository.git("merge", "-q", "other")
    assert repository.read() == (MEMORY + "- 2026-02-15: one\n").replace("- 2026-02-14", "- ✅ 2026-02-14")


def test_merge_tree_uses_the_driver_and_touches_no_file(repository: Repository) -> None:
    branches(repository)
    tree = repository.git("merge-tree", "--write-tree", "main", "other").stdout.split()[0]
    assert repository.git("show", f"{tree}:MEMORY.md").stdout == BOTH
    assert repository.read() == MINE


# ---- a driver that does not do its work


def _with_program(repository: Repository, script: str, tmp_path: Path) -> None:
    """Let the driver of the repository run a script in place of mdmem."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    line = repository.git("config", "merge.mdmem.driver").stdout.rstrip("\n")
    start = line.index("if test -x ") + len("if test -x ")
    python = line[start : line.index(";", start)]
    repository.git("config", "merge.mdmem.driver", line.replace(python, str(program)))


@pytest.mark.parametrize(
    "script",
    [
        "kill -9 $$", "exit 1", "exit 2", "exit 127", "exit 139",
        "echo 'No module named mdmem' >&2; exit 1", "kill -TERM $$", "exit 130",
    ],
)  # fmt: skip
def test_a_driver_that_fails_leaves_marks_and_not_silence(repository: Repository, script: str, tmp_path: Path) -> None:
    _with_program(repository, script, tmp_path)
    branches(repository)
    done = repository.git("merge", "other", ok=False)
    assert done.returncode == 1
    text = repository.read()
    for word in ("<<<<<<< ours", "from main", "from other", ">>>>>>> theirs"):
        assert word in text


def test_a_program_that_is_missing_leaves_marks(repository: Repository, tmp_path: Path) -> None:
    line = repository.git("config", "merge.mdmem.driver").stdout.rstrip("\n")
    start = line.index("if test -x ") + len("if test -x ")
    python = line[start : line.index(";", start)]
    repository.git("config", "merge.mdmem.driver", line.replace(python, str(tmp_path / "gone")))
    tools = tmp_path / "tools"  # a PATH without mdmem
    tools.mkdir()
    for tool in ("git", "sh", "grep"):
        found = next(Path(one) / tool for one in os.environ["PATH"].split(os.pathsep) if (Path(one) / tool).exists())
        (tools / tool).symlink_to(found.resolve() if tool != "sh" else found)
    repository.env["PATH"] = str(tools)
    branches(repository)
    assert repository.git("merge", "other", ok=False).returncode == 1
    assert "<<<<<<< ours" in repository.read()
    assert "from other" in repository.read()


def test_a_clone_without_the_configuration_merges_by_lines(repository: Repository) -> None:
    repository.git("config", "--remove-section", "merge.mdmem")
    branches(repository, MEMORY.replace("# Memory", "# My memory"), MEMORY + "- 2026-02-16: from other\n")
    repository.git("merge", "-q", "other")
    assert repository.read() == MEMORY.replace("# Memory", "# My memory") + "- 2026-02-16: from other\n"


@pytest.mark.parametrize("style", ["diff3", "zdiff3"])
def test_marks_show_the_base_where_git_asks_for_it(repository: Repository, style: str) -> None:
    branches(repository, MEMORY.replace("Tom", "Ann"), MEMORY.replace("Tom", "Eve"))
    merge = repository.git("-c", f"merge.conflictStyle={style}", "merge", "-q", "other", ok=False)
    assert merge.returncode == 1
    who = [f"- 2026-02-12: the key is with {name}" for name in ("Ann", "Tom", "Eve")]
    assert repository.read() == MEMORY.replace(
        f"{who[1]}\n", f"<<<<<<< ours\n{who[0]}\n||||||| base\n{who[1]}\n=======\n{who[2]}\n>>>>>>> theirs\n"
    )
    (found,) = [one for one in Workspace(repository.root).lint().diagnostics if one.code == "MM113"]
    assert (found.line, found.end_line) == (10, 16)


def test_marks_of_another_size_are_found(repository: Repository) -> None:
    lines = (repository.root / ".gitattributes").read_text("utf-8")
    repository.commit("size", **{".gitattributes": f"{lines}*.md conflict-marker-size=12\n"})
    branches(repository, MEMORY.replace("Tom", "Ann"), MEMORY.replace("Tom", "Eve"))
    repository.git("merge", "-q", "other", ok=False)
    assert "<" * 12 + " ours\n" in repository.read()
    assert "MM113" in [one.code for one in Workspace(repository.root).lint().diagnostics]
