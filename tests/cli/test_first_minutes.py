"""What a newcomer types in the first minutes, without having read a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


@pytest.fixture
def new(mdmem: Run, tmp_path: Path) -> Path:
    """Return a new English memory folder."""
    mdmem("init", str(tmp_path / "new"), "--lang", "en")
    return tmp_path / "new"


def test_a_text_without_a_file_is_remembered(mdmem: Run, new: Path) -> None:
    done = mdmem("add", "buy milk", cwd=new)
    assert done.returncode == 0
    assert done.stdout.startswith("no file was named")
    assert "buy milk" in (new / "MEMORY.md").read_text("utf-8").partition("## To-dos")[2].partition("\n## ")[0]
    assert mdmem("add", "momery", cwd=new).returncode == 12
    assert mdmem("add", "no such file.md", cwd=new).returncode == 2, "a name of a file with nothing to add"


def test_a_name_in_other_letters_is_the_file_of_its_kind(mdmem: Run, new: Path) -> None:
    assert mdmem("add", "memory.md", "2026-02-13: one", cwd=new).returncode == 0
    assert mdmem("add", "Memory.MD", "2026-02-13: two", cwd=new).returncode == 0
    assert [path.name for path in new.iterdir() if path.name.lower() == "memory.md"] == ["MEMORY.md"]
    assert "two" in mdmem("show", "memory.md", cwd=new).stdout


def test_edit_takes_the_old_and_the_new_text(mdmem: Run, new: Path) -> None:
    mdmem("add", "memory", "2026-02-13: call Tom on Friday", cwd=new)
    assert mdmem("edit", "memory", "Friday", "next Monday", cwd=new).returncode == 0
    assert "on next Monday" in (new / "MEMORY.md").read_text("utf-8")
    for wrong in (("Monday",), ("a", "b", "c"), ("a", "b", "--new", "c")):
        done = mdmem("edit", "memory", *wrong, "--lang", "en", cwd=new)
        assert (done.returncode, "OLD NEW" in done.stderr) == (2, True), wrong


def test_today_adds_nothing_twice(mdmem: Run, new: Path) -> None:
    assert mdmem("today", "the roof is tight", cwd=new).returncode == 0
    again = mdmem("today", "the roof is tight", cwd=new)
    assert (again.returncode, "already present" in again.stdout) == (1, True)


def test_ticking_twice_says_so(mdmem: Run, new: Path) -> None:
    mdmem("add", "memory", "2026-02-13: send the report", cwd=new)
    assert mdmem("tick", "memory", "report", cwd=new).returncode == 0
    assert "already marked as done" in mdmem("tick", "memory", "report", cwd=new).stdout
    assert "已经勾过了" in mdmem("tick", "memory", "report", "--lang", "zh", cwd=new).stdout
    mdmem("tick", "memory", "report", "--undo", cwd=new)
    assert "was not marked" in mdmem("tick", "memory", "report", "--undo", cwd=new).stdout


@pytest.mark.parametrize(
    "text", ["call mum on Sunday", "meet Ann at noon", "周日给妈妈打电话", "call the dentist at nine"]
)
def test_what_is_to_be_done_goes_to_the_to_dos(text: str, mdmem: Run, new: Path) -> None:
    mdmem("remember", text, cwd=new)
    assert text in (new / "MEMORY.md").read_text("utf-8").partition("## To-dos")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    "text",
    ["my name is Ann, call me Annie on the phone", "we met Ann on Sunday", "Ann likes calls on Sundays", "妈妈住在周庄",
     "the call on Sunday was short", "Tom visited us at Easter"],
)  # fmt: skip
def test_what_is_no_task_stays_out_of_the_to_dos(text: str, mdmem: Run, new: Path) -> None:
    mdmem("remember", text, cwd=new)
    written = "".join(path.read_text("utf-8") for path in new.glob("*.md"))
    assert text in written
    assert text not in written.partition("## To-dos")[2].partition("\n## ")[0]


def test_a_note_of_the_users_own_is_begun(mdmem: Run, new: Path) -> None:
    done = mdmem("add", "NOTE.md", "the boathouse key hangs below the pot", cwd=new)
    assert (done.returncode, "NOTE.md is a new note" in done.stdout) == (0, True)
    assert (new / "NOTE.md").read_text("utf-8") == "- the boathouse key hangs below the pot\n"
    again = mdmem("add", "NOTE.md", "and the oars too", cwd=new)
    assert "new note" not in again.stdout
    assert mdmem("add", "NOTE.txt", "x", cwd=new).returncode == 10
    (new / "out.md").symlink_to(new.parent / "elsewhere.md")
    assert mdmem("add", "out.md", "x", cwd=new).returncode > 1
    assert not (new.parent / "elsewhere.md").exists()


@pytest.mark.parametrize("text", ["买牛奶", "周日给妈妈打电话", "牛乳を買う"])
def test_a_text_without_blanks_is_remembered_as_one_with_blanks(mdmem: Run, tmp_path: Path, text: str) -> None:
    new = tmp_path / "new"
    new.mkdir()
    assert mdmem("init", ".", "--lang", "zh", cwd=new).returncode == 0
    assert mdmem("add", text, cwd=new).returncode == 0
    assert text in (new / "MEMORY.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["记忆", "记亿", "水泵.md"])
def test_a_name_is_not_taken_for_a_text(mdmem: Run, tmp_path: Path, name: str) -> None:
    new = tmp_path / "new"
    new.mkdir()
    mdmem("init", ".", "--lang", "zh", cwd=new)
    assert mdmem("add", name, cwd=new).returncode != 0


def test_init_lists_what_it_made_and_three_commands(mdmem: Run, tmp_path: Path) -> None:
    lines = mdmem("init", str(tmp_path / "new"), "--lang", "en").stdout.splitlines()
    made = {line.split()[1] for line in lines if line.startswith("+ ")}
    assert made == {path.name for path in (tmp_path / "new").iterdir() if path.name != ".mdmem"}
    assert not [line for line in lines if "MEMORY.md" in line]
    assert [line.split()[1] for line in lines[-3:]] == ["remember", "status", "lint"]


def test_init_again_counts_what_is_there(mdmem: Run, tmp_path: Path) -> None:
    mdmem("init", str(tmp_path / "new"), "--lang", "en")
    again = mdmem("init", str(tmp_path / "new"), "--lang", "en").stdout.splitlines()
    assert again[0] == "6 files are already here, and unchanged"
    assert not [line for line in again if line.startswith("+ ")]


def test_init_says_that_another_memory_is_around(mdmem: Run, tmp_path: Path) -> None:
    mdmem("init", str(tmp_path / "outer"), "--lang", "en")
    inside = mdmem("init", str(tmp_path / "outer" / "inner"), "--lang", "en").stdout
    assert "inside another memory folder" in inside
    assert "inside another memory folder" not in mdmem("init", str(tmp_path / "other"), "--lang", "en").stdout
