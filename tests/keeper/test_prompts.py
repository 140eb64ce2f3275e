"""The keeper's prompts ask for operations only, and show the whole file (F025 to F029)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.errors import ConfigError
from mdmem.generation.prompt import fill_prompt
from mdmem.keeper.condensing.prompt_values import NAMES, name_of, values
from mdmem.keeper.conversation.model import CHAT
from mdmem.messages.folders import templates_folder

from .conftest import MakeTask

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
