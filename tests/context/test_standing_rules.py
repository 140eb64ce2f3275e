"""The rules that the user has set stand in every recipe that carries memory: first, each once, within their tokens."""

from __future__ import annotations

import itertools
from pathlib import Path

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
BEFORE = {
    "prompt", "contract", "soul", "character", "identity", "core_rules", "tooling", "persona", "runtime",
    "policies", "rules",
}  # fmt: skip


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


def test_every_recipe_with_memory_shows_an_open_question_of_an_earlier_session_once(make: Make) -> None:
    asked = "Which workshop repairs the bellows?"
    work = make("en")
    session = work.sessions.start("the organ")
    session.turn("user", asked)
    session.turn("assistant", "Nobody has decided that.")
    session.end()
    recipes = work.recipes().recipes
    shown = {name: Workspace(work.root).pack(name).text.count(asked) for name in recipes}
    assert shown == {name: int(name != "agent_file") for name in recipes}


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


# What follows holds for rules wherever they stand: in facts, in files of the person, in what was said just now.


def recipes_of(work: Workspace) -> dict[str, str]:
    """Return the text that each recipe gives."""
    return {name: Workspace(work.root).pack(name).text for name in work.recipes().recipes}


LINES = {
    "MEMORY.md": (
        "# Memory\n\n## Preferences and habits\n\n- 2026-02-03: Never merge on a Friday.\n- Likes green tea.\n"
        "\n## To-dos and promises\n\n- Never forget the milk of Tuesday.\n"
    ),
    "USER.md": (
        "# About\n\n## Basics\n\n- Call me Ann, never Anna.\n- Ann works from Ghent.\n\n回答时一律用公制单位。\n"
    ),
    "FASTMEMO.md": "# Surface\n\n## Self\n\n- Always answer in English.\n- I talk too much.\n",
}


def test_rules_in_the_files_of_the_person_stand_in_every_recipe_once(make: Make) -> None:
    work = make("en", LINES)
    work.remember("Use tabs, not spaces, from now on.")
    own = ("Never merge on a Friday.", "Call me Ann, never Anna.", "回答时一律用公制单位。")
    rules = (*own, "Always answer in English.", "Use tabs, not spaces, from now on.")
    for name, text in recipes_of(work).items():
        assert [text.count(rule) for rule in rules] == [1] * len(rules), name
        part = Workspace(work.root).pack(name).part("standing_rules")
        assert part, name
        assert not any(other in part.text for other in ("green tea", "Ghent", "milk", "too much")), name


def test_a_sentence_that_the_user_calls_a_rule_is_one_whatever_its_words(make: Make) -> None:
    work = make("en")
    work.remember("Metric units in every table", kind="rule")
    assert all("Metric units in every table" in text for text in recipes_of(work).values())


def test_a_rule_of_a_line_that_has_no_room_stays_where_it_stands(make: Make) -> None:
    work = make("en", LINES, settings="[part.standing_rules]\ntokens = 30\n")
    pack = work.pack("pet")
    part = pack.part("standing_rules")
    assert part
    assert part.text.count("\n- ") < 4
    for rule in ("Never merge on a Friday.", "Call me Ann, never Anna.", "回答时一律用公制单位。"):
        assert pack.text.count(rule) == 1
    places = {left.text: (left.path, left.line) for left in part.left if left.why == "budget"}
    assert all(LINES[path].split("\n")[line - 1].endswith(text[2:]) for text, (path, line) in places.items())


def test_of_long_prose_only_the_sentences_that_are_rules_stand_first(make: Make) -> None:
    prose = "Ann came to Ghent in 2019 and has a boat there. " * 6 + "Never call her before noon."
    work = make("en", {"USER.md": f"# About\n\n## Basics\n\n{prose}\n"})
    part = work.pack("chat").part("standing_rules")
    assert part
    assert "- Never call her before noon." in part.text
    assert "boat" not in part.text


def test_a_rule_of_a_session_that_is_no_fact_yet_stands_in_every_recipe(make: Make) -> None:
    """A session of Codex is never told to end, and one that ends is worked on later."""
    work = make("en")
    session = work.sessions.start("the parser", agent="codex")
    session.turn("user", "From now on always run pytest -x first. Can you look at the parser?")
    session.turn("assistant", "Never use lex, I say.")
    session.turn("user", "Never use emojis. Never mind. Only the parser matters today.")
    session.turn("assistant", "Fine.")
    for name, text in recipes_of(work).items():
        part = Workspace(work.root).pack(name).part("standing_rules")
        assert part, name
        assert part.text.count("From now on always run pytest -x first.") == 1, name
        assert not any(other in part.text for other in ("look at the parser", "lex", "emojis")), name
        assert text
    Workspace(work.root).keeper.extract()
    again = Workspace(work.root).pack("chat").part("standing_rules")
    assert again
    assert again.text.count("From now on always run pytest -x first.") == 1


