"""A pack answers its query: the present value of what it asks for comes first, then what recall finds."""

from __future__ import annotations

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
