"""A session ends as it ended: by a given outcome, a proved model, its runs and words; what tells nothing is unknown."""

from __future__ import annotations

import datetime as dt
import json
import os
import time
from pathlib import Path

import pytest
from conftest import Make

from mdmem.workspace import Workspace

Said = tuple[str, str]
DO = {"en": ("user", "Fix the importer."), "zh": ("user", "把导入修好。")}


def talked(work: Workspace, *said: Said, runs: tuple[bool, ...] = (), response: str = "", end: bool = True) -> str:
    """Record a session; return its id."""
    session = work.sessions.start("Fix the importer", agent="main")
    for role, text in said[:2]:
        session.turn(role, text)
    for at, ok in enumerate(runs):
        call = {"name": "bash", "input": {"command": "pytest -q"}, "id": f"c{at}"}
        result = {"tool_use_id": f"c{at}", "content": "12 passed" if ok else "2 failed", "is_error": not ok}
        session.turn("assistant", "", tool_calls=[call], tool_results=[result])
    for role, text in said[2:]:
        session.turn(role, text)
    if end:
        session.end(response)
    return session.id


def outcomes(work: Workspace, name: str) -> tuple[str, str]:
    """Return the outcome of a session, and of its last stretch of rounds."""
    return work.sessions.show(name).outcome, work.episodes(session=name)[-1].outcome


SAID: list[tuple[str, str, list[Said]]] = [
    ("failed", "en", [("assistant", "I changed the parser."), ("user", "It is still failing.")]),
    ("failed", "en", [("assistant", "Try the new flag."), ("user", "Same error as before, no luck.")]),
    ("failed", "zh", [("assistant", "我改了解析器。"), ("user", "还是报错。")]),
    ("failed", "zh", [("assistant", "换了一个参数。"), ("user", "试过了，依然不通。")]),
    ("ongoing", "en", [("assistant", "The parser is next."), ("user", "Enough for today, let's continue tomorrow.")]),
    ("ongoing", "en", [("assistant", "I will pick this up again on Monday with the dates."), ("user", "ok")]),
    ("ongoing", "zh", [("assistant", "解析器改了一半。"), ("user", "今天先到这里，明天继续。")]),
    ("ongoing", "zh", [("assistant", "日期的部分下周再弄，先到这里。"), ("user", "好的")]),
    ("success", "en", [("assistant", "Please try it."), ("user", "Great, it works now.")]),
    ("success", "en", [("assistant", "The importer is fixed."), ("user", "thanks")]),
    ("success", "zh", [("assistant", "你再试试。"), ("user", "可以了，谢谢。")]),
    ("success", "zh", [("assistant", "导入修好了。"), ("user", "谢谢")]),
    ("partial", "en", [("assistant", "The dates work. What is left is the time zone."), ("user", "ok")]),
    ("partial", "zh", [("assistant", "日期弄好了，还剩下时区没有做。"), ("user", "嗯")]),
    ("unknown", "en", [("assistant", "A monoid in the category of endofunctors."), ("user", "Interesting.")]),
    ("unknown", "zh", [("assistant", "巴黎是法国的首都。"), ("user", "原来是这样")]),
    ("unknown", "en", [("assistant", "Which file do you mean?"), ("user", "Is it done?")]),
]


@pytest.mark.parametrize(("outcome", "lang", "said"), SAID)
def test_words_tell_how_a_session_ended(make: Make, outcome: str, lang: str, said: list[Said]) -> None:
    work = make(lang)
    assert outcomes(work, talked(work, DO[lang], *said)) == (outcome, outcome)


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en")


@pytest.mark.parametrize(
    ("runs", "said", "outcome"),
    [
        ((False, True), ("assistant", "There you are."), "success"),
        ((True, False), ("assistant", "Let me see."), "failed"),
        ((False,), ("assistant", "Fixed, all done."), "partial"),
        ((True,), ("user", "It still fails here."), "failed"),
        ((False,), ("user", "It works now, the server was down."), "success"),
    ],
)
def test_runs_tell_how_a_session_ended(work: Workspace, runs: tuple[bool, ...], said: Said, outcome: str) -> None:
    name = talked(work, DO["en"], ("assistant", "I look at it."), said, runs=runs)
    assert outcomes(work, name) == (outcome, outcome)


