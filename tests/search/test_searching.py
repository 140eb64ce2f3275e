"""Searches: what is never returned, filters, and notes about files that could not be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Make

from mdmem.errors import UsageError
from mdmem.search.index import IndexRow, SearchIndex
from mdmem.search.question import Query
from mdmem.workspace import Workspace

FOOTER_ZH = "_记住重要的事，忘掉不重要的。定期整理，保持精炼。_"


def texts(work: Workspace, question: str, **held: object) -> list[str]:
    return [hit.text for hit in work.search(question, limit=20, **held)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("## 偏好与习惯\n\n[待学习]\n", "待学习 学习"),
        ("## 偏好与习惯\n\n- **语言**: [待学习 - 中文/英文]\n", "语言 中文"),
        ("## Notes\n\n(Important facts about the user)\n", "important facts user"),
        ("## 笔记\n\n- TODO: fill in\n", "todo fill"),
        (f"## 笔记\n\n---\n\n{FOOTER_ZH}\n", "记住 重要 整理"),
        ("## Notes\n\n---\n\n*We write this file together, so change what you like.*\n", "write together change"),
        ("> Agent 核心记忆，每次对话都会加载。\n> 最后更新: 2026-01-31 17:55\n", "核心记忆 更新 2026-01-31"),
        ("*This file is automatically updated when something matters.*\n", "automatically updated matters"),
    ],
)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_what_is_no_memory_is_never_a_hit(make: Make, lang: str, text: str, question: str) -> None:
    work = make(lang, {"MEMORY.md": f"# 🧠 记忆\n\n{text}"})
    assert texts(work, question) == []


def test_similar_text_with_content_is_a_hit(make: Make) -> None:
    work = make("en", {
        "MEMORY.md": "# Memory\n\n## Notes\n\n- TODO: buy Ida a birthday present (to be wrapped)\n"
        "- the band met (and it rained)\n\n(only once)\n\n"
        "---\n\n*Mother's saying: patience is a tree.*\n\n- after it\n",
        "diary.md": "# Diary\n\nIt was late.\n\n---\n\n*Slept badly, dreamt of herons.*\n",
    })  # fmt: skip
    assert "present" in texts(work, "birthday present")[0]
    assert texts(work, "patience tree")
    assert texts(work, "herons"), "a file of no kind has no footer"
    assert any("once" in one for one in texts(work, "only once"))


def test_the_lines_of_a_templates_own_form_are_no_hits_until_filled_in(make: Make) -> None:
    form = "---\nmdmem:\n  kind: pet\n  files: [PET.md]\n  create: on-init\n---\n# Pet\n\n- Favourite treat:\n"
    work = make("en", {"templates/PET.md": form, "PET.md": "# Pet\n\n- Favourite treat:\n"})
    assert texts(work, "favourite treat") == []
    (Path(work.root) / "PET.md").write_text("# Pet\n\n- Favourite treat: dried fish\n", "utf-8")
    assert texts(work, "favourite treat") == ["Favourite treat: dried fish"]


RUN = """---
tool_id: t0042
owner: main
tool_name: shell
input: pytest -q tests/test_tides.py
exit_code: 1
created_at: 2026-02-17 20:44
summary: |
  3 failed, 9 passed
  first: test_spring_tide
---
raw output
"""


def test_an_artifact_shows_its_summary_and_not_its_front_matter(make: Make) -> None:
    work = make("en", {"artifacts/2026-02/t0042.md": RUN})
    [hit] = work.search("spring tide")
    assert hit.text == "3 failed, 9 passed\nfirst: test_spring_tide"
    assert [one.path for one in work.search("test_tides pytest")] == ["artifacts/2026-02/t0042.md"]
    for word in ("owner", "exit_code", "created_at"):
        assert texts(work, word) == []


NOTE = """---
tags: [kayak, road-trip]
title: Summer
---
# Summer

