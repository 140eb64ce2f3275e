"""Laws of every pack: within its budget, the same bytes again, nothing left out in silence, nothing hidden shown."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make
from forms import many
from hypothesis import Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from context.workspaces import BUDGETS, HIDDEN, RECIPES, TURNS, workspaces
from mdmem.context.model import Pack
from mdmem.text.document import parse
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

EXAMPLES = many(25, 500)  # each is a workspace of its own
GENERATE = [Phase.explicit, Phase.generate]  # a whole workspace would take minutes to shrink
COUNTERS: list[Callable[[str], int]] = [
    len,
    count_tokens,
    lambda text: len(text.encode()),
    lambda text: -(-len(text) // 4),
]


def fresh(make: Make, tmp_path: Path, files: dict[str, str]) -> Workspace:
    shutil.rmtree(tmp_path / "workspace", ignore_errors=True)
    return make("zh", files)


def shown(pack: Pack, text: str) -> bool:
    return " ".join(text.split()) in " ".join(pack.text.split())


@pytest.mark.slow
@examples(max_examples=EXAMPLES, phases=GENERATE)
@given(workspaces(), RECIPES, BUDGETS, TURNS, st.sampled_from(COUNTERS), st.sampled_from([None, "scout"]))
def test_every_pack_keeps_its_budget_and_reports_the_rest(  # type: ignore[no-untyped-def]
    make, tmp_path, files, recipe, budget, turns, counter, agent
) -> None:
    workspace = fresh(make, tmp_path, files)
    result = "x" * 5000 if budget % 2 else "12 passed"

    def again() -> Pack:
        return workspace.pack(
            recipe, budget=budget, rounds=turns, counter=counter, agent=agent, prompt="你是助手。\n\n做事先问。",
            tool_result=result,
        )  # fmt: skip

    pack = again()
    assert counter(pack.text) == pack.tokens <= budget
    assert again() == pack
    assert "\n\n".join(message["content"] for message in pack.messages) == pack.text
    assert "never show this" not in pack.text
    assert HIDDEN not in pack.text
    assert "[待学习]" not in pack.text
    assert_reported(workspace, pack, files, agent)


def assert_reported(workspace: Workspace, pack: Pack, files: dict[str, str], agent: str | None) -> None:
    """Every entry of a file that the recipe shows is in the pack, or in the report by its line."""
    slots = {slot.source: slot for slot in workspace.recipes().get(pack.recipe).slots}
    reported = {(left.path, left.line) for left in pack.left}
    whole = {left.path for left in pack.left if not left.line}
    for name, text in files.items():
        document = parse(text.encode())
        template = workspace.config.schemas.match(name, document)
        assert template
        slot = slots.get(template.kind)
        own = agent is not None and f"agents/{agent}/{name.rpartition('/')[2]}" in files
        if slot is None or ("/" in name) != own or (agent and slot.owner == "agent"):
            continue
        parts = [one for one in workspace.recipes().get(pack.recipe).slots if one.source == template.kind]
        named = {template.name(one) for part in parts for one in part.only} if all(one.only for one in parts) else None
        shown_sections = [one for one in document.sections if named is None or template.name(one.title) in named]
        hidden = {one for section in document.sections if section not in shown_sections for one in section.entries}
        for entry in document.entries:
            if entry in hidden:
                continue  # in a section that no part of the recipe shows
            body = re.sub(r"\s*\[source:: [^\]]*\]|\s*\^k7f3", "", entry.text)
            told = (name, entry.line + 1) in reported or name in whole
            assert told or shown(pack, body), (name, entry.text, pack.text)


@pytest.mark.slow
@examples(max_examples=EXAMPLES, phases=GENERATE)
@given(workspaces(), RECIPES, BUDGETS)
def test_rules_stay_longer_than_anything_else(make, tmp_path, files, recipe, budget) -> None:  # type: ignore[no-untyped-def]
    """In one part, no rule is cut for its tokens while something that is none stays."""
    workspace = fresh(make, tmp_path, files)
    pack = workspace.pack(recipe, budget=budget, counter=len)
    for part in pack.parts:
        lost = [left for left in part.left if left.why == "budget" and "必须" in left.text]
        if part.text and lost and part.name not in ("prompt", "contract"):
            entries = [line for line in part.text.splitlines() if line.startswith("- ")]
            assert all("必须" in line or part.name == "pins" for line in entries), part


@pytest.mark.slow
def test_deleting_the_state_folder_changes_no_pack(make: Make, tmp_path: Path) -> None:
    workspace = make("zh", {"FASTMEMO.md": "## 自我感知\n\n- 先问\n"})
    workspace.add("MEMORY.md", ["2026-02-13：面试"], section="重要事件")
    recipes = workspace.recipes().recipes
    before = {name: workspace.pack(name) for name in recipes}
    assert (tmp_path / "workspace" / ".mdmem").is_dir()
    shutil.rmtree(tmp_path / "workspace" / ".mdmem")
    again = make("zh")
    assert {name: again.pack(name) for name in recipes} == before


@pytest.mark.slow
@pytest.mark.parametrize("budget", [0, 1, 10])
def test_a_budget_too_small_for_a_title_gives_no_part(make: Make, budget: int) -> None:
    pack = make("zh", {"FASTMEMO.md": "## 自我感知\n\n- 先问\n"}).pack("chat", budget=budget, counter=len)
    assert pack.text == ""
    assert {left.text for left in pack.left} >= {"- 先问"}


QUESTION = "Which of the two ferries still takes bicycles after nine in the evening?"
RULES = "\n".join(f"{n}. Answer in one sentence, name the source, and never guess a number." for n in range(25))


def pins(count: int, size: int) -> str:
    words = "the ferry timetable of the north quay is kept by the harbour office and changes with the season "
    rows = (f"{n} {words * 9}"[:size].strip() for n in range(count))
    return "".join(
        f"- {row} [type:: conclusion] [source:: chat:{n}] [created:: 2026-02-19]\n" for n, row in enumerate(rows)
    )


@pytest.mark.parametrize("recipe", ["chat", "tool_loop", "default"])
@pytest.mark.parametrize("budget", [600, 1500, 8000])
def test_pins_leave_room_for_the_question_the_rounds_and_the_result(make: Make, recipe: str, budget: int) -> None:
    """Law 16: twenty pins of 490 characters, a prompt of 500 tokens."""
    workspace = make("en", {"PINS.md": pins(20, 490), "FASTMEMO.md": "## Self\n\n- calm\n"})
    rounds = [("user", "Good morning."), ("assistant", "Good morning, what is it today?"), ("user", QUESTION)]
    pack = workspace.pack(recipe, budget=budget, prompt=RULES, rounds=rounds, tool_result="2 ferries, 14 departures")
    assert pack.tokens <= budget
    assert QUESTION in pack.text
    assert "what is it today?" in pack.text
    assert recipe != "tool_loop" or "14 departures" in pack.text
    shown = pack.part("pins")
    assert shown
    assert shown.tokens <= 3000


@pytest.mark.parametrize("budget", [200, 400])
def test_of_a_question_too_long_for_the_budget_the_beginning_is_shown(make: Make, budget: int) -> None:
    said = "船几点开？" + "码头上有两条船，一条去岛上，一条沿河走，票价不一样，" * 20
    pack = make("zh", {"PINS.md": pins(20, 490)}).pack("chat", budget=budget, prompt=RULES, rounds=[("user", said)])
    assert "**user**: 船几点开？" in pack.text
    assert pack.tokens <= budget


def test_what_is_past_its_time_is_not_packed_and_told(make: Make) -> None:
    """G023; today is 2026-02-20."""
    old = "- the bridge is closed [type:: constraint] [source:: chat:1] [created:: 2026-02-01] [ttl:: 7d]\n"
    new = "- the lock opens at six [type:: constraint] [source:: chat:2] [created:: 2026-02-18] [ttl:: 7d]\n"
    pack = make("en", {"PINS.md": old * 1 + new}).pack("chat")
    assert "lock opens" in pack.text
    assert "bridge" not in pack.text
    assert [(left.path, left.line, left.why) for left in pack.left] == [("PINS.md", 1, "expired")]
    assert [pin["summary"] for pin in pack.state["pins"]] == ["the lock opens at six"]


PRINCIPLE = (
    "Tell the reader first what was decided and by whom, then what it rests on, then what would change it, and where "
    "two sources disagree name both of them with their dates, because whoever reads this next year was not in the room "
    "and has nobody left to ask about it; leave out how the text came about, and how long it took, and who liked it."
)


def test_a_long_principle_is_not_dropped_while_tokens_are_free(make: Make) -> None:
    """K121: identity has 100 tokens, the rest of the 3,000 is free."""
    assert count_tokens(PRINCIPLE) > 60
    soul = f"## Character\n\n- quiet\n- {PRINCIPLE}\n- {PRINCIPLE.replace('reader', 'visitor')}\n"
    workspace = make("en", {"SOUL.md": soul, "AGENT.md": f"## Duties\n\n- {PRINCIPLE.replace('reader', 'guest')}\n"})
    pack = workspace.pack("layered")
    assert not [left for left in pack.left if left.why == "budget"]
    assert pack.text.count("nobody left to ask") == 3
    tight = workspace.pack("layered", budget=150)
    assert tight.tokens <= 150


@pytest.mark.parametrize("recipe", ["layered", "default", "pet", "chat"])
def test_no_end_of_a_comment_reaches_a_model(make: Make, recipe: str) -> None:
    """K120, K132: nested, stray and lone ends; an arrow stays one."""
    text = (
        "# Soul\n\n<!-- outer <!-- inner --> rest -->\n\n-->\n\n## Character\n\n<!--\nfor the author\n-->\n-->\n\n"
        "- read --> write --> verify\n- calm -->\n- <!-- note --> patient -->\n"
    )
    files = {"SOUL.md": text, "USER.md": text, "MEMORY.md": text, "FASTMEMO.md": text.replace("Character", "Self")}
    pack = make("en", files).pack(
        recipe, prompt="Be kind. --> <!-- x -->", rounds=[("user", "a --> b")], texts={"runtime": "linux -->"}
    )
    assert "-->" not in pack.text
    assert "read → write → verify" in pack.text
    assert "for the author" not in pack.text


def test_fields_are_shown_only_where_a_recipe_asks_in_prose_too(make: Make) -> None:
    memory = "## Notes\n\nThe key is at Ana's [source:: chat:3] ^k1\n\n- the cat eats fish [importance:: 0.9] ^k2\n"
    text = make("en", {"MEMORY.md": memory, "USER.md": memory}).pack("default").text
    assert "The key is at Ana's\n" in text
    assert "::" not in text
    assert "^k" not in text


SECTIONS = ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池")


MIXED = {"自我感知": [120] * 6, "用户感知": [130] * 6, "环境感知": [420], "历史感知": [520], "动态context池": [150, 30]}


@pytest.mark.parametrize("rule", ["", "必须先问："])
@pytest.mark.parametrize("recipe", ["chat", "chat_v0", "tool_loop", "default"])
@pytest.mark.parametrize("sizes", [
    MIXED, {name: [150] * 10 for name in SECTIONS}, {name: [600] * 10 for name in SECTIONS},
    {"自我感知": [170] * 10, "动态context池": [20] * 10}, {"动态context池": [420] * 10},
    {name: [4] for name in SECTIONS},
])  # fmt: skip
def test_every_region_shows_an_entry_while_there_is_room(
    make: Make, sizes: dict[str, list[int]], recipe: str, rule: str
) -> None:
    """F042, F059, C8-5: a region with one long entry is shown before another shows its second."""
    rows = {
        name: "".join(
            f"- {n}号事：{rule if size < 140 else ''}{'河水涨落' * size}"[: size + 2] + "\n"
            for n, size in enumerate(own)
        )
        for name, own in sizes.items()
    }
    text = "".join(f"## {name}\n\n{rows.get(name, '')}\n" for name in SECTIONS)
    pack = make("zh", {"FASTMEMO.md": text}).pack(recipe)
    shown = [part.text for part in pack.parts if part.name in ("fastmemo", "pool") and part.text]
    assert sum(map(len, shown)) <= 1800
    whole = "\n".join(shown).replace("# 过去总结", "## 动态context池")
    there_is_room = sum(map(min, sizes.values())) <= 1500
    for name in sizes:
        region = whole.partition(f"## {name}")[2].partition("\n## ")[0]
        assert "号事" in region or (not there_is_room and "条未显示" in region), name


@pytest.mark.parametrize("current", [1, 37, 150, 299, 300])
@pytest.mark.parametrize(("recipe", "part"), [("tool_loop", "plan"), ("full", "task")])
def test_the_view_of_a_plan_is_centred_on_the_current_step(make: Make, recipe: str, part: str, current: int) -> None:
    mark = {current: " ← current"}
    steps = "".join(
        f"- [{'x' if n < current else ' '}] measure the depth at buoy number {n}{mark.get(n, '')}\n"
        for n in range(1, 301)
    )
    task = f"## Current state\n\n- Pointer: {current}\n- Phase: executing\n\n## TODO list\n\n{steps}"
    found = make("en", {"task_process.md": task}).pack(recipe).part(part)
    assert found
    assert f"number {current} ← current" in found.text
    assert f"number {min(300, current + 1)}" in found.text
    assert len(found.text) <= 5100
    assert found.left


def test_a_pack_without_a_name_shows_what_a_person_keeps(make: Make) -> None:
    files = {
        "MEMORY.md": "## Notes\n\n- 2026-02-01: the cat is called Sesame\n",
        "USER.md": "## Preferences\n\n- short answers\n",
    }
    workspace = make("en", files)
    pack = workspace.pack(rounds=[("user", "hello")])
    assert pack.recipe == "default"
    assert all(said in pack.text for said in ("Sesame", "short answers", "hello"))
    assert "Sesame" not in workspace.pack("chat").text


def test_what_would_fill_a_part_is_named(make: Make) -> None:
    pack = make("en").pack("chat")
    assert pack.text == ""
    assert {part.name: part.filled_by for part in pack.parts} == {
        "prompt": "prompts/prompt.md", "standing_rules": "facts/", "fastmemo": "FASTMEMO.md",
        "pool": "FASTMEMO.md", "pins": "PINS.md", "open_questions": "SCRATCHPAD.md", "notebook": "NOTEBOOK.md",
        "window": "sessions/", "dynamic": "--query", "recent": "sessions/",
    }  # fmt: skip
