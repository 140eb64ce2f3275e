"""A context's journeys: grown too large it becomes a compact memory, kept in minimal mode, a text in full mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from forms import each
from harness import entries, files_of, said

from mdmem.errors import UsageError
from mdmem.workspace import Workspace

from .conftest import Make

FILE = ".compact_memory.md"
RULE = "data/raw 只读，删除之前必须先问我。"


def messages(count: int = 12, start: int = 1) -> list[dict[str, str]]:
    out = []
    for n in range(start, start + count):
        out += [
            {"role": "user", "text": f"{RULE if n == 1 else ''}第 {n} 步怎么样了？"},
            {"role": "tool", "text": "0123456789 " * 200},
            {"role": "assistant", "text": f"修复了 src/part{n}.py，{n + 5} 项测试全绿。我再想一想别的办法。"},
        ]
    return out


def files(workspace: Workspace) -> set[str]:
    return set(files_of(workspace.root, ".mdmem"))


def test_below_the_limit_nothing_is_done(make: Make) -> None:
    workspace = make()
    made = workspace.keeper.compact_context(messages())
    assert (made.outcome.status, made.text) == ("unchanged", "")
    assert 10_000 < made.tokens < 70_000
    assert files(workspace) == {"mdmem.toml"}


def test_at_the_limit_minimal_mode_keeps_the_compact_memory_and_nothing_else(make: Make) -> None:
    workspace = make()
    made = workspace.keeper.compact_context(messages(80))
    assert made.outcome.status == "done", made
    assert made.tokens >= 70_000
    assert made.left <= 3000 + 100
    (kept,) = files(workspace) - {"mdmem.toml", FILE}
    assert kept.startswith("transcripts/"), "and the raw messages, where no search looks"
    state, events = entries(workspace, FILE, "状态"), entries(workspace, FILE, "关键事件")
    assert state[0] == f"{RULE} #规则"
    assert [text for text in events if "part80" in text]
    assert [int(text.split("part")[1].split(".")[0]) for text in events if "part" in text] == sorted(
        int(text.split("part")[1].split(".")[0]) for text in events if "part" in text
    ), "in order of time"
    assert "0123456789" not in said(workspace, FILE), "what tools print is no memory"
    assert made.text.startswith("# 精简记忆\n\n## 状态\n\n- ")
    assert "<!--" not in made.text
    assert not [one for one in workspace.lint([FILE]).diagnostics if one.severity != "note"]


def test_the_raw_messages_stay_in_a_transcript_that_nothing_reads(make: Make) -> None:
    workspace = make(lang="en")
    key = "sk-proj-" + "a8Fq2Lz0Xw7Rt5Yp3Kd9Mn4Bv6Cx1Jh"
    talk = [*messages(4), {"role": "user", "text": f"the orchid is called Wilhelmina, the key {key}"}]
    made = workspace.keeper.compact_context(talk, now=True)
    (path,) = (name for name in files(workspace) if name.startswith("transcripts/"))
    assert path in made.outcome.hint
    lines = [json.loads(line) for line in said(workspace, path).splitlines()]
    assert [(one["role"], one["text"]) for one in lines[:-1]] == [(one["role"], one["text"]) for one in talk[:-1]]
    assert "Wilhelmina" in lines[-1]["text"]
    assert key not in said(workspace, path)
    assert path not in {hit.path for hit in workspace.search("0123456789")}
    assert path not in {one.path for one in workspace.status()}
    workspace.keeper.compact_context(talk, now=True)
    assert len([name for name in files(workspace) if name.startswith("transcripts/")]) == 1
    workspace.forget("Wilhelmina")
    assert "Wilhelmina" not in said(workspace, path)
    assert len([json.loads(line) for line in said(workspace, path).splitlines()]) == len(lines)


def test_a_transcript_can_be_switched_off(make: Make) -> None:
    workspace = make(settings="[session]\ntranscript = false\n")
    workspace.keeper.compact_context(messages(4), now=True)
    assert files(workspace) == {"mdmem.toml", FILE}


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("lang", each(2, ["zh", "en"]))
def test_the_compact_memory_uses_its_room_for_whole_facts(make: Make, lang: str) -> None:
    workspace, talk = make(lang=lang), []
    for n in range(200):
        if lang == "zh":
            asked = f"src/pkg{n}/load.py 在 {n % 24}:05 报错，第 {n} 行读不出来。我觉得可能是编码，也可能不是。"
            done = (
                f"先看了很久日志，没有头绪。修复了 src/pkg{n}/load.py：改用 latin-1。{n + 3} 项测试全绿。今天天气不错。"
            )
        else:
            asked = f"src/pkg{n}/load.py fails at {n % 24}:05 a.m. since Mr. Okonjo changed row {n}. I wonder why."
            done = f"I stared at logs for a while. Fixed src/pkg{n}/load.py, e.g. by latin-1. {n + 3} tests passed."
        talk += [{"role": "user", "text": asked}, {"role": "assistant", "text": done}]
    made = workspace.keeper.compact_context(talk, now=True)
    assert made.outcome.status == "done", made.outcome
    assert 0.9 * 3000 < made.left <= 3000 + 100
    events = entries(workspace, FILE, "关键事件" if lang == "zh" else "Key events")
    whole = {line for one in talk for line in one["text"].split("。")} if lang == "zh" else set()
    assert lang == "en" or {text for text in events if text not in whole} == set(), "whole sentences"
    paths = [int(text.split("pkg")[1].split("/")[0]) for text in events if "pkg" in text]
    assert paths == sorted(paths), "in order of time"
    assert len(set(paths)) >= 100, "a conclusion of every round before details of old ones"
    assert set(range(150, 200)) <= set(paths), "the newest stay"
    assert not any(one in text for text in events for one in ("天气", "stared", "头绪"))
    assert not [text for text in events if text.endswith((" Mr", " e.g", " a.m"))]


def test_minimal_carries_the_prompt_and_the_knowledge(make: Make) -> None:
    workspace = make({"agent_knowledge.md": "# 知识\n\n## 成功模式\n\n- 先看原始字节\n"})
    workspace.keeper.compact_context(messages(4), now=True)
    packed = workspace.pack("minimal", prompt="你是一个细心的助手。").text
    assert packed.index("你是一个细心的助手。") < packed.index("先看原始字节") < packed.index("src/part4.py")


@pytest.mark.thorough
@pytest.mark.slow
def test_what_is_new_is_added_to_what_is_known_and_a_rule_outlives_ten_compactions(make: Make) -> None:
    workspace = make()
    for stage in range(10):
        made = workspace.keeper.compact_context(messages(6, 1 + 6 * stage), now=True)
        assert made.outcome.status == "done"
        assert f"- {RULE} #规则" in made.text
    events = entries(workspace, FILE, "关键事件")
    assert [f"src/part{n}.py" for n in range(1, 61) if f"src/part{n}.py" not in "\n".join(events)] == []
    assert sum(RULE in text for text in entries(workspace, FILE, "状态")) == 1
    before = said(workspace, FILE)
    assert workspace.keeper.compact_context(messages(6, 55), now=True).outcome.status == "unchanged"
    assert said(workspace, FILE) == before, "the same again changes nothing"


def test_what_leaves_the_memory_is_archived(make: Make) -> None:
    aside = "顺便看了很多别的东西，" * 8
    old = "".join(f"- 2026-01-{1 + n % 28:02} 修复了 src/old{n}.py，{aside}用了 {n} 秒\n" for n in range(99))
    text = f"# 精简记忆\n\n## 状态\n\n- 必须先问\n- 第一步\n\n## 关键事件\n\n{old}"
    workspace = make({FILE: text + "\n## 我自己的一节\n\n- 不归 mdmem 管\n"})
    made = workspace.keeper.compact_context(messages(3), now=True)
    assert made.outcome.status == "done"
    everything = said(workspace, FILE) + said(workspace, "archive/2026-02.md")
    assert [n for n in range(99) if f"src/old{n}.py" not in everything] == []
    assert "- 必须先问\n" in said(workspace, FILE)
    assert "## 我自己的一节\n\n- 不归 mdmem 管\n" in said(workspace, FILE)
    assert made.outcome.transaction
    workspace.history.undo(made.outcome.transaction.id)
    assert said(workspace, FILE).count("src/old") == 99


def test_full_mode_gives_a_text_and_writes_nothing(make: Make) -> None:
    workspace = make(lang="en")
    parts = [{"type": "text", "text": "Fixed src/import.py, 5 tests pass."}]
    talk: list[dict[str, Any]] = [
        {"role": "user", "content": "Never push. Fix the import."},
        {"role": "assistant", "content": parts},
    ]
    made = workspace.keeper.compact_context(talk, write=False, now=True)
    assert made.outcome.status == "done"
    assert made.text == (
        "# Compact memory\n\n## State\n\n- Never push. #rule\n- Fix the import\n- Fixed src/import.py, 5 tests pass\n\n"
        "## Key events\n\n- Fix the import\n- Fixed src/import.py, 5 tests pass\n"
    )
    assert files(workspace) == {"mdmem.toml"}
    assert not Path(workspace.root, ".mdmem").exists()


EVENTS = (
    "- 修复了 src/part1.py\n- 修复了 src/part2.py、src/part3.py、src/part4.py、src/part5.py ｜ 第 9 步，17 项测试全绿"
)
MUCH = "\n".join(f"- 修复了 src/part{n % 12 + 1}.py" for n in range(999))
GOOD = [{"section": "状态", "content": "做到第 12 步"}, {"section": "关键事件", "content": EVENTS}]


def test_a_model_writes_what_it_proves(make: Make) -> None:
    workspace = make()
    made = workspace.keeper.compact_context(messages(), now=True, backend=lambda _: json.dumps(GOOD))
    assert made.outcome.status == "done", made.outcome
    assert entries(workspace, FILE, "状态") == [f"{RULE} #规则", "做到第 12 步"]
    prompt = workspace.keeper.context_prompt(messages(1, 13))
    assert "做到第 12 步" in prompt
    assert "第 13 步怎么样了" in prompt
    assert "0123456789" not in prompt
    assert "≤ 3000 tokens" in prompt
    newer = {"section": "events", "content": "- 修复了 src/part1.py\n- 修复了 src/part13.py，18 项测试全绿"}
    again = workspace.keeper.compact_context(messages(1, 13), apply=json.dumps([GOOD[0], newer]))
    assert again.outcome.status == "done"
    assert "src/part2.py" in said(workspace, "archive/2026-02.md")


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I have condensed it for you.",
        json.dumps(GOOD)[:-9],
        json.dumps(GOOD[:1]),
        json.dumps([GOOD[0], {"section": "关键事件", "content": "无"}]),
        json.dumps([GOOD[0], {"section": "关键事件", "content": "修复了 src/part1.py，99 项测试全绿"}]),
        json.dumps([GOOD[0], {"section": "关键事件", "content": "修复了 src/part1.py"}]),
        json.dumps([GOOD[0], {"section": "关键事件", "content": MUCH}]),
        json.dumps([*GOOD, {"section": "随便", "content": "一句"}]),
        json.dumps([GOOD[0] | {"path": "MEMORY.md"}, GOOD[1]]),
    ],
)
@pytest.mark.parametrize("write", [True, False])
def test_a_wrong_answer_changes_nothing(make: Make, answer: str, write: bool) -> None:
    workspace = make({FILE: "# 精简记忆\n\n## 状态\n\n- 必须先问\n"})
    made = workspace.keeper.compact_context(messages(), now=True, write=write, backend=lambda _: answer)
    assert (made.outcome.status, made.text) == ("refused", "")
    assert said(workspace, FILE) == "# 精简记忆\n\n## 状态\n\n- 必须先问\n"


def test_a_memory_that_was_changed_meanwhile_is_made_anew(make: Make) -> None:
    workspace = make({FILE: "# 精简记忆\n\n## 状态\n\n- 第一步\n"})
    asked: list[str] = []

    def slow(prompt: str) -> str:
        asked.append(prompt)
        if len(asked) == 1:
            Path(workspace.root, FILE).write_text("# 精简记忆\n\n## 状态\n\n- 必须先问\n", "utf-8")
        return json.dumps(GOOD)

    assert workspace.keeper.compact_context(messages(), now=True, backend=slow).outcome.status == "done"
    assert len(asked) == 2
    assert entries(workspace, FILE, "状态")[0] == "必须先问"


@pytest.mark.parametrize(
    "wrong",
    [
        ["x"],
        [{"text": "x"}],
        [{"role": "boss", "text": "x"}],
        [{"role": "user", "text": 7}],
        [{"role": "user", "text": "\ud800"}],
    ],
)
def test_what_is_no_message_is_told(make: Make, wrong: list[dict[str, str]]) -> None:
    with pytest.raises(UsageError, match="1"):
        make().keeper.compact_context(wrong, now=True)
