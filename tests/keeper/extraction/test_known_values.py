"""What gives a known property another value updates it, whatever the words; what only may is proposed."""

from __future__ import annotations

import pytest

from mdmem.workspace import Workspace

from ..conftest import Make

CHANGED = [  # said first, said later, the words of the live fact, the words of none
    ("Our API base URL is https://api.old.example.", "The API base URL is now https://api.new.example.", "new", "old"),
    ("My staging port is 8080.", "The staging port is now 9090.", "9090", "8080"),
    ("My staging port is 8080.", "staging port is 9090 now", "9090", "8080"),
    ("My staging port is 8080.", "The staging port is 9090.", "9090", "8080"),
    ("My locker number is 12.", "By the way, the locker number was changed to 77.", "77", "12"),
    ("I use Node 18.", "I upgraded Node to 22.", "22", "18"),
    ("我的测试端口是 8080。", "测试端口现在是 9090。", "9090", "8080"),
    ("我的储物柜号码是 12。", "储物柜号码换成了 77。", "77", "12"),
    ("我在百度上班。", "我离职了，现在在字节上班", "字节", "百度"),
    ("我住在杭州。", "我搬到上海了，不住杭州了", "上海", "杭州"),
]
SAME = [  # said first, said later: it says nothing of the value
    ("My staging port is 8080.", "Is the staging port now 9090?"),
    ("My staging port is 8080.", "If the staging port is now 9090, tell me."),
    ("My staging port is 8080.", 'Bob says: "the staging port is now 9090".'),
    ("My staging port is 8080.", "The staging port is down."),
    ("My staging port is 8080.", "The server port is now 9090."),
    ("我的测试端口是 8080。", "测试端口现在是 9090 吗？"),
    ("我的端口是 3000。", "把变量 my_name 改成 owner，端口改成 8080。"),
    ("I live in Ghent.", "A friend of mine, Tobias, just moved to Lisbon and works for a surf school."),
    ("I work at Siemens.", "Our landlord's son, Dieter, just left Siemens and joined Bosch."),
    ("我在百度上班。", "我同学小赵从百度离职了，去了腾讯。"),
    ("我的邮箱是 ann@example.org。", "我的邮箱列是VARCHAR(255)。"),
    ("My company is Keyence.", "My company is hiring now."),
    ("My car is a Golf.", "My car is filthy."),
    ("My landlord is Mr Peeters.", "My landlord is coming on Friday."),
]  # fmt: skip


def say(work: Workspace, *texts: str) -> None:
    for text in texts:
        with work.sessions.start("chat") as session:
            session.turn("user", text)
            session.turn("assistant", "ok")


def live(work: Workspace) -> str:
    return "\n".join(one.text for one in work.facts())


@pytest.mark.parametrize(("first", "later", "holds", "gone"), CHANGED)
def test_a_later_value_takes_the_place_of_the_first(make: Make, first: str, later: str, holds: str, gone: str) -> None:
    work = make(lang="zh" if "我" in first else "en")
    say(work, first)
    assert gone in live(work)
    say(work, later)
    assert holds in live(work)
    assert gone not in live(work)
    assert gone in "\n".join(one.text for one in work.facts(before=True))


@pytest.mark.parametrize(("first", "later"), SAME)
def test_what_states_no_other_value_changes_nothing(make: Make, first: str, later: str) -> None:
    work = make(lang="zh" if "我" in first else "en")
    say(work, first)
    before = live(work)
    say(work, later)
    assert live(work).startswith(before)
    assert not [item for item in work.inbox.list() if item.path.startswith("facts/")]


def test_a_value_of_another_kind_is_proposed(make: Make) -> None:
    work = make(lang="en")
    say(work, "My staging port is 8080.", "The staging port is now blocked.")
    (item,) = work.inbox.list()
    assert "8080" in item.replaces
    assert live(work).endswith("8080")
    work.inbox.accept([item.key])
    assert live(work).endswith("blocked")
