"""What `mdmem init` says: what it made, what comes next, and that another memory folder is around it."""

from __future__ import annotations

from pathlib import Path

from .conftest import Run


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
