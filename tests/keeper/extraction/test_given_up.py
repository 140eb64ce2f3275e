"""What a person gives up in the words of a chat is taken back, and nothing of it holds."""

from __future__ import annotations

import pytest

from ..conftest import Make
from .test_known_values import live, say


@pytest.mark.parametrize(
    ("first", "later", "gone"),
    [
        ("我每天七点起床。", "每天七点起床那个忘了吧，不用记。", "七点"),
        ("我每天七点起床。", "七点起床这条你忘掉吧。", "七点"),
        ("我打算买车，预算十五万。", "车算了不买了。", "买车"),
        ("我打算买车，预算十五万。", "车还是算了，不买了。", "买车"),
        ("我想买一台电脑。", "电脑算了不买了", "电脑"),
    ],
)
def test_what_is_given_up_is_gone(make: Make, first: str, later: str, gone: str) -> None:
    work = make(lang="zh")
    say(work, first)
    assert gone in live(work)
    say(work, later)
    assert gone not in live(work)
