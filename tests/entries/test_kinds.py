"""The name of a kind means its files, also beside a folder of the same name."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.entries.kind_files import file_of, files_of
from mdmem.errors import MdmemError, TargetError

DIARY = "# 日记\n\n## 今天\n\n- 2026-02-19：修好了自行车\n"
FACT = "# 自行车\n\n## 现在\n\n- 2026-02-19：链条刚换过\n"
FILES = {"memory/2026-02-19.md": DIARY, "facts/自行车.md": FACT, "facts/猫.md": FACT, "MEMORY.md": "# 🧠 记忆\n"}


def test_a_kind_wins_over_a_folder_of_its_name(make: Make) -> None:
    work = make("zh", FILES)
    assert files_of(work.config, "memory") == ("MEMORY.md",)
    assert files_of(work.config, "Facts") == ("facts/猫.md", "facts/自行车.md")
    assert files_of(work.config, "memory/2026-02-19.md") == ("memory/2026-02-19.md",)
    assert files_of(work.config, "stranger") == ("stranger",)


def test_daily_is_the_file_of_today(make: Make) -> None:
    work = make("zh")
    assert file_of(work.config, "daily") == "memory/2026-02-20.md"
    (Path(work.root) / "daily").mkdir()
    assert file_of(work.config, "daily") == "daily/2026-02-20.md"
    (Path(work.root) / "memory").mkdir()
    (Path(work.root) / "daily/2026-02-20.md").write_text(DIARY, "utf-8")
    assert file_of(work.config, "daily") == "daily/2026-02-20.md"


def test_one_file_is_taken_where_a_kind_has_one_and_asked_for_where_it_has_several(make: Make) -> None:
    work = make("zh", {"facts/猫.md": FACT})
    assert file_of(work.config, "facts") == "facts/猫.md"
    (Path(work.root) / "facts/狗.md").write_text(FACT, "utf-8")
    with pytest.raises(TargetError) as refused:
        file_of(work.config, "facts")
    assert refused.value.candidates == ("facts/狗.md", "facts/猫.md")
    with pytest.raises(TargetError):
        file_of(work.config, "archive")


def test_a_regular_file_of_that_name_stays_a_path(make: Make) -> None:
    assert file_of(make("en", {"memory": "no kind"}).config, "memory") == "memory"


def test_the_older_name_of_a_file_is_taken_where_it_is_the_only_one(make: Make) -> None:
    work = make("zh", {"fastmemo.txt": "[我]\n- 冷静\n"})
    assert file_of(work.config, "fastmemo") == "fastmemo.txt"
    (Path(work.root) / "FASTMEMO.md").write_text("# 表层记忆\n", "utf-8")
    assert file_of(work.config, "fastmemo") == "FASTMEMO.md"


def test_tools_take_kinds_beside_folders(make: Make, text: object) -> None:
    work = make("zh", FILES)
    said = work.call("memory_add", {"path": "memory", "section": "笔记", "content": "2026-02-20：伞在门后"})
    assert (said["status"], said["path"]) == ("done", "MEMORY.md")
    assert work.call("memory_read", {"path": "memory"})["path"] == "MEMORY.md"
    both = work.call("memory_read", {"path": "facts"})
    assert both["status"] == "done"
    assert both["text"].count("链条刚换过") == 2
    assert work.call("memory_check", {"path": "facts"})["status"] in ("done", "findings")
    refused = work.call("memory_add", {"path": "facts", "section": "现在", "content": "2026-02-20：轮胎漏气"})
    assert refused["status"] == "error"
    assert refused["candidates"] == ["facts/猫.md", "facts/自行车.md"]
    assert "2026-02-19.md" in work.call("view", {"path": "/memories/memory"})["text"]
    assert "猫.md" in work.call("view", {"path": "facts"})["text"]


def test_compact_takes_kinds_beside_folders(make: Make) -> None:
    work = make("zh", FILES)
    assert [one.path for one in work.compact("memory", now=True, plan=True)] == ["MEMORY.md"]
    assert {one.path for one in work.compact("facts", now=True, plan=True)} == {"facts/猫.md", "facts/自行车.md"}
    with pytest.raises(MdmemError):
        work.compact("archive", plan=True)
