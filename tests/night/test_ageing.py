"""What grows old: sessions and diaries move to the archive as they are, tool outputs that nothing cites are removed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from conftest import Make

Text = Callable[[str], str]
HEAD = """---
agent: main
task: {task}
started: {day} 09:00
ended: {day} 10:30
outcome: success
extracted_through: {through}
condensed_through: 0
---
# Session: {name}

## 请求

{task}

## 回应

## 元数据

## 对话

### 1 用户 10:00

水位图挂在走廊里。

### 1 助手 10:01

好。
"""


def session(day: str, through: int = 1) -> str:
    return HEAD.format(task="水位", day=day, through=through, name=f"{day.replace('-', '')}_090000")


def test_old_sessions_and_diaries_move_and_newer_ones_stay(make: Make, text: Text) -> None:
    old, new = session("2025-12-01"), session("2026-02-18")
    diary = "# 2025-10-01\n\n## 今天\n\n去河边走了一圈。手写的一句。\n"
    files = {
        "sessions/20251201_090000_水位.md": old, "sessions/20260218_090000_水位.md": new, "memory/2025-10-01.md": diary,
        "memory/2026-02-18.md": diary, "memory/notes.md": "# notes\n",
    }  # fmt: skip
    work = make(files=files)
    (done,) = work.night(now=True, only="ageing").steps
    assert (done.entries, done.moved) == (2, 2)
    assert text("archive/sessions/20251201_090000_水位.md") == old
    assert text("archive/memory/2025-10-01.md") == diary
    left = sorted(path.relative_to(work.root).as_posix() for path in Path(work.root).rglob("*.md"))
    assert {"sessions/20260218_090000_水位.md", "memory/2026-02-18.md", "memory/notes.md"} < set(left)
    assert "sessions/20251201_090000_水位.md" not in left
    assert work.night(now=True, only="ageing").status == "unchanged"
    assert work.search("去河边走了一圈", archive=True)
    assert [one for one in work.lint().diagnostics if one.severity == "error"] == []


def test_a_reference_to_a_file_that_moved_to_the_archive_still_holds(make: Make) -> None:
    old = "sessions/20251201_090000_水位.md"
    files = {
        old: session("2025-12-01"), "memory/2025-10-01.md": "# 2025-10-01\n\n## 今天\n\n去河边走了一圈。\n",
        "MEMORY.md": "# 长期记忆\n\n## 重要经历\n\n"
        f"- 2025-12-01：水位图挂在走廊里 [source:: file:{old}#L5]\n"
        "- 2025-10-01：去河边走了一圈 [source:: file:memory/2025-10-01.md#L5]\n",
    }  # fmt: skip
    work = make(files=files)
    read = [work.history.why(text).evidence[0].excerpt for text in ("水位图", "走了一圈")]
    assert all(read)
    assert work.night(now=True, only="ageing").steps[0].moved == 2
    assert "MM315" not in {finding.code for finding in work.lint().diagnostics}
    assert [work.history.why(text).evidence[0].excerpt for text in ("水位图", "走了一圈")] == read
    assert work.sessions.show(old).path == f"archive/{old}"


def test_a_name_that_the_archive_has_is_refused_and_nothing_is_lost(make: Make, text: Text) -> None:
    files = {"memory/2025-10-01.md": "# one\n", "archive/memory/2025-10-01.md": "# other\n"}
    work = make(files=files)
    (done,) = work.night(now=True, only="ageing").steps
    assert (done.entries, done.moved, done.refused) == (1, 0, 1)
    assert "archive" in done.reasons[0] or "归档" in done.reasons[0]
    assert {name: text(name) for name in files} == files


def test_an_old_session_is_extracted_before_it_moves(make: Make) -> None:
    work = make(files={"sessions/20251201_090000_水位.md": session("2025-12-01", 0)})
    (done,) = work.night(now=True, only="ageing").steps
    assert (done.entries, done.kept, done.moved) == (1, 1, 0)
    report = work.night(now=True)
    assert [one.moved for one in report.steps] == [0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert os.listdir(Path(work.root, "archive", "sessions")) == ["20251201_090000_水位.md"]


def test_old_outputs_that_nothing_cites_move_too(make: Make) -> None:
    work = make(
        files={
            "MEMORY.md": "# 记忆\n\n## 重要事件\n\n- 2026-02-10：水位图画好了 [source:: tool:20251201-090000-aaaa]\n"
        }
    )
    for name in ("20251201-090000-aaaa", "20251201-090000-bbbb"):
        path = Path(work.root, "artifacts", "2025-12", f"{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntool_id: {name}\ncreated_at: 2025-12-01 09:00:00\n---\nout\n", "utf-8")
    (done,) = work.night(now=True, only="ageing").steps
    assert done.moved == 1
    assert [path.stem for path in Path(work.root, "artifacts").rglob("*.md")] == ["20251201-090000-aaaa"]
    assert [path.stem for path in Path(work.root, "archive", "artifacts", "2025-12").iterdir()] == [
        "20251201-090000-bbbb"
    ]
    assert work.artifacts.get("20251201-090000-bbbb").text
    assert work.night(now=True, only="ageing").steps[0].moved == 0
