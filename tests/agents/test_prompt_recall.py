"""What a prompt brings: the lines that are evidence for it, and nothing where the memory knows nothing of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from statistics import mean
from types import ModuleType

import pytest
from conftest import Make
from harness import hook

from mdmem.agents.hooks.hook_state import HookState, read_state, write_state
from mdmem.workspace import Workspace

BENCH = Path(__file__).parent.parent / "bench"
LANDLORD = "房东姓凌，电话 0571 8802 1177"


def given(work: Workspace, name: str, session: str = "s1", **payload: object) -> str:
    """Run a hook in a session that was started, and given nothing."""
    if read_state(work.root, "claude", session) is None:
        write_state(work.root, session, HookState("claude"))
    return hook(work, name, session, "claude", **payload)


def asked(work: Workspace, prompt: str, session: str = "s1") -> str:
    return given(work, "UserPromptSubmit", session, prompt=prompt)


def talk(work: Workspace, task: str, *said: str) -> None:
    """Record a session; the user and the assistant speak in turn."""
    session = work.sessions.start(task, agent="claude")
    for number, text in enumerate(said):
        session.turn("assistant" if number % 2 else "user", text)


@pytest.fixture
def english(make: Make) -> Workspace:
    work = make("en", {"MEMORY.md": "# Memory\n\n## Notes\n\n- 2026-02-01: We deploy on Thursdays only\n"})
    talk(work, "A rewrite in Go", "Rewrite the image service in Go.", "Which router?", "Take chi as the router.")
    talk(work, "A trip to Japan", "We might go to Japan in October.", "October is a good month.", "ok, thanks")
    return work


@pytest.fixture
def chinese(make: Make) -> Workspace:
    work = make("zh", {"MEMORY.md": f"# 记忆\n\n## 备忘\n\n- 2026-02-01：{LANDLORD}\n- 2026-02-02：跑步以后膝盖疼\n"})
    talk(work, "看医生", "今天去看了李医生，她说我血压 150/95", "好的。已记。", "诊所的电话是 0571 8899 2140", "好的。")
    return work


@pytest.mark.parametrize(
    "prompt", ["please write a quicksort in Go", "ok", "thanks!", "what should we do today?", "go on, please"]
)
def test_words_of_common_use_bring_nothing(english: Workspace, prompt: str) -> None:
    assert asked(english, prompt) == ""


@pytest.mark.parametrize("prompt", ["今天天气怎么样", "好的。", "已记。", "电话是谁发明的？", "用 Go 写一个快速排序"])
def test_characters_and_words_of_common_use_bring_nothing(chinese: Workspace, prompt: str) -> None:
    assert asked(chinese, prompt) == ""


def test_a_line_that_holds_the_words_of_a_prompt_comes_without_the_rest_of_the_memory(english: Workspace) -> None:
    deploys = asked(english, "What day do we deploy?")
    assert "We deploy on Thursdays only" in deploys
    assert "Japan" not in deploys
    trip = asked(english, "When do we want to fly to Japan?")
    assert "We might go to Japan in October." in trip
    assert "image service" not in trip


def test_a_short_prompt_brings_the_line_that_says_it(chinese: Workspace) -> None:
    text = asked(chinese, "膝盖疼")
    assert "跑步以后膝盖疼" in text
    assert "血压" not in text


def test_what_was_given_is_not_replaced_by_the_next_best_line(chinese: Workspace) -> None:
    assert LANDLORD in given(chinese, "SessionStart", source="startup")
    assert asked(chinese, "房东的电话给我一下") == ""
    assert LANDLORD in asked(chinese, "房东的电话给我一下", session="another")


def test_small_talk_near_a_sure_line_is_left_out(english: Workspace) -> None:
    assert "thanks" not in asked(english, "When do we want to fly to Japan?")


def test_a_sentence_of_a_long_prompt_is_evidence_by_itself(english: Workspace) -> None:
    before = "I have three things to sort out before the weekend, none of them urgent."
    assert "chi" in asked(english, f"{before} Which router did we take? Answer in one line.")


def test_words_far_apart_in_a_long_turn_are_no_evidence(make: Make) -> None:
    work = make("en", {})
    filler = " Nothing else was of any interest on that long and dusty afternoon by the river." * 4
    talk(work, "A long story", f"We saw a whale near the harbour.{filler} Her scarf was of a deep turquoise.{filler}")
    assert asked(work, "Draw a turquoise whale as a logo") == ""
    assert "whale near the harbour" in asked(work, "Where did we see the whale in the harbour?")


def test_what_waits_for_the_users_word_is_not_given_but_what_waits_for_room_is(make: Make) -> None:
    proposal = "- [ ] 2026-02-08: the main database is Postgres 14 [to:: MEMORY.md#Notes] [by:: scout]\n"
    change = "- [ ] scout: SOUL.md [to:: SOUL.md] [by:: scout]\n  ```diff\n  +The main database is Postgres 14\n  ```\n"
    room = "- 2026-02-08: the compost is collected on Tuesdays [to:: MEMORY.md#Notes]\n"
    inbox = f"# Inbox\n\n## No room yet\n\n{room}\n## Waiting for your word\n\n{proposal}{change}"
    work, question = make("en", {"inbox.md": inbox}), "Which version has the main Postgres database?"
    found = work.search(question)
    assert ("inbox", "Waiting for your word") in [(hit.kind, hit.section) for hit in found]
    assert "Postgres 14" not in work.recall(question).text
    for recipe in ("agent", "chat", "default"):
        assert "Postgres 14" not in work.pack(recipe, query=question).text
    assert asked(work, question) == ""
    assert "Tuesdays" in asked(work, "When is the compost collected?")


def test_an_entry_that_found_no_room_is_given(make: Make) -> None:
    template = (
        "---\nmdmem: {kind: drawers, files: [DRAWERS.md], create: never, sections: {policy: open}, entries: {max: 1}}\n"
        "---\n# Drawers\n"
    )
    full = "# Drawers\n\n## All\n\n- 2026-02-01: pins lie in the fifth drawer\n"
    work = make("en", {"templates/DRAWERS.md": template, "DRAWERS.md": full})
    assert work.add("DRAWERS.md", ["2026-02-02: solder lies in the third drawer"], section="All").status == "waiting"
    assert "solder lies in the third drawer" in asked(work, "In which drawer is the solder?")


def _bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_prompts", BENCH / "bench_prompts.py")
    assert spec
    assert spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", ["held_out/en", "held_out/zh", "tuning/en", "tuning/zh"])
def test_most_prompts_bring_their_answer_and_most_others_nothing(name: str) -> None:
    found = _bench().run(BENCH / "prompts" / name)
    assert sum(not one.gold for one in found) == sum(bool(one.gold) for one in found) == 40
    assert mean(one.is_right for one in found if not one.gold) >= 0.9
    assert mean(one.is_right for one in found if one.gold) >= 0.85