- 2026-07-02: we paddled to the lighthouse #island
- 2026-07-09: rain all day
"""


def test_tags_of_front_matter_are_tags_of_what_the_file_holds(make: Make) -> None:
    work = make("en", {"summer.md": NOTE, "other.md": "---\ntags: '#Kayak, food'\n---\n- 2026-07-20: paddled home\n"})
    assert {hit.path for hit in work.search("paddled", tags=["kayak"])} == {"summer.md", "other.md"}
    assert texts(work, "paddled", tags=["road-trip", "island"]) == ["2026-07-02: we paddled to the lighthouse #island"]
    assert texts(work, "paddled", tags=["food"]) == ["2026-07-20: paddled home"]
    assert texts(work, "paddled", tags=["tags"]) == []
    assert {hit.path for hit in work.search("kayak")} == {"summer.md", "other.md"}
    assert all("tags" not in hit.text for hit in work.search("kayak"))


def test_an_unknown_kind_is_refused_with_the_kinds_there_are(make: Make) -> None:
    work = make(
        "en", {"templates/pet.md": "---\nmdmem:\n  kind: pet\n  files: [PET.md]\n  create: never\n---\n# Pet\n"}
    )
    with pytest.raises(UsageError) as refused:
        work.search("tea", kinds=["memory", "memori"])
    assert "memori" in refused.value.message
    assert {"memory", "fastmemo", "pet", "turn"} <= set(refused.value.hint.replace(",", "").split())
    assert work.search("tea", kinds=["memory", "daily", "pet", "entry"]) == ()


def test_a_file_that_is_too_large_is_named(make: Make) -> None:
    work = make("en", {"MEMORY.md": "- 2026-02-01: green tea\n", "notes/large.md": "- black tea\n" * 90},
                settings="[lint]\nmax_bytes = 1000\n")  # fmt: skip
    assert texts(work, "tea") == ["2026-02-01: green tea"]
    assert "notes/large.md" in work.index.warning()
    assert "notes/large.md" in work.call("memory_search", {"query": "tea"})["hint"]
    assert "notes/large.md" in work.call("memory_search", {"query": "zebra"})["hint"]
    assert [(one.path, one.too_large) for one in work.status()] == [("MEMORY.md", 0), ("notes/large.md", 1080)]
    (Path(work.root) / "notes/large.md").write_text("- black tea\n", "utf-8")
    assert len(texts(work, "tea")) == 2
    assert work.index.warning() == ""


PINS = """# Pins

