"""A line that is made from a fact, or recalled, stands in a pack once; what a person wrote is never left out for it."""

from __future__ import annotations

import re

import pytest
from conftest import Make

from mdmem.workspace import Workspace

RULE = "Please always answer in kilometres."
FACTS = {"city": "lives in Tromsø", "boat": "keeps a blue dinghy at the pier", "sister": "sister Ylva moved to Narvik"}


@pytest.fixture
def work(make: Make) -> Workspace:
    work = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-01: the pier closes in October\n"})
    for predicate, text in FACTS.items():
        work.facts.set("user", predicate, text)
    work.facts.set("user", "rule", RULE, type="rule", priority="permanent")
    work.portrait.refresh()
    return Workspace(work.root)


def lines(text: str) -> list[str]:
    """Return what the lines of a pack say, without their marks and days."""
    rows = (re.sub(r"^(?:- )?(?:\d{4}-\d\d-\d\d: )?", "", line).strip() for line in text.split("\n"))
    return [row for row in rows if row and not row.startswith("#")]


@pytest.mark.parametrize("recipe", ["agent", "layered", "agent_file"])
@pytest.mark.parametrize("query", ["", "where does the sister live?"])
def test_each_fact_stands_in_a_pack_once(work: Workspace, recipe: str, query: str) -> None:
    pack = work.pack(recipe, query=query)
    said = lines(pack.text)
    for text in (*FACTS.values(), RULE):
        assert said.count(text) == 1, pack.text
    assert "the pier closes in October" in said
    assert {left.why for left in pack.left if left.text.startswith("- ") and "Tromsø" in left.text} == {"repeated"}


def test_a_line_by_hand_stays_where_it_is_whatever_says_the_same(make: Make) -> None:
    work = make(
        "en",
        {
            "USER.md": "# User\n\n## Basics\n\n- lives in Tromsø\n",
            "MEMORY.md": "# Memory\n\n## Notes\n\n- lives in Tromsø\n",
        },
    )
    pack = work.pack("agent", query="where does the user live?")
    assert lines(pack.text).count("lives in Tromsø") == 2


@pytest.mark.parametrize("budget", range(10, 160, 7))
def test_nothing_is_left_out_for_a_line_that_is_not_shown(work: Workspace, budget: int) -> None:
    pack = work.pack("agent", budget=budget)
    assert pack.tokens <= budget
    said = lines(pack.text)
    assert all(lines(left.text)[0].split(" [")[0] in said for left in pack.left if left.why == "repeated")


def test_a_recall_keeps_no_day_without_a_line(work: Workspace) -> None:
    pack = work.pack("layered", query="where does the sister live?")
    part = pack.part("dynamic")
    assert part
    assert not re.search(r"\d{4}-\d\d-\d\d:\s*(?:\Z|\n\d{4}-)", part.text)
    assert part.why == ("" if part.text else "repeated")
