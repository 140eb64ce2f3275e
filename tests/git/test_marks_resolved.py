"""`mdmem resolve` merges both sides of the conflicts that git left in a file, entry by entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem import UsageError, Workspace

from .conftest import MEMORY, Repository

HERE = MEMORY.replace("call Ann back", "call Ann back on Monday").replace("Tom\n", "Tom\n- 2026-02-15: from main\n")
THERE = MEMORY.replace("- 2026-02-13", "- ✅ 2026-02-13").replace("Tom\n", "Tom\n- 2026-02-16: from other\n")


def conflict(bare: Repository, ours: str, theirs: str, style: str = "diff3") -> Workspace:
    """Let git without the merge driver leave its marks."""
    bare.git("checkout", "-qb", "other")
    bare.commit("theirs", MEMORY__md=theirs)
    bare.git("checkout", "-q", "main")
    bare.commit("ours", MEMORY__md=ours)
    assert bare.git("-c", f"merge.conflictStyle={style}", "merge", "other", ok=False).returncode == 1
    return Workspace(bare.root, lang="en")


@pytest.mark.slow
@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_entries_that_do_not_collide_are_merged(bare: Repository, style: str) -> None:
    work = conflict(bare, HERE, THERE, style)
    done = work.resolve("MEMORY.md")
    assert done.status == "done"
    assert bare.read().splitlines() == [
        *HERE.replace("- 2026-02-13", "- ✅ 2026-02-13").splitlines(),
        "- 2026-02-16: from other",
    ]
    assert ("the text with which both began" in done.hint) is (style != "merge")
    assert work.inbox.list() == ()
    bare.git("add", "MEMORY.md")
    bare.git("commit", "-qm", "merged")


@pytest.mark.slow
def test_what_one_side_removed_is_removed(bare: Repository) -> None:
    report = "- 2026-02-14: send the report\n"
    work = conflict(bare, HERE.replace(report, ""), THERE)
    work.resolve("MEMORY.md")
    assert "report" not in bare.read()


@pytest.mark.slow
def test_the_text_of_the_other_side_waits_in_the_inbox(bare: Repository) -> None:
    work = conflict(bare, MEMORY.replace("with Tom", "with Ann"), MEMORY.replace("with Tom", "with Eve"))
    done = work.resolve("MEMORY.md")
    assert "1 entry say something else on the other side" in done.hint
    assert bare.read() == MEMORY.replace("with Tom", "with Ann")
    (item,) = work.inbox.list()
    work.inbox.accept([item.key])
    assert bare.read() == MEMORY.replace("with Tom", "with Eve")


@pytest.mark.parametrize(
    "text",
    [
        MEMORY,
        f"{MEMORY}<<<<<<< ours\n- a\n=======\n- b\n",
        f"{MEMORY}- b\n>>>>>>> theirs\n",
        f"{MEMORY}\n```\n<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n```\n",
        f"{MEMORY}<<<<<<< ours\n- a\n>>>>>>> theirs\n",
    ],
)
def test_what_holds_no_whole_conflict_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "MEMORY.md").write_text(text, "utf-8")
    with pytest.raises(UsageError, match="no whole conflict"):
        Workspace(tmp_path, lang="en").resolve("MEMORY.md")
    assert (tmp_path / "MEMORY.md").read_text("utf-8") == text
