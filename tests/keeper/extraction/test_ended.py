"""What is said to be over holds no longer, however it is said, and nothing else ends by it."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import said

from ..conftest import Make
from .conftest import PATH, MakeSession, facts

CASES = [
    ("en", "I drive a 2014 Skoda.", "I sold the Skoda and bought an electric Kia.", ["bought an electric Kia"]),
    ("en", "I drive a 2014 Skoda.", "I sold the Skoda, and we bought a Kia.", ["bought a Kia"]),
    ("en", "I drive a Volvo.", "I sold my car last week.", []),
    ("en", "My phone is a Pixel 6.", "I swapped the Pixel for a Galaxy S24.", ["has a Galaxy S24"]),
    ("en", "I work as a nurse at Southmead hospital.", "I left Southmead and started at the Royal United.",
     ["works at the Royal United"]),
    ("en", "I work as a nurse at Southmead.", "I left Southmead.", []),
    ("en", "My favourite tea is Earl Grey.", "I don't drink Earl Grey any more, I switched to rooibos.",
     ["switched to rooibos"]),
    ("en", "I use Evernote for notes.", "I've stopped using Evernote, I'm on Obsidian now.", ["uses Obsidian"]),
    ("en", "I work at London Zoo. I live in London.", "I left London.", ["works at London Zoo", "lives in London"]),
    ("en", "I'm allergic to peanuts.", "I don't eat peanuts any more.",
     ["is allergic to peanuts", "no longer eat peanuts"]),
    ("en", "I work at Shell.", "I left the party early and sold the sofa.", ["works at Shell"]),
    ("en", "The portal's owner is Kalo.", "The portal's owner was changed to Tudri.", ["owner is Tudri"]),
    ("en", "The portal's owner is Kalo.", "The portal's owner changed to Tudri.", ["owner is Tudri"]),
    ("en", "My girlfriend is Ines.", "Ines and I broke up.", []),
    ("en", "My girlfriend is Ines.", "Ines and I broke the vase.", ["girlfriend is Ines"]),
    ("en", "My partner is Tomas.", "Tomas and I are no longer together.", []),
    ("en", "We use Jenkins for our builds.", "Jenkins is out, we got rid of it.", []),
    ("en", "We use Jenkins for our builds.", "Jenkins dropped two builds.", ["use Jenkins for our builds"]),
    ("en", "I own a kayak.", "I gave the kayak away.", []),
    ("en", "I own a kayak.", "I gave the kayak a wash.", ["owns a kayak"]),
    ("en", "I own a motorbike.", "I sold my motorbike to a friend.", []),
    ("en", "I own a motorbike.", "My brother sold his motorbike.", ["owns a motorbike"]),
    ("en", "I own a red bike.", "My bike is stolen.", []),
    ("en", "I own a red bike.", "My bike has been stolen.", []),
    ("en", "I own a red bike.", "My brother's bike is stolen.", ["owns a red bike"]),
    ("zh", "我养了只仓鼠叫小块。", "小块周二死了。", []),
    ("zh", "我养了只仓鼠叫小块。", "小块上星期三去世了。", []),
    ("zh", "我养了只仓鼠叫小块。", "邻居家的猫周二死了。", ["养了只仓鼠叫小块"]),
    ("zh", "我女朋友是小雨。", "我和小雨分手了。", []),
    ("zh", "我女朋友是小雨。", "我和小雨分了一个蛋糕。", ["女朋友是小雨"]),
    ("zh", "我开一辆沃尔沃。", "我把沃尔沃卖给邻居了。", []),
    ("zh", "我开一辆沃尔沃。", "我朋友把沃尔沃卖了。", ["开辆沃尔沃"]),
    ("zh", "我开一辆斯柯达。", "斯柯达卖了，买了辆起亚电动车。", ["买了辆起亚电动车"]),
    ("zh", "我在南山医院当护士。", "从南山医院辞职，去了市人民医院。", ["去了市人民医院"]),
    ("zh", "我在南山医院当护士。", "我昨天去了市人民医院。", ["在南山医院当护士"]),
    ("zh", "我喜欢喝咖啡。", "我不喝咖啡了。", []),
    ("zh", "我平时喝龙井。", "改喝普洱了。", ["改喝普洱"]),
    ("zh", "我的手机是小米14。", "我把小米换成了华为 Mate 60。", ["换成了华为 Mate 60"]),
]  # fmt: skip
LIFTED = [
    ("en", "Don't use emojis.", "Emojis are fine now, you can use them again."),
    ("zh", "不要用表情。", "表情现在可以用了。"),
]
PROPOSED = [
    ("en", "Always answer in German.", "You don't have to answer in German any more."),
    ("en", "Don't use tables in your answers.", "Tables are fine again."),
    ("zh", "不要用表格。", "表格没问题了。"),
]


@pytest.mark.parametrize("sessions", [1, 2])
@pytest.mark.parametrize(("lang", "before", "then", "held"), CASES)
def test_what_is_over_leaves_no_live_line(
    make: Make, session: MakeSession, lang: str, before: str, then: str, held: list[str], sessions: int
) -> None:
    first, second = [("user", before), ("assistant", "ok")], [("user", then), ("assistant", "ok")]
    given = {PATH: session(*first, *second)}
    if sessions == 2:
        older = session(*first, started="2026-01-10 08:00")
        given = {"sessions/20260110_080000_a.md": older, PATH: session(*second)}
    workspace = make(given, lang=lang)
    workspace.keeper.extract(backend="rules")
    assert sorted(facts(workspace)) == sorted(held)


@pytest.mark.parametrize(("lang", "rule", "lift"), LIFTED)
def test_the_users_word_takes_back_the_one_rule_that_it_names(
    make: Make, session: MakeSession, lang: str, rule: str, lift: str
) -> None:
    workspace = make({PATH: session(("user", rule), ("user", lift))}, lang=lang)
    workspace.keeper.extract(backend="rules")
    assert facts(workspace) == [lift]
    assert [fact.text for fact in workspace.facts(before=True) if not fact.live] == [rule]


@pytest.mark.parametrize(("lang", "rule", "lift"), PROPOSED)
def test_where_it_is_not_plain_or_the_rule_is_permanent_it_is_proposed(
    make: Make, session: MakeSession, lang: str, rule: str, lift: str
) -> None:
    workspace = make({PATH: session(("user", rule), ("user", lift))}, lang=lang)
    workspace.keeper.extract(backend="rules")
    assert facts(workspace) == [rule]
    assert lift in said(workspace, "inbox.md")
    workspace.inbox.accept([workspace.inbox.list()[0].key])
    assert rule not in facts(workspace)


@pytest.mark.parametrize("lift", ["Emojis are fine now.", "You can use them again.", "The files are fine now."])
def test_a_word_that_names_no_rule_or_several_takes_back_none(make: Make, session: MakeSession, lift: str) -> None:
    rules = ["Don't use emojis.", "Never put emojis into mails.", "Never delete logs."]
    workspace = make({PATH: session(*(("user", rule) for rule in rules), ("user", lift))}, lang="en")
    workspace.keeper.extract(backend="rules")
    assert facts(workspace) == rules
    assert not Path(workspace.root, "inbox.md").exists()
