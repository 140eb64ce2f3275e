"""A search finds what is in the files while another program saves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.search.index import SearchIndex
from mdmem.workspace import Workspace


@pytest.fixture
def saves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Return a list of lines; after each refresh of the index the next one is appended to NOTES.md."""
    lines: list[str] = []
    refresh = SearchIndex.refresh

    def refreshed(index: SearchIndex, without: tuple[str, ...] = ()) -> None:
        refresh(index, without)
        if lines:
            with (tmp_path / "NOTES.md").open("a", encoding="utf-8") as file:
                file.write(f"- {lines.pop(0)}\n")

    monkeypatch.setattr(SearchIndex, "refresh", refreshed)
    return lines


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_saved_during_a_search_is_asked_again(tmp_path: Path, saves: list[str], times: int) -> None:
    (tmp_path / "NOTES.md").write_text("# Notes\n\n- the spare key hangs behind the boiler\n", "utf-8")
    workspace = Workspace(tmp_path)
    workspace.search("milk")
    saves += ["the boiler was serviced"] * times
    assert any("spare key" in hit.text for hit in workspace.search("where is the spare key"))
    saves += ["the boiler was cleaned"] * times
    assert "spare key" in workspace.recall("where is the spare key").text


def test_a_file_saved_without_end_leaves_the_answers_of_the_others(tmp_path: Path, saves: list[str]) -> None:
    (tmp_path / "NOTES.md").write_text("# Notes\n\n- the spare key hangs behind the boiler\n", "utf-8")
    (tmp_path / "KEYS.md").write_text("# Keys\n\n- the spare key of the shed is blue\n", "utf-8")
    workspace = Workspace(tmp_path)
    saves += ["the boiler was serviced"] * 50
    assert [hit.path for hit in workspace.search("spare key")] == ["KEYS.md"]
