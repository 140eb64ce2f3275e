"""What stands below, between and beside the lines of a Markdown file comes over too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem import Workspace

from .samples import put
from .test_import import adds_up, contents

BODY = """\
- 门锁

  锁舌卡住了
  - 密码换过
    - 在三月
- [ ] 给房东回信
- [x] 买了油

一段没有列表的话

| 零件 | 数目 |
|---|---|
| 合页 | 两片 |

```sh
make 水车
```
"""
WORDS = (
    "门锁", "锁舌卡住了", "密码换过", "在三月", "给房东回信", "买了油", "一段没有列表的话", "合页", "两片",
    "make 水车",
)  # fmt: skip


def identity(workspace: Workspace, source: Path) -> None:
    put(source, "identity/MEMORY.md", f"# 核心记忆\n\n## 我写的\n\n{BODY}")


def claude_code(workspace: Workspace, source: Path) -> None:
    put(source, "MEMORY.md", f"# Memory\n\n- [Tests](tests.md) — run\n\n## 我写的\n\n{BODY}")


def pet(workspace: Workspace, source: Path) -> None:
    workspace.add("MEMORY.md", ["2026-01-07：种了一棵梨树"])
    put(source, "MEMORY.md", f"# 记忆\n\n## 我写的\n\n{BODY}")


def logseq(workspace: Workspace, source: Path) -> None:
    put(source, "journals/2026_01_06.md", BODY)


def basic_memory(workspace: Workspace, source: Path) -> None:
    text = BODY.replace("一段没有列表的话", "").replace("- 门锁", "- [part] 门锁")
    put(source, "门.md", f"---\ntitle: 门\npermalink: men\n---\n# 门\n\n{text}\n- [said] 一段没有列表的话\n")


def fastmemo(workspace: Workspace, source: Path) -> None:
    put(source, "fastmemo.md", f"fastmemo v3\n\n## 历史感知\n\n{BODY}")


@pytest.mark.parametrize("make", [identity, claude_code, pet, logseq, basic_memory, fastmemo])
def test_no_word_of_a_file_is_lost(workspace: Workspace, source: Path, make: Callable[[Workspace, Path], None]) -> None:
    make(workspace, source)
    report = workspace.import_from(source)
    assert adds_up(report)
    assert report.refused == 0, report.items
    whole = b"\n".join(data for data, _ in contents(Path(workspace.root)).values()).decode()
    assert [word for word in WORDS if word not in whole] == []
    assert workspace.import_from(source).written == 0


def test_a_task_keeps_its_box_before_its_date(workspace: Workspace, source: Path) -> None:
    identity(workspace, source)
    workspace.import_from(source)
    lines = (Path(workspace.root) / "MEMORY.md").read_text("utf-8").splitlines()
    assert [line[:6] for line in lines if "给房东回信" in line] == ["- [ ] "]
    assert [line[:6] for line in lines if "买了油" in line] == ["- [x] "]
    assert not [one for one in workspace.lint().diagnostics if one.path == "MEMORY.md" and one.severity == "error"]


def test_a_table_of_placeholders_makes_no_note(workspace: Workspace, source: Path) -> None:
    text = "# 核心记忆\n\n## 技能\n\n| 技能 | 版本 |\n|---|---|\n| [暂无] | - |\n\n## 其他\n\n- 别动\n"
    put(source, "identity/MEMORY.md", text)
    report = workspace.import_from(source)
    assert (report.written, report.skipped) == (1, 1)
    assert not (Path(workspace.root) / "notes").exists()


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
