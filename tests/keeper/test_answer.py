"""However a model wraps its operations, they are read, as long as they say one thing only (F028)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mdmem.errors import ConfigError
from mdmem.generation.answer_parser import parse_answer
from mdmem.generation.model import Operation, PlanProblem
from mdmem.generation.prompt import fill_prompt
from mdmem.keeper.condensing.prompt_values import NAMES, name_of, values
from mdmem.keeper.conversation.model import CHAT
from mdmem.messages.folders import templates_folder

from .conftest import MakeTask

ONE = {"path": "FASTMEMO.md", "section": "用户感知", "content": "念念"}
TWO = {"path": "FASTMEMO.md", "section": "历史感知", "content": "第一行"}
CALL = {"name": "memory_edit"}
BOTH = (ONE, TWO)
TEXT = json.dumps([ONE, TWO], ensure_ascii=False)
WANTED = (Operation(**ONE), Operation(**TWO))


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\ufeff\n {TEXT} \n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}\n```\n",
        f"好的，这是结果：\n\n```json\n{TEXT}\n```\n\n已经完成。",
        f"<think>先看看……</think>\n{TEXT}",
        json.dumps(ONE) + "\n" + json.dumps(TWO),
        json.dumps(ONE) + ",\n" + json.dumps(TWO),
        json.dumps({"operations": [ONE, TWO]}),
        json.dumps({"tool_calls": [{"function": CALL | {"arguments": json.dumps(one)}} for one in BOTH]}),
        json.dumps([{"tool": "memory_edit", "arguments": one} for one in (ONE, TWO)]),
        json.dumps([{"name": "functions.memory_edit", "input": one, "id": "x1"} for one in (ONE, TWO)]),
        json.dumps([{"memory_edit": one} for one in (ONE, TWO)]),
        json.dumps([[ONE], [TWO]]),
        json.dumps([ONE, TWO | {"importance": "8", "extra": None}]),
        json.dumps([ONE, TWO | {"content": ["第一行"]}]),
        json.dumps([ONE, TWO | {"section": "[历史感知]"}]),
        json.dumps([ONE, TWO | {"section": " 历史感知\n"}]),
    ],
)  # fmt: skip
def test_one_answer_in_any_wrapping(text: str) -> None:
    assert parse_answer(text, 100_000) == WANTED


def test_raw_control_characters_in_a_text_are_read_as_they_are() -> None:
    found = parse_answer('[{"section": "a", "content": "eins\tzwei\ndrei"}]', 1000)
    assert found == (Operation("", "a", "eins\tzwei\ndrei"),)


def blocks(*calls: Mapping[str, object], tag: str = "tool", fence: str = "") -> str:
    end = "\n```" if fence else ""
    return "\n".join(f"<{tag}>{fence}{json.dumps(call, ensure_ascii=False)}{end}</{tag}>" for call in calls)


LOOK = {"tool": "memory_read", "path": "fastmemo"}
EDITS = [{"tool": "memory_edit", **one} for one in BOTH]


@pytest.mark.parametrize(
    "text",
    [
        blocks(LOOK, *EDITS),
        blocks(*EDITS, tag="tool_call"),
        blocks(LOOK, *EDITS, fence="```json\n"),
        f"```\n{blocks(LOOK, *EDITS)}\n```",
        "先读一下：\n" + blocks(LOOK) + "\n好的，现在写 [两个] 区域：\n" + blocks(*EDITS) + "\n完成。",
        blocks({"name": "memory_read", "args": {"path": "fastmemo"}}, *({**CALL, "args": one} for one in BOTH)),
        json.dumps([LOOK, *EDITS]),
        "\n".join(f"```json\n{json.dumps(one)}\n```" for one in (LOOK, *EDITS)),
    ],
)  # fmt: skip
def test_tool_blocks_are_read_and_a_look_before_them_is_no_edit(text: str) -> None:
    assert parse_answer(text, 100_000) == WANTED


@pytest.mark.parametrize(
    "text",
    [
        blocks(*EDITS).removesuffix("</tool>"),
        blocks(*EDITS)[:-30],
        blocks(*EDITS) + "<tool>",
        "<tool>{</tool>",
        blocks({"tool": "memory_delete", "path": "x", "section": "y", "content": ""}),
        "<tool>" * 5000,
    ],
)  # fmt: skip
def test_half_a_block_or_another_tool_is_refused(text: str) -> None:
    assert isinstance(parse_answer(text, 100_000), PlanProblem)


@pytest.mark.parametrize("cut", range(1, len(TEXT) - 1, 7))
def test_half_an_answer_is_none(cut: int) -> None:
    assert isinstance(parse_answer(TEXT[:cut], 1000), PlanProblem)


FASTMEMO = "# 表层记忆\n\n## 自我感知\n\n- 必须先问\n- 先结论\n\n## 用户感知\n\n- 念念\n"


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", [*NAMES, CHAT])
def test_a_shipped_prompt_can_be_filled(task: MakeTask, name: str, lang: str) -> None:
    path = Path(templates_folder(), lang, "prompts", f"{name}.md")
    text = fill_prompt(path.read_text("utf-8"), values(task(FASTMEMO)), path.name)
    assert text.count("- 先结论") == 1, "the whole file is in it, once"
    assert "memory_edit" in text
    assert "JSON" in text
    assert "{{" not in text
    assert "<!--" not in text.partition("<memory>")[0]


def test_each_kind_has_its_prompt(task: MakeTask) -> None:
    names = [name_of(task("# x\n", path)) for path in ("FASTMEMO.md", "MEMORY.md", "NOTEBOOK.md", "SCRATCHPAD.md")]
    assert names == ["fastmemo_compact", "memory_tidy", "notebook_roll", "memory_tidy"]


def test_a_prompt_lists_what_is_to_be_done_and_what_must_stay(task: MakeTask) -> None:
    found = values(task(FASTMEMO))
    assert found["sections"] == "- 自我感知: 2 → 1 (≤ 332)"
    assert found["settled"] == "用户感知"
    assert found["kept"] == "- 必须先问"


@pytest.mark.parametrize("text", ["no slot", "{{file}} {{nonsense}}"])
def test_a_wrong_prompt_is_told(text: str) -> None:
    with pytest.raises(ConfigError):
        fill_prompt(text, {"file": "x"}, "prompts/x.md")


def test_what_stands_in_the_file_is_no_slot() -> None:
    assert fill_prompt("{{file}}", {"file": "{{file}} {{path}}"}, "x") == "{{file}} {{path}}\n"
