"""The result of a recall: a block for a prompt, within its budget, from the current files; and its access counts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import Make

from mdmem.search.access_counts import accesses
from mdmem.text.entry import statement_key
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

DAY = "# 2026-02-13\n\n- 主人: 周五有重要面试，在静安寺那边\n- 小爱: 记住了，要我提醒你吗？\n- 主人: 前一天晚上提醒我\n"
MEMORY = """# MEMORY

## 笔记

- 2025-04-10：周报发给葛工
- 2025-12-02：周报发给安娜
- 2026-01-30：青霉素过敏 [importance:: 0.9]
- 2026-02-01：部署口令是 SECRET
"""
SECRET = "ghp_" + "x7Rk2Qm9Tz4Wp8Lb3Vn6Yc1Hd5Gf0Js2Ka7U"


@pytest.fixture
def memory(tmp_path: Path) -> Workspace:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-13.md").write_text(DAY, "utf-8")
    (tmp_path / "MEMORY.md").write_text(MEMORY.replace("SECRET", SECRET), "utf-8")
    workspace = Workspace(tmp_path, lang="zh", cache=False)
    workspace.config.day = "2026-02-20"
    return workspace


def test_a_recall_gives_lines_under_their_days_within_the_budget(memory: Workspace) -> None:
    found = memory.recall("面试在哪里？", budget=60)
    assert "2026-02-13:\n- 主人: 周五有重要面试，在静安寺那边" in found.text
    assert found.tokens == count_tokens(found.text) <= 60
    assert (found.hits[0].path, found.hits[0].line) == ("memory/2026-02-13.md", 3)
    assert memory.recall("面试在哪里？", budget=3).text == ""


def test_the_answer_may_be_in_the_line_after_the_words(memory: Workspace) -> None:
    assert "前一天晚上提醒我" in memory.recall("面试要不要提醒？").text


def test_an_unknown_topic_finds_nothing(memory: Workspace) -> None:
    found = memory.recall("submarine periscope")
    assert (found.text, found.hits, found.tokens) == ("", (), 0)


def test_the_newer_of_two_values_is_found_first(memory: Workspace) -> None:
    assert memory.search("周报发给谁")[0].text.endswith("安娜")
    assert memory.search("周报以前发给谁")[0].text.endswith("葛工")


def test_the_last_rounds_enrich_a_question(memory: Workspace) -> None:
    assert "青霉素" not in memory.recall("可以吗？").text
    assert "青霉素" in memory.recall("可以吗？", recent=["医生开了青霉素给我"]).text


def test_days_alone_find_the_lines_of_these_days(memory: Workspace) -> None:
    assert "面试" in memory.recall("上周").text


def test_a_secret_is_masked_in_a_block(memory: Workspace) -> None:
    text = memory.recall("部署口令是什么？").text
    assert "部署口令" in text
    assert SECRET not in text


def test_a_recall_counts_and_a_search_does_not(memory: Workspace, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.md")}
    memory.search("青霉素")
    assert accesses(memory.config) == {}
    key = statement_key(memory.recall("青霉素").hits[0].text)
    memory.recall("青霉素")
    assert accesses(memory.config)[key] == (2, "2026-02-20")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.md")} == before


def test_counts_outlive_the_index_and_broken_ones_are_none(memory: Workspace, tmp_path: Path) -> None:
    first = memory.recall("青霉素")
    counts = accesses(memory.config)
    memory.index.forget()
    assert accesses(memory.config) == counts != {}
    assert memory.recall("青霉素").text == first.text
    for broken in ("[1", "[]", '{"k": 3}', json.dumps({"k": [-1, "2026-02-20"], "l": [True, 3]})):
        (tmp_path / ".mdmem" / "access.json").write_text(broken, "utf-8")
        assert accesses(memory.config) == {}
        assert memory.recall("青霉素").text == first.text


def test_what_is_recalled_often_comes_before_its_like(memory: Workspace, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# MEMORY\n\n- tea with Ana by the sea\n- tea and a cake at noon\n", "utf-8")
    first, second = (hit.text for hit in memory.search("tea", limit=2))
    for _ in range(5):
        memory.recall(second, budget=count_tokens(f"- {second}\n") + 1)
    assert [hit.text for hit in memory.search("tea", limit=2)] == [second, first]


@pytest.mark.parametrize("hits", [1, 2])
def test_how_many_hits_a_search_gives_is_a_setting(memory: Workspace, tmp_path: Path, hits: int) -> None:
    (tmp_path / "mdmem.toml").write_text(f"[recall]\nlimit = {hits}\n", "utf-8")
    changed = Workspace(tmp_path, lang="zh", cache=False)
    assert len(changed.search("周报")) == hits
    assert len(changed.call("memory_search", {"query": "周报"})["text"].splitlines()) == hits
    assert len(changed.search("周报", 3)) > 1


def test_more_days_than_there_are_are_all_days(memory: Workspace, tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text("[recall]\nrecent_days = 36500\nread_days = 36500\n", "utf-8")
    Workspace(tmp_path).trust()
    assert Workspace(tmp_path).recall("what happened on 2026-01-10?")
    assert Workspace(tmp_path).recall("anything new?").tokens >= 0


def test_a_memory_that_is_switched_off_recalls_nothing(memory: Workspace, tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text("[memory]\nenabled = false\n", "utf-8")
    assert Workspace(tmp_path, cache=False).recall("面试").text == ""


def test_forgotten_text_is_recalled_no_more(memory: Workspace, tmp_path: Path) -> None:
    assert "青霉素" in memory.recall("青霉素过敏").text
    text = (tmp_path / "MEMORY.md").read_text("utf-8")
    (tmp_path / "MEMORY.md").write_text(text.replace("- 2026-01-30：青霉素过敏 [importance:: 0.9]\n", ""), "utf-8")
    assert "青霉素" not in memory.recall("青霉素过敏").text


def test_a_read_only_folder_is_recalled_from_all_the_same(memory: Workspace, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / ".mdmem", ignore_errors=True)
    (tmp_path / ".mdmem").write_text("in the way", "utf-8")
    assert "青霉素" in memory.recall("青霉素过敏").text


def test_of_what_is_forgotten_no_count_stays(memory: Workspace) -> None:
    memory.recall("青霉素")
    kept = memory.recall("面试在哪里？")
    memory.forget("青霉素")
    assert accesses(memory.config).keys() == {statement_key(one.text) for one in kept.hits}


def test_the_folder_that_a_search_makes_is_kept_from_git(memory: Workspace, tmp_path: Path) -> None:
    memory.search("面试")
    assert (tmp_path / ".mdmem" / ".gitignore").read_text() == "*\n"


def test_a_turn_is_not_given_again_as_request_and_episode(make: Make) -> None:
    said = "Hi! My name is Ann, I live in Leiden near the old harbour and I am a nurse at the hospital there, at night."
    work = make("en")
    with work.sessions.start(said, agent="claude") as session:
        session.turn("user", f"{said} Which days are good for a dentist?")
        session.turn("assistant", "Tuesdays are quiet at most dentists.")
    text = work.recall("Where in Leiden do I live, near which harbour?", sparing=True).text
    assert text.count("old harbour and I am a nurse") == 1
    assert "- lives in Leiden" in text, "the fact is in another file"


@pytest.mark.parametrize(
    ("turns", "asked", "held", "talk"),
    [
        (("How do you do?", "We deploy with Jenkins on Fridays."), "how do we deploy", "Jenkins", "do you do"),
        (("你好，最近怎么样？", "我们用 Jenkins 部署。"), "我们怎么部署？", "Jenkins", "最近怎么样"),
    ],
)
def test_small_talk_is_not_recalled(make: Make, turns: tuple[str, str], asked: str, held: str, talk: str) -> None:
    workspace = make("en" if asked.isascii() else "zh")
    session = workspace.sessions.start("Release")
    for text in turns:
        session.turn("user", text)
        session.turn("assistant", "Noted." if asked.isascii() else "好的，记下了。")
    session.end()
    recalled = workspace.recall(asked).text
    assert held in recalled
    assert talk not in recalled
    assert "Noted." not in recalled
