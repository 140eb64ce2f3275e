"""A rule ends no other rule: whatever was said, and in whatever order it was accepted, every distinct rule holds."""

from __future__ import annotations

import random

import pytest
from conftest import Make

from mdmem.facts.model import NewFact
from mdmem.facts.service import write_facts
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.workspace import Workspace

# Rules that hold beside each other, some with words of which a change or an end is made elsewhere
RULES = {
    "zh": (
        "以后写代码注释都用中文。",
        "没有我同意不要推送。",
        "别再推荐咖啡给我，我戒了。",
        "不要再用表情符号了，取消。",
        "旧接口停用了，别再调用它。",
        "以后一律改用中文写提交信息。",
        "周五下午不再接新需求，一律推到周一。",
        "删文件前必须先问我。",
        "部署生产环境之前必须先问我，不能自己动手。",
        "部署测试环境之前必须先问我，不能自己动手。",
        "回复一律不超过三段。",
    ),
    "en": (
        "Always write comments in English.",
        "Never push without my okay.",
        "Don't recommend coffee to me any more, I quit.",
        "Never use emojis in emails any more.",
        "Always use the new endpoint, the old one was cancelled.",
        "From now on always answer in French.",
        "Never schedule meetings on Fridays, I stopped working then.",
        "Always ask me before you deploy the billing service to production at night.",
        "Always ask me before you deploy the booking service to production at night.",
        "Never delete files without asking.",
    ),
}
PREDICATE = {"zh": "规则", "en": "rule"}


def say_in_a_session(work: Workspace, texts: tuple[str, ...]) -> None:
    with work.sessions.start("chat") as session:
        for text in texts:
            session.turn("user", text)
            session.turn("assistant", "ok")


def live(work: Workspace) -> set[str]:
    return {one.text.rstrip("。.") for one in work.facts()}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_three_rules_of_one_session_are_live(make: Make, lang: str) -> None:
    work = make(lang)
    say_in_a_session(work, RULES[lang][:3])
    assert not work.inbox.list()
    assert live(work) == {text.rstrip("。.") for text in RULES[lang][:3]}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_distinct_rule_is_live(make: Make, lang: str, seed: int) -> None:
    """Say rules through all doors in a chance order, and accept what waits, now and then."""
    work, dice = make(lang), random.Random(seed)
    texts = dice.sample(RULES[lang], len(RULES[lang]))
    subject = "用户" if lang == "zh" else "user"

    def accept() -> None:
        for item in dice.sample(work.inbox.list(), len(work.inbox.list())):
            (outcome,) = work.inbox.accept([item.key])
            assert outcome.status == "done"

    for text in texts:
        match dice.randrange(4):
            case 0:
                say_in_a_session(work, (text,))
            case 1:
                work.fact_set(subject, PREDICATE[lang], text, type="rule")
            case 2:
                work.call("memory_fact", {"subject": subject, "predicate": PREDICATE[lang], "content": text}, actor="a")
            case _:
                doubtful(work, NewFact(subject, PREDICATE[lang], text, "rule", doubt="?"))
        if dice.random() < 0.3:
            accept()
    accept()
    assert live(work) >= {text.rstrip("。.") for text in texts}
    assert not work.inbox.list()


def doubtful(work: Workspace, item: NewFact) -> None:
    """Propose a statement as the extraction proposes what it is not sure of."""
    commit = work._change("extract", "keeper", "")

    def change(files: DraftFiles) -> Edits:
        return write_facts(commit, files, [item]).edits

    commit.run(change)


@pytest.mark.parametrize(
    ("predicate", "kind", "first", "second"),
    [
        ("喜欢", "preference", "喜欢爬山", "戒了"),
        ("计划", "fact", "打算买车", "取消"),
        ("plans", "fact", "want to buy a car", "cancelled"),
        ("habits", "preference", "runs at seven", "not any more"),
        ("to do", "fact", "call the landlord", "stopped"),
    ],
)
def test_an_end_without_a_thing_ends_nothing_of_many(
    make: Make, predicate: str, kind: str, first: str, second: str
) -> None:  # fmt: skip
    work = make()
    work.fact_set("user", predicate, first, type=kind)
    work.fact_set("user", predicate, second, type=kind)
    assert first in [one.text for one in work.facts("user")]


def test_an_accepted_value_is_live(make: Make) -> None:
    """Also where a newer value was said meanwhile, and where its text sounds like an end."""
    work = make("en", {"facts/user.md": "# user\n\n## Now\n\n- 2026-01-05: lives in Porto [predicate:: city]\n"})
    doubtful(work, NewFact("user", "city", "moved to Faro", date="2026-01-10"))
    (item,) = work.inbox.list()
    assert "lives in Porto" in item.replaces
    work.fact_set("user", "city", "moved to Lagos", at="2026-02-01")
    assert work.inbox.accept([item.key])[0].status == "done"
    assert [one.text for one in work.facts("user", predicate="city")] == ["moved to Faro"]
