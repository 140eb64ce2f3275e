"""What is said to be remembered, a correction and a rule are written when they are said, and once."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Make, Run
from harness import hook
from processes import wait_for

from mdmem.agents.hooks.service import AgentHook
from mdmem.agents.sdk import AgentsSession, HermesMemory
from mdmem.keeper import session_extraction as service
from mdmem.workspace import Workspace

DENTIST = {"en": "Remember that my dentist is Dr. Keller.", "zh": "记住我的牙医是李医生。"}
MOVED = {"en": "I moved to Ghent.", "zh": "我搬到根特了。"}
SILENT = {"en": "That stays between us, don't tell anyone.", "zh": "这件事别告诉别人。"}
LANGS = pytest.mark.parametrize("lang", ["en", "zh"])


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the work of the other process in this one."""

    def run(self: AgentHook, *words: str, user: str | None = None) -> None:
        verb, path, *options = words
        assert (verb, options, user) == ("extract", ["--meanwhile"], None)
        Workspace(self._work.root).keeper.extract(path, meanwhile=True)

    monkeypatch.setattr(AgentHook, "_detached", run)


def tell(work: Workspace, prompt: str) -> None:
    hook(work, "UserPromptSubmit", prompt=prompt)


def live(work: Workspace) -> list[str]:
    return [one.text for one in work.facts()]


def stated(work: Workspace) -> list[tuple[str, str, str, float]]:
    """Return the facts without the episode of which they come, which is known at the end only."""
    return [(one.id, one.text, one.source, one.confidence) for one in work.facts(before=True)]


def end(work: Workspace) -> None:
    work.sessions.resume(work.sessions.list()[0].id, agent="claude").end("done", "success")


SAID = [
    ("en", DENTIST["en"], "dentist is Dr. Keller"),
    ("zh", DENTIST["zh"], "牙医是李医生"),
    ("en", "Remember: the spare tap sits behind the shed.", "the spare tap sits behind the shed"),
    ("zh", "记一下：备用水龙头在棚子后面", "备用水龙头在棚子后面"),
    ("en", "From now on answer in Dutch.", "From now on answer in Dutch."),
    ("zh", "以后都用荷兰语回答我。", "以后都用荷兰语回答我。"),
    ("en", MOVED["en"], "moved to Ghent"),
    ("zh", MOVED["zh"], "搬到根特"),
]


@pytest.mark.parametrize(("lang", "said", "fact"), SAID)
def test_it_stands_before_the_session_ends_and_is_not_written_twice(
    make: Make, lang: str, said: str, fact: str
) -> None:
    work = make(lang)
    tell(work, said)
    assert live(work) == [fact]
    before = stated(work)
    end(work)
    assert stated(work) == before


@LANGS
def test_a_correction_replaces_what_was_known_at_once(make: Make, lang: str) -> None:
    work = make(lang)
    work.facts.set("user" if lang == "en" else "用户", "住址" if lang == "zh" else "city", "Porto", at="2026-01-05")
    tell(work, MOVED[lang])
    (text,) = live(work)
    assert "Ghent" in text or "根特" in text


@pytest.mark.thorough
@LANGS
def test_a_value_that_the_next_prompts_change_back_and_forth_ends_as_it_was_said_last(make: Make, lang: str) -> None:
    work = make(lang)
    for prompt in (MOVED[lang], "I moved to Bruges." if lang == "en" else "我搬到布鲁日了。"):
        tell(work, prompt)
    last = live(work)
    assert len(last) == 1
    end(work)
    assert live(work) == last


@pytest.mark.thorough
@LANGS
def test_what_the_next_prompt_asks_to_keep_quiet_is_gone_and_the_rest_stays(make: Make, lang: str) -> None:
    work = make(lang)
    tell(work, DENTIST[lang])
    tell(work, MOVED[lang])
    tell(work, SILENT[lang])
    assert [text for text in live(work) if "dentist" in text or "牙医" in text] == live(work)
    assert len(live(work)) == 1
    end(work)
    for path in (*Path(work.root, "facts").iterdir(), Path(work.root, "inbox.md")):
        said = path.read_text("utf-8") if path.exists() else ""
        assert "Ghent" not in said
        assert "根特" not in said


