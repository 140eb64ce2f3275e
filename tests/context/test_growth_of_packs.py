"""The size of a pack stays flat over the months: what is made from facts has its room, and the faded leaves first."""

from __future__ import annotations

import datetime as dt

import pytest
from conftest import Make

from mdmem.cli.commands.context import print_pack
from mdmem.context.model import Pack
from mdmem.workspace import Workspace

RECIPES = ("agent", "layered", "default", "agent_file", "agent_compact", "chat", "minimal")
FIRST = dt.date(2026, 1, 1)
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "knoll", "ledge")


def days(work: Workspace, first: int, last: int) -> Workspace:
    """Let each day bring a fact and a rule, and renew the portrait at the end."""
    for number in range(first, last):
        day = (FIRST + dt.timedelta(days=number)).isoformat()
        one, other = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) + 3]
        work.facts.set("user", f"{one} {other} crate", f"it holds {number + 10} brass hooks of the {one} yard", at=day)
        work.facts.set(
            "user",
            "rule",
            f"Always log crate {one} {other} in the blue book before noon, and sign it.",
            type="rule",
            at=day,
        )
    work.portrait.refresh("user", "memory")
    return Workspace(work.root)


def besides_rules(pack: Pack) -> int:
    """Return the tokens of a pack but those of the rules, which have a room of their own."""
    rules = pack.part("standing_rules")
    return pack.tokens - (rules.tokens if rules else 0)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_pack_is_no_larger_after_two_months_than_after_one(make: Make) -> None:
    work = make("en", {"USER.md": "# About\n\n## Basics\n\n- Ann, a lock keeper\n"})
    work = days(work, 0, 30)
    month = {name: besides_rules(work.pack(name)) for name in RECIPES}
    work = days(work, 30, 60)
    for name in RECIPES:
        pack = work.pack(name)
        assert besides_rules(pack) <= 1.1 * month[name], name
        assert pack.tokens <= 1100, name
        growing = {part.name: part.grown for part in pack.parts if part.grown}
        assert growing["standing_rules"] <= 400
        assert sum(growing.values()) <= 900
        for part in pack.parts:
            if part.name in ("about_user", "profile"):
                assert "Ann, a lock keeper" in part.text, "what a person wrote does not fade"
                assert [left for left in part.left if left.why == "faded"]


def test_the_explanation_lists_what_grows(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    work = days(make("en"), 0, 3)
    print_pack(work.pack("agent"), "en", as_json=False, explain=True)
    last = capsys.readouterr().out.strip().split("\n")[-1]
    assert last.startswith("tokens of lines that grow with the memory: Rules the user has set ")
    assert "User " in last


def test_the_last_lines_of_each_section_fade_first(make: Make) -> None:
    work = make("en", settings="[part.about_user]\ngenerated = 40\n")
    for number, (predicate, text) in enumerate(
        (("name", "Ann of the lock"), ("address", "4 Mill Lane"), ("job", "keeps a lock"))
    ):
        work.facts.set("user", predicate, text, at=f"2026-02-0{number + 1}")
        work.facts.set("user", "likes", f"green tea of kind {number}", type="preference", at=f"2026-02-0{number + 1}")
    work.portrait.refresh("user")
    part = Workspace(work.root).pack("agent").part("about_user")
    assert part
    faded = [left.text for left in part.left if left.why == "faded"]
    assert faded
    for title in ("Basics", "Preferences"):
        assert title in part.text, "every section keeps its best line"
