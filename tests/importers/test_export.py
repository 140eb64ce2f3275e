"""An export holds everything in open formats, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from harness import holding

from mdmem import UsageError, Workspace
from mdmem.cli.app import main

from .samples import openakita_v1, put
from .test_import import contents


def filled(workspace: Workspace, source: Path) -> None:
    workspace.import_from(openakita_v1(source))
    workspace.add("MEMORY.md", ["2026-01-07：种了一棵梨树"])
    with workspace.sessions.start("修门") as session:
        session.turn("user", "门关不上")
    workspace.attach(str(put(source, "gate.txt", "oak")), description="门的尺寸")


def test_markdown_is_every_file_as_it_is(workspace: Workspace, source: Path, tmp_path: Path) -> None:
    filled(workspace, source)
    before = contents(Path(workspace.root))
    report = workspace.export_to(tmp_path / "out")
    there = {path: data for path, (data, _) in contents(tmp_path / "out").items()}
    assert there == {path: data for path, (data, _) in before.items()}
    assert report.files == len(there)
    assert contents(Path(workspace.root)) == before


def test_an_export_as_markdown_is_a_memory_folder(workspace: Workspace, source: Path, tmp_path: Path) -> None:
    filled(workspace, source)
    workspace.export_to(tmp_path / "out")
    other = Workspace(tmp_path / "out", cache=False)
    assert other.facts(before=True) == workspace.facts(before=True)
    assert other.status() == workspace.status()
    assert [one.turns for one in other.sessions.list()] == [one.turns for one in workspace.sessions.list()]
    assert other.search("梨树")[0].text == workspace.search("梨树")[0].text
    for folder in (tmp_path / "out", Path(workspace.root)):
        with pytest.raises(UsageError, match=r"memory folder|工作区"):
            workspace.import_from(folder)


@pytest.mark.parametrize("form", ["markdown", "jsonl"])
def test_a_line_with_a_password_is_copied_and_told(
    workspace: Workspace,
    source: Path,
    tmp_path: Path,
    form: Literal["markdown", "jsonl"],
    capsys: pytest.CaptureFixture[str],
) -> None:
    filled(workspace, source)
    memory = Path(workspace.root) / "MEMORY.md"
    assert workspace.export_to(tmp_path / "before", form=form).secrets == ()
    memory.write_text(memory.read_text("utf-8") + "\n- 2026-01-08: the wifi password is Kz8-river-77q\n", "utf-8")
    line = len(memory.read_text("utf-8").splitlines())
    report = workspace.export_to(tmp_path / "out", form=form)
    assert report.secrets == (f"MEMORY.md:{line}",)
    assert holding(tmp_path / "out", "Kz8-river-77q")
    assert main(["export", "--to", str(tmp_path / "third"), "--as", form, "--root", str(workspace.root)]) == 0
    told = capsys.readouterr().err
    assert f"MEMORY.md:{line}" in told
    assert "Kz8" not in told


def test_json_lines_hold_facts_entries_turns_and_attachments(
    workspace: Workspace, source: Path, tmp_path: Path
) -> None:
    filled(workspace, source)
    workspace.export_to(tmp_path / "out", form="jsonl")

    def lines(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (tmp_path / "out" / name).read_text("utf-8").splitlines()]

    assert {one["text"] for one in lines("facts.jsonl")} == {"用户住在宁波", "测试之前先备份"}
    assert any(
        one.get("entry") == "2026-01-07：种了一棵梨树" and one["path"] == "MEMORY.md" for one in lines("entries.jsonl")
    )
    assert [one["content"] for one in lines("sessions.jsonl")] == ["门关不上"]
    assert [one["description"] for one in lines("attachments.jsonl")] == ["门的尺寸"]
    assert (tmp_path / "out" / "files" / "attachments" / "gate.txt").read_text() == "oak"


def test_an_export_never_overwrites(workspace: Workspace, tmp_path: Path) -> None:
    put(tmp_path / "out", "mine.txt", "mine")
    with pytest.raises(UsageError):
        workspace.export_to(tmp_path / "out")
    with pytest.raises(UsageError):
        workspace.export_to(Path(workspace.root) / "inside")
    assert not (Path(workspace.root) / "inside").exists()
