"""A plain text is one that the rules about odd characters have nothing to say of."""

from __future__ import annotations

import sys

import pytest

from mdmem.linter.rules import mm107_mixed_script_word
from mdmem.linter.views import decoded_views, hidden_characters
from mdmem.linter.views.hidden_characters import is_plain
from mdmem.text.pattern import Pattern


@pytest.fixture(scope="module")
def plain() -> str:
    return "".join(filter(is_plain, map(chr, range(sys.maxunicode + 1))))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "odd",
    [
        hidden_characters.CONTROL,
        hidden_characters.HIDDEN,
        hidden_characters._CONTROL,
        mm107_mixed_script_word._BORDER,
        decoded_views._ODD,
    ],
)
def test_no_plain_character_is_odd(odd: Pattern, plain: str) -> None:
    assert odd.findall(plain) == []


def test_memories_in_chinese_and_english_are_plain() -> None:
    assert is_plain(
        "# 🧠 记忆\n\n## 重要事件\r\n\r\n- 2026-02-13：面试（Delft）—「约好了」……\n- [ ] don't forget it\t#work\n"
    )
    assert not is_plain("zero\u200bwidth")
