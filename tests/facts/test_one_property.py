"""One property has one name in both languages and one value, and what the user says of it in a chat holds at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.facts.read import fact_words
from mdmem.workspace import Workspace

SAID = [  # the name under which the user set a value, the value, and what the user says later
    ("city", "lives in Porto", "I moved to Ghent last week."),
    ("home", "Porto", "I moved to Ghent last week."),
    ("current_city", "Porto", "We moved to Ghent last month."),
    ("place of residence", "Porto", "I live in Ghent now."),
    ("employer", "Acme", "I work at Globex now."),
    ("job_title", "data engineer", "I work as a product manager now."),
    ("full_name", "Ann Lee", "My name is Ann Kim."),
    ("email_address", "a@b.example", "My email is c@d.example."),
    ("date_of_birth", "1990-03-04", "My birthday is 5 April 1990."),
    ("城市", "波尔图", "我搬到根特了。"),
    ("居住城市", "住在波尔图", "我现在住在根特。"),
    ("现居地", "波尔图", "我上个月搬到根特了。"),
    ("工作单位", "宁远水务", "我跳槽到海川了。"),
    ("职务", "工程师", "我现在是产品经理。"),
    ("代码编辑器", "vim", "我的编辑器换成 Zed 了。"),
]


def say(work: Workspace, text: str) -> None:
    session = work.sessions.start("talk")
    for role, said in (("user", text), ("assistant", "ok")):
        session.turn(role, said)
    session.end("ok")
    work.keeper.extract(backend="rules", now=True)


def live(work: Workspace) -> list[str]:
    return [one.text for one in Workspace(work.root).facts("user")]


@pytest.mark.parametrize(("name", "value", "said"), SAID)
def test_what_the_user_says_replaces_the_value_under_any_name(make: Make, name: str, value: str, said: str) -> None:
    work = make("zh" if "。" in said else "en")
    work.facts.set("user", name, value, at="2026-01-05")
    say(work, said)
    (now,) = live(work)
    assert value not in now
    (was,) = [one for one in Workspace(work.root).facts("user", before=True) if not one.live]
    assert was.text == value
    assert was.superseded_by


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("住址", "lives_in"), ("住在", "city"), ("home", "城市"), ("雇主", "employer"), ("role", "职务"),
        ("dob", "生日"), ("time zone", "时区"), ("allergies", "过敏"), ("age", "年龄"), ("home address", "地址"),
        ("text editor", "编辑器"),
    ],
)  # fmt: skip
def test_both_languages_have_one_key_for_a_property(make: Make, one: str, other: str) -> None:
    for lang in ("en", "zh"):
        words = fact_words(make(lang).config)
        assert words.predicate(one) == words.predicate(other)
        assert words.is_many(one) == words.is_many(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("home", "home address"),
        ("city", "hometown"),
        ("住址", "老家"),
        ("phone", "手机"),
        ("city", "birth city"),
        ("job", "employer"),
    ],
)
def test_properties_that_differ_keep_two_keys(make: Make, one: str, other: str) -> None:
    words = fact_words(make("en").config)
    assert words.predicate(one) != words.predicate(other)


@pytest.mark.parametrize("name", ["likes", "过敏", "allergy", "languages", "技能", "project"])
def test_of_some_properties_several_values_hold(make: Make, name: str) -> None:
    work = make("en")
    for value in ("the first of them", "another one of these"):
        work.facts.set("user", name, value)
    assert len(live(work)) == 2


def test_a_line_from_an_editor_waits_for_the_user(make: Make) -> None:
    work = make("en", {"facts/user.md": "# user\n\n## Now\n\n- 2026-01-05: lives in Porto [predicate:: city]\n"})
    say(work, "I moved to Ghent last week.")
    assert live(work) == ["lives in Porto"]
    (item,) = work.inbox.list()
    assert "Ghent" in item.text
    assert work.inbox.accept([item.key])[0].status == "done"
    (moved,) = live(work)
    assert moved.startswith("moved to Ghent last week (")


def test_an_agent_may_update_what_the_user_set_and_nothing_that_they_wrote_by_hand(make: Make) -> None:
    work = make("en")
    work.facts.set("user", "city", "lives in Porto", at="2026-01-05")
    given = {"subject": "user", "predicate": "home", "content": "lives in Ghent"}
    assert work.call("memory_fact", given, actor="kim")["status"] == "done"
    assert live(work) == ["lives in Ghent"]
    path = Path(work.root, "facts/user.md")
    path.write_text(path.read_text("utf-8").replace("lives in Ghent", "lives in Braga"), "utf-8")
    assert work.call("memory_fact", given, actor="kim")["status"] == "waiting"
    assert live(work) == ["lives in Braga"]


def test_a_permanent_line_waits_even_for_what_is_said(make: Make) -> None:
    work = make("en")
    work.facts.set("user", "city", "lives in Porto", at="2026-01-05", priority="permanent")
    say(work, "I moved to Ghent last week.")
    assert live(work) == ["lives in Porto"]
    assert "Ghent" in Path(work.root, "inbox.md").read_text("utf-8")