@pytest.mark.parametrize("said", ["Remember that my bank password is Zk3vQ9mT7xLr.", "记住我的银行卡密码是 Zk3vQ9mT7x"])
def test_a_password_that_is_to_be_remembered_is_not_written(make: Make, said: str) -> None:
    work = make("en" if said.isascii() else "zh")
    tell(work, said)
    assert not live(work)


@LANGS
def test_a_prompt_that_asks_for_something_starts_no_process(
    make: Make, lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(AgentHook, "_detached", lambda _, *words, **__: started.append(words[0]))
    tell(make(lang), "Which tests cover the parser?" if lang == "en" else "哪些测试覆盖了解析器？")
    assert not started


@pytest.mark.thorough
def test_the_process_that_the_hook_starts_writes_it(make: Make) -> None:
    work = make("en")
    given = b'{"hook_event_name": "UserPromptSubmit", "session_id": "s9", "prompt": "%s"}' % DENTIST["en"].encode()
    command = [sys.executable, "-m", "mdmem", "hook", "run", "--for", "claude", "--root", work.root]
    subprocess.run(command, input=given, check=True, capture_output=True)
    assert wait_for(lambda: live(work))
    assert live(work) == ["dentist is Dr. Keller"]


@pytest.mark.parametrize(("lang", "said", "fact"), SAID)
def test_the_adapters_write_it_when_it_is_said(make: Make, lang: str, said: str, fact: str) -> None:
    work = make(lang)
    hermes = HermesMemory(work.root)
    hermes.initialize("c1")
    hermes.sync_turn(said, "ok")
    assert live(work) == [fact]


@pytest.mark.thorough
@pytest.mark.parametrize(("lang", "said", "fact"), SAID)
def test_a_session_of_an_sdk_writes_it_when_it_is_said(make: Make, lang: str, said: str, fact: str) -> None:
    work = make(lang)
    session = AgentsSession("c1", work)
    asyncio.run(session.add_items([{"role": "user", "content": said}]))
    assert live(work) == [fact]
    before = stated(work)
    session.end()
    assert stated(work) == before


@pytest.mark.thorough
@LANGS
def test_what_is_said_again_in_another_session_is_confirmed_once(make: Make, lang: str) -> None:
    work = make(lang)
    tell(work, MOVED[lang])
    end(work)
    (first,) = work.facts()
    session = AgentsSession("c2", work)
    for said in (MOVED[lang], DENTIST[lang], DENTIST[lang]):
        asyncio.run(session.add_items([{"role": "user", "content": said}]))
    assert next(one for one in work.facts() if one.id == first.id).confidence == first.confidence
    session.end()
    assert next(one for one in work.facts() if one.id == first.id).confidence == pytest.approx(0.65)


@pytest.mark.parametrize(("lang", "said", "fact"), SAID)
def test_recorded_lines_write_it_when_it_is_said(
    make: Make, mdmem: Run, tmp_path: Path, lang: str, said: str, fact: str
) -> None:
    work = make(lang)
    lines = [{"role": "user", "text": said}, {"role": "assistant", "text": "ok"}]
    given = "".join(json.dumps(one) + "\n" for one in lines)
    done = mdmem("session", "record", "--task", "t", "--root", work.root, given=given)
    assert [json.loads(one)["status"] for one in done.stdout.splitlines()] == ["done", "done"]
    assert live(work) == [fact]
    assert not work.sessions.list()[0].ended


def test_fast_lines_are_extracted_now_and_then_and_all_at_the_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    work, calls = make("en"), list[str]()
    clock = iter(range(10**6)).__next__
    monkeypatch.setattr(service, "extract_meanwhile", lambda _, path: calls.append(path))
    monkeypatch.setattr(time, "monotonic", clock)
    said = service.SaidNow(work.config)
    for number in range(100):
        said.hear("sessions/x.md", f"Remember that the code of shed {number} is on the wall.")
    assert 1 <= len(calls) <= 20, "each takes a second, and turns come every second"
    calls.clear()
    said.catch_up()
    said.catch_up()
    assert len(calls) == 1
