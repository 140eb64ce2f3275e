"""The rules that the user has set stand in every recipe that carries memory: first, each once, within their tokens."""

from __future__ import annotations

import itertools

import pytest
from conftest import Make

from mdmem.workspace import Workspace

RULES = (
    "Never push to main without asking me.",
    "Answer in metric units.",
    "提交前先跑测试。",
    "不要碰 data/raw 里的文件。",
    "Use pnpm, not yarn.",
)
TITLE = "Rules the user has set"
BEFORE = {"prompt", "contract", "soul", "character", "identity", "core_rules", "tooling", "persona", "runtime", "rules"}


def with_rules(make: Make, *rules: str, files: dict[str, str] | None = None, settings: str = "") -> Workspace:
    work = make("en", files, settings=settings)
    for day, text in enumerate(rules, 1):
        work.facts.set("user", "rule", text, type="rule", at=f"2026-02-{day:02}")
    return Workspace(work.root)


def test_every_recipe_with_memory_shows_each_rule_once_and_before_the_memories(make: Make) -> None:
    files = {"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-01: the cat is called Sesame\n"}
    work = with_rules(make, *RULES, files=files)
    for name, recipe in work.recipes().recipes.items():
        pack = work.pack(name, prompt="You are careful.")
        assert all(pack.text.count(rule) == 1 for rule in RULES), name
        names = [slot.name for slot in recipe.slots]
        assert set(names[: names.index("standing_rules")]) <= BEFORE, name


def test_a_rule_without_the_type_counts_if_its_property_says_so(make: Make) -> None:
    work = make("en")
    for predicate, text in (("rule", RULES[0]), ("规则", RULES[2]), ("city", "lives in Oslo, where the rule is snow")):
        work.facts.set("user", predicate, text)
    part = Workspace(work.root).pack("chat").part("standing_rules")
    assert part
    assert [rule in part.text for rule in (RULES[0], RULES[2], "Oslo")] == [True, True, False]


def test_what_has_no_room_is_counted_and_lasting_rules_come_before_newer_ones(make: Make) -> None:
    work = make("en", settings="[part.standing_rules]\ntokens = 90\n")
    work.facts.set("user", "rule", "Never write to the drawer.", type="rule", priority="permanent", at="2026-01-01")
    things = ("lid", "box", "lamp", "door", "gate")
    many = [f"Always check the {one} before you open the {other}." for one, other in itertools.combinations(things, 2)]
    for text in many:
        work.facts.set("user", "rule", text, type="rule", at="2026-02-03")
    pack = Workspace(work.root).pack("chat")
    part = pack.part("standing_rules")
    assert part
    assert part.tokens <= 90
    assert "drawer" in part.text
    hidden = [text for text in many if text not in part.text]
    assert hidden
    assert f"({len(hidden)} more not shown, see facts/user.md)" in part.text
    assert {left.text for left in part.left if left.why == "budget"} == {f"- {text}" for text in hidden}


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("Do not run xcodebuild.", "Do not run xcodebuild. The user will handle it."),
        ("Use tabs.", "Please keep lines short. Use tabs."),
        ("不要碰 data/raw。", "不要碰 data/raw。那里是原始数据。"),
        ("先跑测试。", "先跑测试。再提交。"),
        ("Answer in English", "answer in English!  Keep it brief."),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_a_rule_that_another_one_states_whole_is_shown_once(make: Make, short: str, long: str, swapped: bool) -> None:
    given = (long, short) if swapped else (short, long)
    work = with_rules(make, *given)
    file = f"{work.root}/facts/user.md"
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    if short not in text.replace(long, ""):  # the facts joined them already
        with open(file, "w", encoding="utf-8") as opened:
            line = f"- 2026-01-01: {short} [predicate:: rule] [type:: rule]"
            opened.write(text.replace("## Before", f"{line}\n\n## Before"))
    pack = Workspace(work.root).pack("minimal")
    part = pack.part("standing_rules")
    assert part
    assert part.text.count("\n- ") == 1
    assert long in part.text
    assert [left.why for left in part.left] == ["repeated"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use port 8080 for tests.", "Use port 8081 for tests."),
        ("Push on Fridays.", "Do not push on Fridays."),
        ("Ask Anna first.", "Ask Bob first."),
        ("周一不要发布。", "周五不要发布。"),
        ("可以直接合并。", "不可以直接合并。"),
    ],
)
def test_rules_that_differ_in_a_number_a_name_or_a_negation_are_both_shown(make: Make, one: str, other: str) -> None:
    text = with_rules(make, one, other).pack("chat").text
    assert one in text
    assert other in text


def test_a_rule_of_another_subject_says_of_what_it_is(make: Make) -> None:
    work = make("en")
    work.facts.set("riverlog", "rule", "Never round the gauge readings.", type="rule")
    work.facts.set("atlas", "rule", "atlas is only read from 8 to 10.", type="rule")
    text = Workspace(work.root).pack("full").text
    assert "- riverlog: Never round the gauge readings." in text
    assert "- atlas is only read" in text


def test_an_ended_rule_is_shown_nowhere(make: Make) -> None:
    work = make("en")
    work.facts.set("user", "editor rule", "Never use vim.", type="rule", at="2026-02-01")
    work.facts.set("user", "editor rule", "Use any editor but ed.", type="rule", at="2026-02-02")
    for name in work.recipes().recipes:
        text = Workspace(work.root).pack(name).text
        assert "any editor" in text
        assert "vim" not in text


def test_memory_that_is_off_gives_no_rule(make: Make) -> None:
    root = with_rules(make, *RULES).root
    with open(f"{root}/mdmem.toml", "a", encoding="utf-8") as settings:
        settings.write("[memory]\nenabled = false\n")
    work = Workspace(root)
    assert not any(rule in work.pack(name).text for name in work.recipes().recipes for rule in RULES)