- **Ferry**: the last boat leaves at 21:40 [type:: fact] [source:: chat:20260213_harbour#1] [ttl:: 30 sessions] ^f7a2k9
- **Key**: under the blue pot [type:: fact] [source:: chat:20260213_garden#2] [location:: shed] ^k1
"""


def test_fields_and_ids_are_neither_searched_nor_shown(make: Make) -> None:
    work = make("en", {"PINS.md": PINS})
    for words in ("harbour", "sessions", "ttl", "source chat", "f7a2k9"):
        assert work.search(words) == (), words
    told = work.recall("When does the last ferry leave?").text
    assert "the last boat leaves at 21:40" in told
    assert not any(mark in told for mark in ("::", "^f7a2k9", "harbour"))
    [hit] = work.search("ferry source")
    assert "[source:: chat:20260213_harbour#1]" in hit.text, "a person sees the line as it stands"
    assert "source" not in hit.why


def test_a_field_that_no_template_declares_is_its_writers_text(make: Make) -> None:
    work = make("en", {"PINS.md": PINS})
    assert [hit.line for hit in work.search("shed")] == [4]
    assert work.recall("Where is the key?").text.endswith("[location:: shed]")


def test_configured_fields_are_shown(make: Make) -> None:
    work = make("en", {"PINS.md": PINS}, settings='[recall]\nfields = ["Source"]\n')
    told = work.recall("When does the last ferry leave?").text
    assert "[source:: chat:20260213_harbour#1]" in told
    assert "ttl" not in told


def test_a_title_in_front_matter_is_shown_if_no_heading_repeats_it(make: Make) -> None:
    work = make("en", {
        "a.md": "---\ntitle: Walking tour\n---\n# Walking tour\n\n- 2026-04-02: nine hours to the hut\n",
        "b.md": "---\ntitle: Walking boots\nsummary: resoled in March\n---\n- nothing\n",
    })  # fmt: skip
    assert "Walking tour" not in texts(work, "walking tour")
    assert "2026-04-02: nine hours to the hut" in texts(work, "walking tour")
    assert texts(work, "walking boots")[0] == "Walking boots"
    assert texts(work, "resoled") == ["resoled in March"]


SESSION = """---
task: Tune the piano
started: 2026-02-13 21:30
---
# Session: piano

## Request

Tune it before Sunday

## Metadata

- Duration: 65 minutes
- Rounds: 3
- Tools: hammer(4)

## Turns

### 1 Ida 21:30

The duration of the last tuning was two hours.
"""
TASK = """# Task Process

## Current state

- Instruction pointer: 2
- Phase: executing

## TODO list

- [x] find the fork
- [ ] stretch the octaves ← current
"""


def test_what_is_written_by_rule_is_no_hit_and_no_word(make: Make) -> None:
    work = make("en", {"sessions/20260213_213000_piano.md": SESSION, "task_process.md": TASK})
    for words in ("rounds", "hammer", "minutes"):
        assert work.search(words) == (), words
    assert all("65" not in one for one in texts(work, "duration"))
    assert texts(work, "current octaves") == ["[ ] stretch the octaves ← current"]
    assert not any("octaves" in one for one in texts(work, "current tide"))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("a hut at the lake", "a hut at the lake"),
        ('"the \\"hut\\": by the lake"', 'the "hut": by the lake'),
        ("'Ida''s hut'", "Ida's hut"),
        ("|\n  the hut\n  the lake", "the hut\nthe lake"),
        (">-\n  the hut\n  at the lake", "the hut\nat the lake"),
        ("a hut\n  at the lake  # seen twice", "a hut at the lake"),
        ("[hut, lake]", "[hut, lake]"),
    ],
)
def test_a_value_of_front_matter_is_shown_as_parsed(make: Make, written: str, said: str) -> None:
    work = make("en", {"a.md": f"---\nsummary: {written}\nowner: hut\n---\n- nothing\n"})
    assert texts(work, "hut")[0] == said


@pytest.mark.parametrize(("path", "least"), [("notes/tea.md", 20), ("sessions/2026-02-13-tea.md", 60)])
def test_a_search_ranks_few_lines_where_no_neighbour_lends_any(
    make: Make, monkeypatch: pytest.MonkeyPatch, path: str, least: int
) -> None:
    lines = "".join(f"- 2026-02-13: tea number {number}\n" for number in range(100))
    work = make("en", {path: f"# Notes\n\n{lines}"}, settings="[recall]\nsearched = 20\ncandidates = 60\n")
    asked: list[int] = []
    match = SearchIndex.match

    def noted(own: SearchIndex, query: Query, limit: int, *more: Any) -> list[IndexRow]:
        asked.append(limit)
        return match(own, query, limit, *more)

    monkeypatch.setattr(SearchIndex, "match", noted)
    assert len(work.search("tea", limit=3)) == 3
    assert set(asked) == {least}
    assert len(work.search("tea", limit=25)) == 25


@pytest.mark.parametrize(
    ("words", "question", "line", "other"),
    [
        (
            ["wie", "und", "wo", "sind", "die"], "Wie und wo sind die Schlüssel?", "Schlüssel im Keller",
            "wie die Wolken ziehen und wo sie sind",
        ),
        (["麻煩", "找"], "麻烦找找护照", "护照在抽屉里", "办签证很麻烦"),
    ],
)  # fmt: skip
def test_own_stop_words_look_nothing_up(make: Make, words: list[str], question: str, line: str, other: str) -> None:
    files = {"a.md": f"# Notes\n\n- {other}\n- {line}\n- tea\n"}
    assert other in texts(make("en", files), question)
    assert texts(make("en", files, settings=f"[recall]\nstop_words = {words}\n"), question) == [line]


def test_a_question_of_own_stop_words_alone_is_looked_up_by_them(make: Make) -> None:
    work = make("en", {"a.md": "- und so weiter\n"}, settings='[recall]\nstop_words = ["und"]\n')
    assert texts(work, "und") == ["und so weiter"]


@pytest.mark.parametrize(
    ("lang", "heading", "question"),
    [
        ("en", "To-dos and promises", "todo"),
        ("en", "To-dos and promises", "what is still open?"),
        ("en", "Promises", "what tasks are unfinished"),
        ("zh", "待办与承诺", "还有什么没做"),
        ("zh", "待办与承诺", "还有哪些任务没完成？"),
        ("zh", "To-dos and promises", "待办"),
    ],
)
def test_a_question_for_what_is_open_finds_the_open_entries(make: Make, lang: str, heading: str, question: str) -> None:
    done = "- [x] 2026-02-03: ring the plumber\n- ✅ 2026-02-04: return the drill\n"
    notes = "# M\n\n## Notes\n\n- 2026-02-01: the heron nests by the weir\n"
    work = make(lang, {"MEMORY.md": f"{notes}\n## {heading}\n\n- 2026-02-02: send Tobias the quote\n{done}"})
    assert [hit.text for hit in work.search(question)] == ["2026-02-02: send Tobias the quote"]
    assert "2026-02-02: send Tobias the quote" not in [hit.text for hit in work.search(f"heron {question}")]


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
