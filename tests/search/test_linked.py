"""Links into a place that `[search] linked` names are searched, recalled and read; nothing is written there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import in_process
import pytest
from conftest import Make, OwnSettings

from mdmem.errors import ConfigError, MdmemError
from mdmem.workspace import Workspace

HERON = "the heron nests at the mill beside the old weir"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    for name, text in {
        "notes/birds.md": f"# Birds\n\n- {HERON}\n",
        "notes/deep/swans.md": "# Swans\n\n- the swan Quentin is white\n",
        "MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-01: the ferryman is called Tomasz\n",
        "private/diary.md": "# Diary\n\n- the diary speaks of walnuts\n",
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    return place


def said(place: Path) -> str:
    return f'[search]\nlinked = ["{place}"]\n'


@pytest.fixture
def work(make: Make, vault: Path, own_settings: OwnSettings) -> Workspace:
    """Return a memory with links into a vault whose notes the user lets it read."""
    own_settings(said(vault / "notes"))
    work = make("en", {"other.md": "# Other\n\nthe barn is red\n"})
    root = Path(work.root)
    (root / "notes").symlink_to(vault / "notes", target_is_directory=True)
    (root / "deep").symlink_to(vault / "notes/deep", target_is_directory=True)
    (root / "birds.md").symlink_to(vault / "notes/birds.md")
    (root / "MEMORY.md").symlink_to(vault / "MEMORY.md")
    (root / "private").symlink_to(vault / "private", target_is_directory=True)
    return Workspace(work.root)


def paths(work: Workspace, question: str) -> set[str]:
    return {hit.path for hit in work.search(question, limit=20)}


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(one): (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.rglob("*") if one.is_file()}


def test_what_a_named_place_holds_is_found_by_the_path_that_is_seen(work: Workspace) -> None:
    assert paths(work, "where does the heron nest?") == {"notes/birds.md", "birds.md"}
    assert paths(work, "swan Quentin") == {"notes/deep/swans.md", "deep/swans.md"}
    assert HERON in work.recall("where does the heron nest?").text
    assert HERON in str(work.call("memory_search", {"query": "heron mill"}))
    assert HERON in work.read("notes/birds.md").text
    assert HERON in work.read("birds.md").text


def test_what_changes_there_is_found(work: Workspace, vault: Path) -> None:
    assert not paths(work, "kingfisher")
    (vault / "notes/more.md").write_text("# More\n\n- a kingfisher sits on the post\n", "utf-8")
    assert paths(work, "kingfisher") == {"notes/more.md"}
    (vault / "notes/deep/swans.md").write_text("# Swans\n\n- a bittern is in the reeds\n", "utf-8")
    assert paths(work, "bittern reeds") == {"notes/deep/swans.md", "deep/swans.md"}
    (vault / "notes/more.md").unlink()
    assert not paths(work, "kingfisher")


def test_other_links_that_lead_out_are_not_followed_and_still_told(work: Workspace, vault: Path) -> None:
    assert not paths(work, "ferryman Tomasz")
    assert not paths(work, "diary walnuts")
    named = "MEMORY.md, private"
    assert named in work.index.warning()
    assert [named in check.message for check in work.history.doctor() if check.name == "outside-links"] == [True]
    told = in_process.run_text("status", "--root", work.root, cwd=work.root, env=dict(os.environ)).stdout
    assert named in told
    assert "notes" not in told.partition("not searched: ")[2].partition("(")[0]
    for path in ("private/diary.md", "MEMORY.md"):
        with pytest.raises(MdmemError):
            work.read(path)


def test_links_in_a_named_place_lead_no_further(work: Workspace, vault: Path) -> None:
    (vault / "notes/round").symlink_to(vault / "notes", target_is_directory=True)
    (vault / "notes/away").symlink_to(vault / "private", target_is_directory=True)
    (vault / "notes/diary.md").symlink_to(vault / "private/diary.md")
    assert not paths(work, "diary walnuts")
    assert paths(work, "heron mill") == {"notes/birds.md", "birds.md"}
    for path in ("notes/away/diary.md", "notes/diary.md"):
        with pytest.raises(MdmemError):
            work.read(path)


@pytest.mark.parametrize("change", [
    lambda work: work.add("notes/birds.md", ["a new line"]),
    lambda work: work.replace("birds.md", HERON, "nothing"),
    lambda work: work.remove("notes/birds.md", [HERON]),
    lambda work: work.write("notes/new.md", "# New\n"),
    lambda work: work.call("memory_add", {"path": "notes/birds.md", "content": "a new line"}),
    lambda work: work.forget(HERON),
    lambda work: work.fix(["notes", "birds.md", "notes/birds.md"]),
    lambda work: work.fix(),
    lambda work: work.night(now=True),
])  # fmt: skip
def test_nothing_is_written_there(work: Workspace, vault: Path, change: Any) -> None:
    (vault / "notes/birds.md").write_text(f"# Birds\n\n-  {HERON}  \n\n\n\n-x\n", "utf-8")
    before = state(vault)
    with suppress(MdmemError):
        change(work)
    work.search("heron")
    assert state(vault) == before


def test_they_are_not_linted(work: Workspace) -> None:
    Path(work.root, "MEMORY.md").unlink()
    Path(work.root, "private").unlink()
    assert not work.lint().diagnostics
    assert not work.lint(["notes/birds.md", "birds.md"]).diagnostics


def test_a_folder_that_says_so_itself_waits_for_trust(make: Make, vault: Path) -> None:
    work = make("en", {"other.md": "# Other\n"}, settings=said(vault))
    Path(work.root, "notes").symlink_to(vault / "notes", target_is_directory=True)
    work = Workspace(work.root)
    assert not paths(work, "heron")
    assert "notes" in work.index.warning()
    work.trust()
    assert paths(Workspace(work.root), "heron") == {"notes/birds.md"}


def test_a_place_is_a_whole_path(make: Make) -> None:
    work = make("en", settings='[search]\nlinked = ["notes"]\n')
    with pytest.raises(ConfigError, match="whole paths"):
        Workspace(work.root).search("heron")


def test_a_file_below_a_folder_that_leads_out_is_not_read_by_lint(make: Make, vault: Path) -> None:
    (vault / "private/diary.md").write_text("# D\n\nthe password is Kz8-river-91q\n", "utf-8")
    work = make("en", {"other.md": "# Other\n"})
    Path(work.root, "private").symlink_to(vault / "private", target_is_directory=True)
    found = work.lint(["private/diary.md"]).diagnostics
    assert [one.code for one in found] == ["MM506"]


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
