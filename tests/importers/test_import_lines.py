"""What becomes of single lines: none is lost because another one says the same, or because it begins like Markdown."""

from __future__ import annotations

from pathlib import Path

from mdmem import Workspace

from .samples import put
from .test_import import contents


def fastmemo_of(workspace: Workspace) -> str:
    return (Path(workspace.root) / "FASTMEMO.md").read_text("utf-8")


def test_a_line_that_two_files_hold_is_written_once_and_not_lost(workspace: Workspace, source: Path) -> None:
    put(source, "fastmemo.jsonl", "fastmemo v2\n\n[历史感知]\n- 2026-01-20 修好水车\n- 买了砂轮\n")
    put(source, "fastmemo_old.jsonl", "fastmemo v1\n\n[人生旅程]\n- 2026-01-20 修好水车\n")
    report = workspace.import_from(source)
    assert (report.read, report.written, report.duplicate) == (3, 2, 1)
    assert fastmemo_of(workspace).count("修好水车") == 1
    assert workspace.import_from(source).written == 0


def test_a_line_that_stands_twice_in_a_new_section_is_written_once(workspace: Workspace, source: Path) -> None:
    workspace.add("MEMORY.md", ["2026-01-07：种了一棵梨树"])
    put(source, "MEMORY.md", "# 记忆\n\n## 钓鱼\n- 2026-01-08：只在退潮时去\n- 2026-01-08：只在退潮时去\n")
    report = workspace.import_from(source, system="pet")
    assert (report.written, report.duplicate) == (1, 1)
    assert (Path(workspace.root) / "MEMORY.md").read_text("utf-8").count("只在退潮时去") == 1


def test_lines_that_need_an_escape_go_to_the_archive_when_there_is_no_room(workspace: Workspace, source: Path) -> None:
    lines = "\n".join(f"> 第 {number} 段引文" for number in range(12))
    put(source, "fastmemo.jsonl", f"fastmemo v2\n\n[历史感知]\n{lines}\n")
    report = workspace.import_from(source)
    assert (report.written, report.refused) == (12, 0)
    whole = b"".join(data for data, _ in contents(Path(workspace.root)).values()).decode()
    assert all(f"第 {number} 段引文" in whole for number in range(12))


def test_a_record_with_half_a_character_is_refused_and_keeps_no_other_out(workspace: Workspace, source: Path) -> None:
    put(
        source,
        "export.json",
        '[{"id": "a", "memory": "User likes \\ud83d tea"}, {"id": "b", "memory": "User likes rye"}]',
    )
    report = workspace.import_from(source)
    assert (report.read, report.written, report.refused) == (2, 1, 1)
    assert all("UTF-8" in item.reason for item in report.items)
    whole = b"".join(data for data, _ in contents(Path(workspace.root)).values()).decode()
    assert "User likes rye" in whole
