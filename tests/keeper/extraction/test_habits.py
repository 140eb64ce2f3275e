"""The simple present of the user is a habit by the class of its verb, unless it is about the task at hand."""

from __future__ import annotations

import pytest

from .conftest import Extract

HABITS = [
    ("I take metformin.", "take metformin"),
    ("I drink oat milk.", "drink oat milk"),
    ("I swim before work.", "swim before work"),
    ("We eat dinner at six.", "eat dinner at six"),
    ("I have a ThinkPad laptop.", "has a ThinkPad laptop"),
    ("我弹古筝。", "弹古筝"),
    ("我吃二甲双胍。", "吃二甲双胍"),
    ("我家用的是小米路由器。", "用的是小米路由器"),
    ("我在合唱团唱男低音。", "在合唱团唱男低音"),
    ("我六点遛狗。", "六点遛狗"),
    ("我平时打羽毛球。", "平时打羽毛球"),
]


@pytest.mark.parametrize(("said", "text"), HABITS)
def test_a_habit_is_heard_by_the_class_of_its_verb(found: Extract, said: str, text: str) -> None:
    assert [one.text for one in found(said).items] == [text]


AT_HAND = [
    "I get a KeyError.",
    "I run the tests.",
    "I rename the function.",
    "I take a look at it.",
    "I take the second option.",
    "I read the docs.",
    "I watch the logs.",
    "I train the model for 3 epochs.",
    "I collect the metrics in a dict.",
    "I have a failing test.",
    "I have a memory leak.",
    "I have a question.",
    "I feed the parser a string.",
    "我跑测试。",
    "我打断点。",
    "我画流程图。",
    "我拉一下代码。",
    "我练手。",
    "我吃完饭再弄。",
    "我在看 parser.py。",
    "我给函数加参数。",
    "我读取配置。",
    "我集成支付接口。",
]


@pytest.mark.parametrize("said", AT_HAND)
def test_what_is_done_at_hand_is_no_habit(found: Extract, said: str) -> None:
    assert [one.text for one in found(said).items] == []
