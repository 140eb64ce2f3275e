"""The rules, sentence by sentence: what is open, what is announced, and what has become of it."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.keeper.conversation.episode import EpisodeStretch
from mdmem.keeper.conversation.transcript import sentences
from mdmem.scratchpad.model import PlanDigest, SessionDigest
from mdmem.scratchpad.rules import ScratchpadMaterial, ScratchpadRules
from mdmem.settings.tables import Settings

NO_PLAN = PlanDigest("", (), "")


def rules(settings: Settings, *sessions: SessionDigest, lang: str = "en") -> dict[str, tuple[str, ...]]:
    """Give the texts of each section; the sessions are newest first."""
    material = ScratchpadMaterial(sessions, NO_PLAN, dt.date(2026, 2, 20), lang, Splitter(settings.sentences))
    found = ScratchpadRules(settings.scratchpad, material).lines()
    return {alias: tuple(line.text for line in lines) for alias, lines in found.items()}


def digest(settings: Settings, *turns: str, **others: Any) -> SessionDigest:
    said = [Turn(index // 2 + 1, "assistant" if index % 2 else "user", "", "", text, -1, -1, -1)
            for index, text in enumerate(turns)]  # fmt: skip
    base = SessionDigest("20260219_090000_x", "2026-02-19", "tune the piano", "success", ended=True, response="")
    return base._replace(sentences=sentences(said, Splitter(settings.sentences)), **others)


@pytest.mark.parametrize("turns", [
    ("Which string should we replace first?",),
    ("The delivery date is still to be decided.", "Fine."),
    ("Tune it.", "How far below 440 Hz is it now?"),
    ("How old is the soundboard?", "I don't know, I will ask the workshop."),
    ("琴弦先换哪一根？",), ("交货日期还没定下来。", "好。"), ("调一下。", "现在比 440 赫兹低多少？"),
    ("音板有多少年了？", "不清楚，我问问作坊。"),
])  # fmt: skip
def test_what_nobody_answered_is_open(settings: Settings, turns: tuple[str, ...]) -> None:
    assert len(rules(settings, digest(settings, *turns))["open_questions"]) == 1


@pytest.mark.parametrize("turns", [
    ("Which string should we replace first?", "The lowest one, it is cracked."),
    ("Tune it.", "Shall I order new felt as well?"),
    ("Tune it.", "Done. Anything else you need?"),
    ("The delivery date is to be decided.", "Asked.", "The delivery date is 3 March.", "Noted."),
    ("琴弦先换哪一根？", "先换最低的那根，它裂了。"), ("调一下。", "还需要我订新的毛毡吗？"),
    ("交货日期还没定。", "问过了。", "交货日期是三月三号。", "记下了。"),
])  # fmt: skip
def test_what_was_answered_or_is_a_courtesy_is_not(settings: Settings, turns: tuple[str, ...]) -> None:
    assert rules(settings, digest(settings, *turns))["open_questions"] == ()


@pytest.mark.parametrize(("said", "step"), [
    ("The next step is to order the felt hammers.", "order the felt hammers."),
    ("Bass is done, next: regulate the dampers of the treble.", "regulate the dampers of the treble."),
    ("Todo: write the invoice for the church.", "write the invoice for the church."),
    ("下一步：订一套新的琴槌毡。", "订一套新的琴槌毡。"),
    ("低音调好了，接下来调高音区的制音器。", "调高音区的制音器。"),
])  # fmt: skip
def test_an_announced_step_is_next(settings: Settings, said: str, step: str) -> None:
    assert rules(settings, digest(settings, "How is it?", said))["next_steps"] == (step,)


@pytest.mark.parametrize("said", [
    "The remaining felt is red.", "What is the next step?", "Next.",
    "下一步呢？", "他下次来是周三，现在说不准。", "接下来。",
])  # fmt: skip
def test_what_announces_nothing_is_no_step(settings: Settings, said: str) -> None:
    assert not [
        one
        for one in rules(settings, digest(settings, "How is it?", said))["next_steps"]
        if "felt" in one or len(one) < 4
    ]


def test_a_step_leaves_when_a_later_session_tells_it_as_done(settings: Settings) -> None:
    first = digest(settings, "How is it?", "Next step is to order the felt hammers for the treble.")
    asked = digest(settings, "Did you order the felt hammers for the treble?", id="20260220_1")
    done = digest(settings, "Go on.", "The felt hammers for the treble are ordered, all done.", id="20260220_2")
    assert len(rules(settings, asked, first)["next_steps"]) == 1, "a question tells nothing"
    assert rules(settings, done, first)["next_steps"] == ()


def test_a_task_is_a_project_until_its_newest_session_is_finished(settings: Settings) -> None:
    begun = digest(settings, outcome="ongoing", ended=False)
    assert rules(settings, begun)["active_projects"] == ("tune the piano",)
    assert rules(settings, digest(settings), begun)["active_projects"] == ()
    assert rules(settings, begun._replace(day="2025-11-01"))["active_projects"] == (), "nobody has taken it up for long"


def test_progress_tells_the_result_with_its_day(settings: Settings) -> None:
    told = digest(settings, response="A4 stands at 440 Hz again.")
    failed = digest(settings, response="TimeoutError", outcome="failed", id="b")
    episode = digest(settings, episodes=(EpisodeStretch(1, 4, "voiced the hammers", "success", "session_end"),), id="c")
    assert rules(settings, episode, failed, told)["progress"] == (
        "2026-02-19: A4 stands at 440 Hz again.", "2026-02-19: tune the piano: failed (TimeoutError)",
        "2026-02-19: voiced the hammers",
    )  # fmt: skip


def test_a_long_line_keeps_whole_sentences(settings: Settings) -> None:
    (line,) = rules(
        settings, digest(settings, response="The bass is tuned. " + "The treble needs a second pass. " * 9)
    )["progress"]
    assert line.endswith("pass.")
    assert len(line) <= settings.scratchpad.line_chars