def test_what_the_caller_says_counts_first(work: Workspace) -> None:
    session = work.sessions.start("Fix it", agent="main")
    session.turn("user", "Fix the importer.")
    session.turn("assistant", "It is still failing.")
    session.end("", "success")
    assert outcomes(work, session.id) == ("success", "success")


def test_the_response_tells_it_too(work: Workspace) -> None:
    name = talked(work, DO["en"], ("assistant", "I look."), response="The importer is fixed, all tests passed.")
    assert work.sessions.show(name).outcome == "success"


def test_a_proved_answer_of_a_model_counts_before_the_words(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    name = talked(work, DO["en"], ("assistant", "I look at the importer."), end=False)
    answer = json.dumps({"summary": "Fix the importer.", "goal": "", "outcome": "failed", "entities": []})
    session = work.sessions.resume(name)
    session._after = None
    session.end()
    work.episodes.write(name, backend=lambda _: answer)
    assert outcomes(work, name) == ("failed", "failed")


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_went_on_or_failed_is_a_current_project_and_what_ended_is_none(make: Make, lang: str) -> None:
    for outcome, language, said in SAID:
        if language != lang:
            continue
        work = make(lang)
        talked(work, DO[lang], *said)
        shown = work.scratchpad().active_projects
        assert bool(shown) == (outcome in ("failed", "ongoing", "partial")), said


def test_the_next_step_is_what_is_said_for_tomorrow(make: Make) -> None:
    work = make("zh")
    talked(work, DO["zh"], ("assistant", "我改了解析器。"), ("user", "今天先到这里，明天继续修日期格式。"))
    assert [one.partition(" [")[0] for one in work.scratchpad().next_steps] == ["修日期格式。"]


def idle(work: Workspace, name: str, minutes: float) -> None:
    at = time.time() - 60 * minutes
    os.utime(Path(work.root, "sessions", f"{name}.md"), (at, at))


def test_a_session_that_nobody_ends_counts_as_ended_once_it_is_idle(work: Workspace) -> None:
    name = talked(work, DO["en"], ("assistant", "The importer is fixed."), end=False)
    work.night(now=True)
    assert not work.episodes(session=name), "it may go on"
    idle(work, name, 31)
    work.night(now=True)
    assert work.episodes(session=name)[-1].outcome == "success"
    idle(work, name, 31)
    work.scratchpad.update()
    assert not work.scratchpad().active_projects
    work.sessions.resume(name).turn("user", "It is still failing.")
    assert work.sessions.resume(name).end().status == "done"
    assert [one.outcome for one in work.episodes(session=name)] == ["success", "failed"]


def test_an_idle_session_grows_old_by_its_last_turn(work: Workspace) -> None:
    work.config.day = dt.datetime.now().astimezone().date().isoformat()
    name = talked(work, DO["en"], ("assistant", "The importer is fixed."), end=False)
    work.keeper.extract(name)
    idle(work, name, 31 * 24 * 60)
    assert work.sessions.prune(dry_run=True).moved == (name,)
    idle(work, name, 29 * 24 * 60)
    assert not work.sessions.prune(dry_run=True).moved


@pytest.mark.parametrize(("lang", "said"), [
    ("en", ("hi", "Hello! How can I help?", "thanks, bye", "Bye!")),
    ("zh", ("你好", "你好！有什么可以帮你？", "谢谢，再见", "再见！")),
])  # fmt: skip
def test_where_nothing_was_asked_for_nothing_succeeded_and_nothing_is_left_open(
    make: Make, lang: str, said: tuple[str, ...]
) -> None:
    """The outcome of small talk stays unknown: it is no episode, and success is no default (K048)."""
    work = make(lang)
    session = work.sessions.start(said[0])
    for role, text in zip(("user", "assistant") * 2, said, strict=True):
        session.turn(role, text)
    session.end()
    assert work.sessions.show(session.id).outcome == "unknown"
    assert work.episodes() == ()
    pad = work.scratchpad()
    assert not [*pad.active_projects, *pad.open_questions, *pad.next_steps]
    assert work.night(now=True).status == "unchanged"
    assert work.sessions.show(session.id).outcome == "unknown"
