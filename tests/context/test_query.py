"""A pack answers its query: the present value of what it asks for comes first, then what recall finds."""

from __future__ import annotations

import re

import pytest
from conftest import Make

from mdmem.workspace import Workspace

FILE = "agent_file"  # stands in a file, where nobody asks
FACTS = (
    ("user", "city", "Porto", "2026-01-02"),
    ("user", "city", "Ghent", "2026-02-10"),
    ("project", "deploy", "we deploy with Jenkins on Fridays", "2026-01-03"),
    ("project", "deploy", "we deploy with GitHub Actions", "2026-02-11"),
    ("user", "编辑器", "Helix", "2026-02-01"),
    ("Marit", "city", "Oslo", "2026-02-01"),
    ("user", "cat", "Sesame", "2026-02-01"),
)
LINES = "# Memory\n\n## Notes\n\n- 2026-01-03: we deploy with Jenkins on Fridays\n- 2026-01-04: I live near the river\n"


def asked(make: Make, lang: str = "en") -> Workspace:
    work = make(lang, {"MEMORY.md": LINES})
    for subject, predicate, text, day in FACTS:
        work.facts.set(subject, predicate, text, at=day)
    return Workspace(work.root)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("where do I live?", "Ghent"),
        ("Which city do I live in now?", "Ghent"),
        ("我住在哪个城市？", "Ghent"),
        ("how do we deploy?", "we deploy with GitHub Actions"),
        ("我用什么编辑器？", "Helix"),
        ("Which editor do I use?", "Helix"),
        ("Where does Marit live?", "Oslo"),
        ("what is the name of my cat?", "Sesame"),
    ],
)
def test_every_recipe_answers_with_the_present_value_first(make: Make, query: str, first: str) -> None:
    work = asked(make)
    for name in work.recipes().recipes:
        if name == FILE:
            continue
        pack = work.pack(name, query=query)
        part = pack.part("dynamic")
        assert part, name
        assert first in pack.text, name
        lines = [line for line in part.text.split("\n") if line.startswith("- ")]
        if first not in part.text:  # a part of more weight shows it
            assert any(first in (left.text or "") for left in part.left), name
        else:
            assert first in lines[0], (name, part.text)
        assert part.tokens <= (part.budget or 0)
        old = [line for line in lines if "Jenkins" in line]
        assert all("GitHub Actions" in line for line in old), name


def test_what_the_query_does_not_name_is_not_given(make: Make) -> None:
    work = asked(make)
    for query in ("Where does Marit live?", "write a quicksort in Go", "how do we deploy?"):
        part = work.pack("chat", query=query).part("dynamic")
        assert part
        assert "Ghent" not in part.text
        assert "Helix" not in part.text


def test_a_question_for_the_past_is_left_to_recall(make: Make) -> None:
    part = asked(make).pack("chat", query="Where did I live before?").part("dynamic")
    assert part
    assert not part.text.partition("- ")[2].startswith("city: Ghent")


def test_a_chat_answers_what_the_user_said_last(make: Make) -> None:
    """Without a query, the last words of the user in the rounds are one."""
    work = asked(make)
    said = [("user", "Hello."), ("assistant", "Hello!"), ("user", "Where do I live, by the way?")]
    for name in ("default", "chat"):
        assert "Ghent" in work.pack(name, rounds=said).text, name
        part = work.pack(name, rounds=[*said, ("assistant", "In a town.")]).part("dynamic")
        assert part
        assert not part.text, "it is answered"


def test_a_fact_is_given_once(make: Make) -> None:
    text = asked(make).pack("chat", query="how do we deploy?").text
    lines = [line for line in text.split("\n") if line.startswith("- we deploy with GitHub Actions")]
    assert len(lines) == 1


RULE = "Please always answer in kilometres."
STATED = {"city": "lives in Tromsø", "boat": "keeps a blue dinghy at the pier", "sister": "sister Ylva moved to Narvik"}


@pytest.fixture
def stated(make: Make) -> Workspace:
    stated = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-01: the pier closes in October\n"})
    for predicate, text in STATED.items():
        stated.facts.set("user", predicate, text)
    stated.facts.set("user", "rule", RULE, type="rule", priority="permanent")
    stated.portrait.refresh()
    return Workspace(stated.root)


def lines(text: str) -> list[str]:
    """Return what the lines of a pack say, without their marks and days."""
    rows = (re.sub(r"^(?:- )?(?:\d{4}-\d\d-\d\d: )?", "", line).strip() for line in text.split("\n"))
    return [row for row in rows if row and not row.startswith("#")]


@pytest.mark.parametrize("recipe", ["agent", "layered", "agent_file"])
@pytest.mark.parametrize("query", ["", "where does the sister live?"])
def test_each_fact_stands_in_a_pack_once(stated: Workspace, recipe: str, query: str) -> None:
    pack = stated.pack(recipe, query=query)
    said = lines(pack.text)
    for text in (*STATED.values(), RULE):
        assert said.count(text) == 1, pack.text
    assert "the pier closes in October" in said
    assert {left.why for left in pack.left if left.text.startswith("- ") and "Tromsø" in left.text} == {"repeated"}


def test_a_line_by_hand_stays_where_it_is_whatever_says_the_same(make: Make) -> None:
    stated = make(
        "en",
        {
            "USER.md": "# User\n\n## Basics\n\n- lives in Tromsø\n",
            "MEMORY.md": "# Memory\n\n## Notes\n\n- lives in Tromsø\n",
        },
    )
    pack = stated.pack("agent", query="where does the user live?")
    assert lines(pack.text).count("lives in Tromsø") == 2


@pytest.mark.parametrize("budget", range(10, 160, 7))
def test_nothing_is_left_out_for_a_line_that_is_not_shown(stated: Workspace, budget: int) -> None:
    pack = stated.pack("agent", budget=budget)
    assert pack.tokens <= budget
    said = lines(pack.text)
    assert all(lines(left.text)[0].split(" [")[0] in said for left in pack.left if left.why == "repeated")


def test_a_recall_keeps_no_day_without_a_line(stated: Workspace) -> None:
    pack = stated.pack("layered", query="where does the sister live?")
    part = pack.part("dynamic")
    assert part
    assert not re.search(r"\d{4}-\d\d-\d\d:\s*(?:\Z|\n\d{4}-)", part.text)
    assert part.why == ("" if part.text else "repeated")
