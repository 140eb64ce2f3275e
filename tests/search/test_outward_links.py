"""What a link into another folder leads to is not searched, and search, status and doctor say so in one line."""

from __future__ import annotations

import os
from pathlib import Path

import in_process
import pytest
from conftest import Make

from mdmem.workspace import Workspace

MEMORY = "# Memory\n\n## Notes\n\n- 2026-02-01: the heron nests at the mill\n"


def memory_file(root: Path, vault: Path) -> str:
    root.joinpath("MEMORY.md").symlink_to(vault / "MEMORY.md")
    return "MEMORY.md"


def relative(root: Path, vault: Path) -> str:
    root.joinpath("USER.md").symlink_to(Path("..") / vault.name / "MEMORY.md")
    return "USER.md"


def folder(root: Path, vault: Path) -> str:
    root.joinpath("notes").symlink_to(vault, target_is_directory=True)
    return "notes"


def below(root: Path, vault: Path) -> str:
    root.joinpath("areas").mkdir()
    root.joinpath("areas/boats").symlink_to(vault, target_is_directory=True)
    return "areas/boats"


def chain(root: Path, vault: Path) -> str:
    root.joinpath("first.md").symlink_to(vault / "MEMORY.md")
    root.joinpath("second.md").symlink_to(root / "first.md")
    return "first.md, second.md"


@pytest.mark.parametrize("link", [memory_file, relative, folder, below, chain])
def test_a_link_into_a_vault_is_told(make: Make, link) -> None:  # type: ignore[no-untyped-def]
    work = make("en", {"other.md": "# Other\n\nthe swan is white\n"})
    root = Path(work.root)
    vault = root.parent / "vault"
    vault.mkdir()
    (vault / "MEMORY.md").write_text(MEMORY, "utf-8")
    named = link(root, vault)
    work = Workspace(work.root)
    line = f"not searched: {named} ("
    assert not work.search("heron mill")
    assert line in work.index.warning()
    assert any(line in check.message for check in work.history.doctor() if check.name == "outside-links")
    told = in_process.run_text("status", "--root", work.root, cwd=root, env=dict(os.environ))
    assert line in told.stdout


def test_a_link_within_the_folder_is_no_matter(make: Make) -> None:
    work = make("en", {"MEMORY.md": MEMORY})
    Path(work.root, "also.md").symlink_to("MEMORY.md")
    Path(work.root, "gone.md").symlink_to("nothing.md")
    assert work.search("heron mill")
    assert not work.index.warning()
    assert "outside-links" not in {check.name for check in work.history.doctor()}