def test_a_rule_that_the_user_lifts_in_the_running_session_is_not_given_again(make: Make) -> None:
    work = with_rules(make, "Never use emojis in replies.", "Answer in metric units.")
    session = work.sessions.start("a letter", agent="claude")
    session.turn("user", "Emojis are fine now, you can use them again.")
    session.turn("assistant", "Fine.")
    text = Workspace(work.root).pack("agent_compact").text
    assert "Never use emojis" not in text
    assert "metric" in text


PROJECTS = {"USER.md": "# About\n\n## Projects\n\n- riverlog: gauges of the Leie\n"}
FOLDERS = ("shop/web/src", "shop/web", "shop", "shop/src", "shop/src/gen", "riverlog/src", "riverlog", "other", ".")
PLACED = {
    "In the folder web/ use pnpm, never npm.": ("shop/web", "shop", "shop/web/src"),
    "Always use pnpm in the web folder.": ("shop/web", "shop", "shop/web/src"),
    "Never commit generated files under src/gen/.": ("shop/src/gen", "shop"),
    "In the riverlog project never round the readings.": ("riverlog", "riverlog/src", "."),
    "在 riverlog 项目里一律用英文注释。": ("riverlog", "riverlog/src", "."),
    "在 web/ 里不要用 npm。": ("shop/web", "shop", "shop/web/src"),
}
EVERYWHERE = (
    "Never push to main in this project.", "Do not touch data/raw.", "In every project run the tests first.",
    "Always answer in yes/no form.", "在 Python 项目里一律用 uv。", "Never delete files in the root folder.",
)  # fmt: skip


@pytest.mark.parametrize("rule", PLACED)
def test_a_rule_of_a_folder_or_project_is_shown_where_it_applies(make: Make, tmp_path: Path, rule: str) -> None:
    work = with_rules(make, rule, *EVERYWHERE, files=PROJECTS)
    for folder in FOLDERS:
        (tmp_path / "code" / folder).mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        for name in work.recipes().recipes if folder == FOLDERS[0] else ("agent", "chat"):
            pack = Workspace(work.root).pack(name, folder=str(tmp_path / "code" / folder))
            assert (rule in pack.text) == (folder in PLACED[rule]), (name, folder)
            assert all(other in pack.text for other in EVERYWHERE), (name, folder)
            part = pack.part("standing_rules")
            assert part
            left = [left.text for left in part.left if left.why == "elsewhere"]
            assert left == ([] if folder in PLACED[rule] else [f"- {rule}"])
    assert rule in Workspace(work.root).pack("chat").text, "without a folder it is not known where the agent works"


def test_a_rule_about_a_project_of_the_user_is_a_rule_of_that_project(make: Make, tmp_path: Path) -> None:
    work = make("en", PROJECTS)
    work.facts.set("riverlog", "rule", "Never round the gauge readings.", type="rule")
    work.facts.set("atlas", "rule", "Never print it in colour.", type="rule")
    work.facts.set("user", "project", "atlas, a book of maps")
    work.facts.set("Bob", "rule", "Never call before noon.", type="rule")
    for folder in ("riverlog", "atlas", "other"):
        (tmp_path / folder).mkdir()
        text = Workspace(work.root).pack("agent", folder=str(tmp_path / folder)).text
        shown = ["gauge readings." in text, "colour" in text, "noon" in text]
        assert shown == [folder == "riverlog", folder == "atlas", True]


def test_rules_of_ended_projects_give_way_first(make: Make) -> None:
    work = make("en", settings="[part.standing_rules]\ntokens = 45\n")
    ended = "- 2026-01-01: atlas, a book of maps [predicate:: project] [superseded:: 2026-02-01]"
    (Path(work.root) / "facts").mkdir(exist_ok=True)
    (Path(work.root) / "facts" / "user.md").write_text(f"# user\n\n## Now\n\n## Before\n\n{ended}\n", "utf-8")
    work.facts.set("atlas", "rule", "Never print atlas in colour.", type="rule", at="2026-02-19")
    things = ("lid", "box", "lamp", "door", "gate", "roof")
    for number, thing in enumerate(things, 1):
        work.facts.set("user", "rule", f"Always check the {thing} first.", type="rule", at=f"2026-02-0{number}")
    text = Workspace(work.root).pack("chat").text
    assert "gate" in text
    assert "colour" not in text
