"""What a sentence states by its constituents, in any order, and the sentences that say more than that."""

from __future__ import annotations

import pytest

from .conftest import Extract

PROPERTY_IN_ANY_ORDER = [
    ("As for my gym, it's Ironbark.", "", "gym", "gym is Ironbark"),
    ("Ironbark is my gym.", "", "gym", "gym is Ironbark"),
    ("The gym I have is Ironbark.", "", "gym", "gym is Ironbark"),
    ("I've got B417 as my locker.", "", "locker", "locker is B417"),
    ("My locker: B417.", "", "locker", "locker is B417"),
    ("On larkbase, the port is 4839.", "larkbase", "port", "port is 4839"),
    ("larkbase has 4839 as port.", "larkbase", "port", "port is 4839"),
    ("4839 is the port of larkbase.", "larkbase", "port", "port is 4839"),
    ("As for my sister, the birthday is July 19.", "", "sister_birthday", "sister's birthday is July 19"),
    ("The flight of my uncle is C2030.", "", "uncle_flight", "uncle's flight is C2030"),
    ("我的英文名嘛，是 Salmika。", "", "英文名", "英文名是 Salmika"),
    ("说到键盘，我的是 Rensal。", "", "键盘", "键盘是 Rensal"),
    ("云梯那边端口是 9279。", "云梯", "端口", "端口是 9279"),
    ("9279 是云梯的端口。", "云梯", "端口", "端口是 9279"),
    ("说到我妻子，电话是 13864370327。", "", "妻子电话", "妻子的电话是 13864370327"),
    ("云梯新的端口是 9279。", "云梯", "端口", "端口是 9279"),
    ("C2030 是我哥哥的航班。", "", "哥哥航班", "哥哥的航班是 C2030"),
]


@pytest.mark.parametrize(("said", "subject", "predicate", "text"), PROPERTY_IN_ANY_ORDER)
def test_a_property_is_heard_in_any_order(found: Extract, said: str, subject: str, predicate: str, text: str) -> None:
    (one,) = found(said).items
    assert one.subject == (subject or "用户")
    assert (one.predicate, one.text) == (predicate, text)


CHANGES = [
    ("They moved larkbase's port from 7263 to 4839.", "7263", "port is 4839"),
    ("My gym went from Ironbark to Tessel.", "Ironbark", "gym is Tessel"),
    ("Instead of Ironbark my gym is now Tessel.", "Ironbark", "gym is Tessel"),
    ("They gave me a new locker: B417.", "", "locker is B417"),
    ("We went from Kotlin 1.9 to 2.1.", "1.9", "Kotlin version is 2.1"),
    ("Zig is 0.12 now instead of 0.11.", "0.11", "Zig version is 0.12"),
    ("We left Leeds and live in Ghent now.", "Leeds", "lives in Ghent"),
    ("I changed jobs, I'm at Quillon now.", "", "works at Quillon"),
    ("New editor: Kakoune.", "", "editor is Kakoune"),
    ("我换了浏览器，现在是 Lovor。", "", "浏览器是 Lovor"),
    ("riverlog的端口由 7263 改为 4839。", "7263", "端口是 4839"),
    ("我妈妈的电话原来是 13800000000，现在是 13812345678。", "13800000000", "妈妈的电话是 13812345678"),
    ("下午把 Kafka 升到了 3.7。", "", "Kafka 版本是 3.7"),
    ("我从青岛崂山搬去西安曲江了。", "青岛崂山", "搬到西安曲江"),
]


@pytest.mark.parametrize(("said", "old", "text"), CHANGES)
def test_a_change_is_heard_by_its_signs(found: Extract, said: str, old: str, text: str) -> None:
    (one,) = found(said).items
    assert (one.is_update, one.old, one.text) == (True, old, text)


@pytest.mark.parametrize(
    "said",
    ["Nothing beats liquorice for me.", "I can't get enough of tofu.", "我对臭豆腐没有抵抗力。", "凉皮我特别喜欢。"],
)
def test_what_is_liked_is_kept_as_it_is_said(found: Extract, said: str) -> None:
    (one,) = found(said).items
    assert (one.type, one.text) == ("preference", said.rstrip(".。"))


SAY_MORE = [
    "My build fails on Python 3.12.",
    "Bar is the parent of Foo.",
    "The value of FOO is 3.",
    "For Foo the expected value is 42.",
    "The response of the API is 200.",
    "In Python 3.12 this is deprecated.",
    "React 18.2 is the latest release.",
    "Upgrade Django to 4.2.",
    "Please rename my class to Foo.",
    "My stack trace: Foo.java.",
    "I get 404 from the server.",
    "Losing is my job.",
    "My neighbour no longer works at Siemens.",
    "If my port is 8080, the test fails.",
    "You moved my port to 9090?",
    "Foo 的父类是 Bar。",
    "文件的大小是 3 MB。",
    "接口的返回是 200。",
    "升级 React 到 18.3。",
    "我想用 Redis。",
    "我提了 PR 482。",
    "失败的用例从 12 变成 3 了。",
    "我跟你说的手机号是 139。",
    "我邻居已经不在美团工作了。",
    "家里没有龙井了，帮我列个购物清单。",
]


@pytest.mark.parametrize("said", SAY_MORE)
def test_a_sentence_that_says_more_or_asks_states_nothing(found: Extract, said: str) -> None:
    assert [one.text for one in found(said).items if not one.effect] == []


def test_what_one_of_several_clauses_states_is_heard(found: Extract) -> None:
    texts = [one.text for one in found("My editor is Kakoune, the weather is fine. B417 is my locker.").items]
    assert texts == ["editor is Kakoune", "locker is B417"]
