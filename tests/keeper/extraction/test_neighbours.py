"""Sentences that look like others: a place is no company, a reason no rule, a statement about the time to come none."""

from __future__ import annotations

import pytest
from conftest import Make

from .conftest import ID, PATH, Extract, MakeSession

STATED = [
    ("我在杭州工作", "工作地", "在杭州工作"),
    ("我在苏州工业园区上班", "工作地", "在苏州工业园区上班"),
    ("我在国外工作", "工作地", "在国外工作"),
    ("我现在在家工作", "工作方式", "在家工作"),
    ("我在美团上班", "公司", "在美团上班"),
    ("我在一家银行工作", "公司", "在一家银行工作"),
    ("I work in Leeds.", "work_location", "works in Leeds"),
    ("I work in a hospital.", "work_location", "works in a hospital"),
    ("I work in the north of England.", "work_location", "works in the north of England"),
    ("I work in finance.", "field", "works in finance"),
    ("We work in Rust.", "field", "works in Rust"),
    ("I work in sales at Acme.", "company", "works in sales at Acme"),
    ("I work in Porto for Acme.", "company", "works in Porto for Acme"),
    ("I own a cabin in Norway.", "owns", "owns a cabin in Norway"),
    ("I own a Volvo.", "owns", "owns a Volvo"),
    ("We own two cats.", "owns", "owns two cats"),
    ("I drive a Volvo.", "car", "drives a Volvo"),
    ("I ride a Ducati.", "car", "rides a Ducati"),
    ("我们决定用 SQLite，因为不要外部依赖", "决定", "决定用 SQLite"),
    ("我们决定不用 Redis，因为不要再多一个服务。", "决定", "决定不用 Redis"),
    ("We chose SQLite because we must never depend on a server.", "decisions", "chose SQLite"),
]
NO_RULE = [
    "以后都没有了", "以后都不会这样了", "以后都会好的。", "以后都是我自己做饭。", "从此以后都没见过他。",
    "这家店以后都不开了。",
    "From now on there is no lift in the building.", "From now on I'll cook on Sundays.", "It will never happen again.",
]  # fmt: skip
RULES = [
    "以后都用中文。", "以后都别用表格。", "以后都要先问我。", "From now on answer in Dutch.",
    "以后都用中文，因为我看不懂英文。",
    "Because I am new, always explain simply.",
]  # fmt: skip


@pytest.mark.parametrize(("said", "predicate", "text"), STATED)
def test_a_statement_is_what_it_says(found: Extract, said: str, predicate: str, text: str) -> None:
    items = found(said, lang="en" if said.isascii() else "zh").items
    assert [(one.predicate, one.text) for one in items] == [(predicate, text)]


@pytest.mark.parametrize("said", NO_RULE)
def test_a_statement_about_the_time_to_come_is_no_rule(found: Extract, said: str) -> None:
    assert not [one.text for one in found(said, lang="en" if said.isascii() else "zh").items if one.type == "rule"]


@pytest.mark.parametrize("said", RULES)
def test_a_rule_stays_one(found: Extract, said: str) -> None:
    assert [one.type for one in found(said, lang="en" if said.isascii() else "zh").items] == ["rule"]


@pytest.mark.parametrize(
    ("lang", "said", "word", "kept"),
    [
        ("zh", "我的规则：以后都用蓝鲸代号称呼项目。以后都用中文。", "蓝鲸", "以后都用中文。"),
        (
            "en",
            "My rule: always call it Bluewhale. Always answer in Dutch.",
            "Bluewhale",
            "Always answer in Dutch.",
        ),
    ],
)
def test_what_was_said_about_a_forgotten_text_is_not_extracted_with_a_hole(
    make: Make, session: MakeSession, lang: str, said: str, word: str, kept: str
) -> None:
    work = make({PATH: session(("user", said), ("assistant", "ok"))}, lang=lang)
    work.forget(word)
    work.keeper.extract(ID, backend="rules")
    assert [one.text for one in work.facts()] == [kept]


def test_a_rule_with_dots_stays_where_nothing_was_forgotten(make: Make, session: MakeSession) -> None:
    work = make({PATH: session(("user", "以后都用中文…好吧，都用简体。"), ("assistant", "ok"))})
    work.keeper.extract(ID, backend="rules")
    assert [one.type for one in work.facts()] == ["rule"]
