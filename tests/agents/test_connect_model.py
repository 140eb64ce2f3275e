"""`mdmem connect model URL` and `connect AGENT --keeper`: the user's own settings, the question, the way back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import Make, Run
from models.fake_agents import AGENTS, FakeAgent, good
from models.server import completion, reply, serving
from processes import wait_for

from mdmem import DoctorCheck, Workspace
from mdmem.generation.model_use import model_use
from mdmem.keeper.model_checks import model_checks
from mdmem.models import NESTED

OWN = '# mine\nlang = "en"   # yes\r\n\n[keeper]  # here\nfresh_days = 5'
KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5q"
LANGS = ("en", "zh")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's own settings file, in a home of its own."""
    for name in ("config", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = tmp_path / "config" / "mdmem" / "mdmem.toml"
    path.parent.mkdir(parents=True)
    path.write_bytes(OWN.encode())
    return path


@pytest.fixture
def agents(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeAgent]:
    assert own
    made = {name: FakeAgent(tmp_path / "agents", name) for name in AGENTS}
    monkeypatch.setenv("PATH", f"{made['claude'].path}{os.pathsep}{os.environ['PATH']}")
    return made


@pytest.mark.parametrize("lang", LANGS)
def test_an_endpoint_is_entered_asked_and_taken_out(own: Path, mdmem: Run, lang: str) -> None:
    with serving(reply(completion("blue"))) as server:
        words = ("connect", "model", server.url, "--model", "small", "--key-env", "MY_KEY", "--lang", lang)
        shown = mdmem(*words, "--dry-run").stdout
        assert "small" in shown
        assert (own.read_bytes(), server.asked) == (OWN.encode(), []), "a dry run writes and asks nothing"
        done = mdmem(*words).stdout
    assert "blue" in done
    found = tomllib.loads(own.read_text("utf-8"))
    assert found["openai"] == {"base_url": server.url, "model": "small", "key_env": "MY_KEY"}
    assert found["keeper"] == {"backend": "openai", "fresh_days": 5}
    assert "nothing" in mdmem(*words, "--dry-run", "--lang", "en").stdout
    mdmem("connect", "model", "--remove", "--lang", lang)
    assert own.read_bytes() == OWN.encode()


def test_the_one_model_of_an_endpoint_need_not_be_named(own: Path, mdmem: Run) -> None:
    one, two = json.dumps({"data": [{"id": "only"}]}), json.dumps({"data": [{"id": "a"}, {"id": "b"}]})
    with serving(reply(two)) as server:
        told = mdmem("connect", "model", server.url, code=2)
        assert "a, b" in told.stderr
        assert "--model" in told.stderr
    with serving(reply(one), reply(completion("blue"))) as server:
        mdmem("connect", "model", server.url)
        assert [asked.line.split()[0] for asked in server.asked] == ["GET", "POST"]
    assert tomllib.loads(own.read_text("utf-8"))["openai"]["model"] == "only"


def test_an_endpoint_that_does_not_answer_is_entered_and_told(own: Path, mdmem: Run) -> None:
    with serving(reply('{"error": "no such key"}', 401)) as server:
        done = mdmem("connect", "model", server.url, "--model", "m", "--lang", "en")
    assert "401" in done.stdout
    assert "doctor --model" in done.stdout
    assert tomllib.loads(own.read_text("utf-8"))["keeper"]["backend"] == "openai"


@pytest.mark.parametrize(
    "words",
    [
        ("model", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", KEY),
        ("model", "http://127.0.0.1:9/v1", "--model", "m", "--key-env", "my_key"),
        ("claude", "--keeper", "--key-env", KEY),
        ("claude", "http://127.0.0.1:9/v1"),
        ("cursor", "--keeper"),
        ("claude", "--keeper", "--project", "."),
        ("model",),
    ],
)
def test_words_that_do_not_fit_are_refused_and_no_key_is_repeated(
    own: Path, mdmem: Run, words: tuple[str, ...]
) -> None:
    done = mdmem("connect", *words, code=2)
    assert KEY not in done.stdout + done.stderr
    assert own.read_bytes() == OWN.encode()


def test_a_key_in_an_address_is_never_written(own: Path, mdmem: Run) -> None:
    for url in (f"http://me:{KEY}@127.0.0.1/v1", f"http://127.0.0.1/{KEY}/v1", f"http://127.0.0.1/v1?key={KEY}"):
        done = mdmem("connect", "model", url, "--model", "m", code=4)
        assert KEY not in done.stdout + done.stderr
    assert own.read_bytes() == OWN.encode()


def test_a_file_without_room_or_with_a_mistake_is_left(own: Path, mdmem: Run) -> None:
    for text in ("keeper = {fresh_days = 5}\n", "[keeper\n", '[keeper]\nbackend = "nobody"\n'):
        own.write_text(text, "utf-8")
        mdmem("connect", "model", "http://127.0.0.1:9/v1", "--model", "m", code=4)
        assert own.read_text("utf-8") == text


def test_without_a_file_of_settings_one_is_made_and_removed(
    own: Path, agents: dict[str, FakeAgent], mdmem: Run
) -> None:
    assert agents
    own.unlink()
    mdmem("connect", "codex", "--keeper")
    assert tomllib.loads(own.read_text("utf-8")) == {"keeper": {"backend": "codex"}}
    mdmem("connect", "codex", "--keeper", "--remove")
    assert not own.exists()


def test_what_was_changed_by_hand_is_left_and_named(own: Path, agents: dict[str, FakeAgent], mdmem: Run) -> None:
    assert agents
    mdmem("connect", "codex", "--keeper")
    own.write_text(own.read_text("utf-8").replace('"codex"', '"agent"'), "utf-8")
    done = mdmem("connect", "codex", "--keeper", "--remove", "--lang", "en", code=1)
    assert "keeper.backend" in done.stdout
    assert tomllib.loads(own.read_text("utf-8"))["keeper"]["backend"] == "agent"
    own.write_bytes(OWN.encode())
    mdmem("connect", "codex", "--keeper", "--remove")
    assert own.read_bytes() == OWN.encode()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_the_model_until_it_is_taken_out(
    own: Path, agents: dict[str, FakeAgent], mdmem: Run, name: str, lang: str
) -> None:
    agents[name].answers("blau")
    done = mdmem("connect", name, "--keeper", "--lang", lang)
    assert "blau" in done.stdout
    others = [one for one in AGENTS if one != name]
    tried = mdmem("doctor", "--model", "--lang", lang).stdout
    assert "blau" in tried
    assert "100" in tried, "the tokens that the program tells"
    shown = mdmem("status", "--lang", lang).stdout
    assert name in shown
    assert json.loads(mdmem("status", "--json").stdout)["model"] == {
        "backend": name, "calls": 1, "max_calls": 100, "tokens": 100, "max_tokens": 500_000,
    }  # fmt: skip
    assert [agents[one].calls for one in others] == [[], []]
    mdmem("connect", others[0], "--keeper", "--remove")
    mdmem("connect", name, "--remove", "--root", ".")
    assert tomllib.loads(own.read_text("utf-8"))["keeper"]["backend"] == name, "only its own word takes it out"
    mdmem("connect", name, "--keeper", "--remove")
    assert own.read_bytes() == OWN.encode()


@pytest.mark.parametrize("lang", LANGS)
def test_without_a_model_the_doctor_says_how_to_get_one(own: Path, mdmem: Run, lang: str) -> None:
    assert own
    assert "--keeper" in mdmem("doctor", "--model", "--lang", lang, code=1).stdout
    assert json.loads(mdmem("doctor", "--model", "--json", code=1).stdout) == {"model": None}


SAID = "After the summer the boxes went to Ghent, where we now have the flat by the canal."
FACT = "The user has a flat by the canal in Ghent"


def answered() -> str:
    row = {"type": "FACT", "subject": "user", "predicate": "flat", "content": FACT, "importance": 0.8}
    return json.dumps([row])


@pytest.fixture
def work(make: Make, own: Path) -> Workspace:
    assert own
    made = make("en")
    made.init()
    return made


def ended(work: Workspace) -> Workspace:
    """Say something in a session that ends, and return the memory, opened again."""
    fresh = Workspace(work.root)
    session = fresh.sessions.start("talk")
    session.turn("user", SAID)
    session.turn("user", "I live in Bruges.")
    session.turn("assistant", "Noted.")
    session.end()
    return Workspace(work.root)


def known(work: Workspace) -> str:
    return "\n".join(fact.text for one in work.facts.list() for fact in work.facts(one.subject) if fact.live)


@pytest.mark.thorough
@pytest.mark.parametrize("name", AGENTS)
def test_a_paraphrase_is_a_fact_after_the_session_and_no_session_is_made_of_the_question(
    work: Workspace, agents: dict[str, FakeAgent], own: Path, name: str
) -> None:
    own.write_text(f'[keeper]\nbackend = "{name}"\n', "utf-8")
    agents[name].answers(answered())
    done = ended(work)
    assert FACT in known(done)
    assert SAID in agents[name].calls[0]["prompt"]
    assert len(list(Path(work.root, "sessions").glob("*.md"))) == 1


@pytest.mark.thorough
def test_a_hook_within_the_question_does_nothing(work: Workspace) -> None:
    payload = {"session_id": "s", "cwd": work.root, "hook_event_name": "UserPromptSubmit", "prompt": "I live in Ghent."}

    def kept(**more: str) -> tuple[str, int]:
        done = subprocess.run(
            [sys.executable, "-m", "mdmem", "hook", "run", "--root", work.root], env={**os.environ, **more},
            input=json.dumps(payload), capture_output=True, text=True, encoding="utf-8", check=True,
        )  # fmt: skip
        return done.stdout.strip(), len(list(Path(work.root).glob("sessions/*.md")))

    assert kept(**{NESTED: "1"}) == ("{}", 0)
    assert wait_for(lambda: kept()[1] == 1), "without the mark it is a session"


def test_a_spent_budget_falls_back_to_rules_and_the_doctor_tells(
    work: Workspace, agents: dict[str, FakeAgent], own: Path
) -> None:
    own.write_text('[keeper]\nbackend = "claude"\ncalls_per_day = 1\n', "utf-8")
    agents["claude"].answers(answered())
    assert FACT in known(ended(work))
    assert len(agents["claude"].calls) == 1, "episode and scratchpad asked no more"
    path = Path(own.parent.parent.parent, "second")
    path.mkdir()
    second = Workspace(path, lang="en")
    second.init()
    assert "Bruges" in known(ended(second)), "rules did the work; the budget is one for all folders"
    assert len(agents["claude"].calls) == 1
    checks = {one.name: one for one in doctor(second)}
    assert "today" in checks["model-failed"].message
    assert "calls_per_day" in checks["model-failed"].hint


def doctor(work: Workspace) -> list[DoctorCheck]:
    return list(model_checks(Workspace(work.root, lang="en").config))


@pytest.mark.parametrize(
    ("out", "code", "says"),
    [
        ('{"is_error": true, "result": "Not logged in · Please run /login"}', 1, "signed in"),
        ('{"is_error": true, "result": "API Error: Unable to connect to API"}', 1, "connection"),
        ('{"is_error": true, "result": "Claude AI usage limit reached"}', 1, "quota"),
        ("gibberish", 0, "can be read"),
        (good("claude", "In these rounds nothing of note was said."), 0, "can be read"),
        ("", 3, "failed"),
    ],
)
def test_a_failure_falls_back_to_rules_and_the_doctor_says_which(
    work: Workspace, agents: dict[str, FakeAgent], own: Path, out: str, code: int, says: str
) -> None:
    own.write_text('[keeper]\nbackend = "claude"\n', "utf-8")
    agents["claude"].prints(out, code=code)
    assert "Bruges" in known(ended(work))
    found = {one.name: one for one in doctor(work)}["model-failed"]
    assert says in found.message
    assert "doctor --model" in found.hint
    agents["claude"].answers("ready")
    assert Workspace(work.root).keeper.try_model() is not None
    assert "model-failed" not in {one.name for one in doctor(work)}, "an answer ends it"


def test_the_doctor_tells_of_every_answer_that_cannot_be_read(
    work: Workspace, agents: dict[str, FakeAgent], own: Path
) -> None:
    """Whatever it was asked for: also the scratchpad, an episode, a short text."""
    own.write_text('[keeper]\nbackend = "claude"\n', "utf-8")
    agents["claude"].prints(good("claude", "Sure, here is your scratchpad."))
    assert "lines are those of the rules" in Workspace(work.root).scratchpad.update().hint
    assert "can be read" in {one.name: one for one in doctor(work)}["model-failed"].message


def test_at_night_too_rules_do_what_the_model_does_not(
    work: Workspace, agents: dict[str, FakeAgent], own: Path
) -> None:
    own.write_text('[keeper]\nbackend = "claude"\n', "utf-8")
    session = work.sessions.start("talk")
    session.turn("user", "I live in Bruges.")
    session.turn("assistant", "Noted.")
    for out in ('{"is_error": true, "result": "Not logged in · Please run /login"}', good("claude", "Sure!")):
        agents["claude"].prints(out, code=1)
        Workspace(work.root).night(now=True)
        assert "Bruges" in known(Workspace(work.root))
        assert "model-failed" in {one.name for one in doctor(work)}
    agents["claude"].answers("NONE")
    Workspace(work.root).night(now=True)
    assert not Workspace(work.root).sessions.unextracted(), "the rounds waited for the model"


def test_a_program_that_is_gone_is_told_before_it_is_asked(work: Workspace, own: Path) -> None:
    own.write_text('[keeper]\nbackend = "gemini"\n', "utf-8")
    assert "PATH" in {one.name: one for one in doctor(work)}["model-failed"].message
    assert "Bruges" in known(ended(work))


def test_a_folder_brings_no_model_and_no_larger_budget(
    work: Workspace, agents: dict[str, FakeAgent], own: Path
) -> None:
    Path(work.root, "mdmem.toml").write_text('[keeper]\nbackend = "claude"\ncalls_per_day = 9999\n', "utf-8")
    ended(work)
    assert agents["claude"].calls == []
    own.write_text('[keeper]\nbackend = "claude"\ncalls_per_day = 2\n', "utf-8")
    Path(work.root, "mdmem.toml").write_text("[keeper]\ncalls_per_day = 9999\n", "utf-8")
    assert Workspace(work.root).config.settings.keeper.calls_per_day == 2


def test_the_count_begins_anew_each_day_and_a_damaged_one_is_nothing(own: Path) -> None:
    place = own.parent.parent.parent / "state" / "mdmem" / "models" / "use.json"
    place.parent.mkdir(parents=True)
    place.write_text(
        json.dumps({"day": "2026-01-01", "calls": 7, "tokens": 70, "backend": "", "why": "other"}), "utf-8"
    )
    assert (model_use("2026-01-01").calls, model_use("2026-01-02").calls) == (7, 0)
    for text in ("", "[]", '{"calls": "7", "day": 3}', "\x00"):
        place.write_text(text, "utf-8")
        assert model_use("2026-01-01").calls == 0
