"""An agent's own program as a model: how it is called, what is read of its answer, and why there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdmem.errors import ModelError, OutOfTimeError
from mdmem.linter.masking import mask
from mdmem.models import NESTED, TimeLimit
from mdmem.models.headless import ask
from mdmem.settings.tables import CommandSettings, Settings

from .fake_agents import AGENTS, FakeAgent


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeAgent:
    made = FakeAgent(tmp_path / "agents", request.param)
    monkeypatch.setenv("PATH", made.path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return made


@pytest.fixture
def command(settings: Settings) -> CommandSettings:
    return settings.command._replace(seconds=20)


def failed(agent: FakeAgent, command: CommandSettings) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask("?", agent.name, command, mask)
    return caught.value


def test_the_answer_is_read_in_the_form_of_each(agent: FakeAgent, command: CommandSettings) -> None:
    agent.answers('[{"content": "住在高雄"}]')
    assert ask("提取", agent.name, command, mask) == ('[{"content": "住在高雄"}]', 100)


def test_it_starts_without_hooks_tools_servers_and_files_of_a_project(
    agent: FakeAgent, command: CommandSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")  # an agent that runs around this call
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    (tmp_path / "home" / ".codex" / "config.toml").write_text("[mcp_servers.mdmem]\ncommand = 'mdmem'\n", "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    left = tmp_path / "state" / "mdmem" / "asked" / agent.name / "left.md"
    left.parent.mkdir(parents=True)
    left.write_text("of an earlier call", "utf-8")
    ask("a prompt", agent.name, command, mask)
    (call,) = agent.calls
    words = " ".join(call["argv"])
    assert call["prompt"] == "a prompt"
    assert "a prompt" not in words, "no list of processes shows it"
    assert call["env"][NESTED] == "1"
    assert "CLAUDECODE" not in call["env"]
    assert Path(call["cwd"]) == left.parent.resolve()
    wanted = {
        "claude": ("-p", '"disableAllHooks": true', "--strict-mcp-config", "--no-session-persistence", "--tools "),
        "codex": ("exec", "features.hooks=false", "mcp_servers.mdmem.enabled=false", "--ephemeral", "read-only"),
        "gemini": ("-p", "--allowed-mcp-server-names=-", "-e none"),
    }[agent.name]
    assert [one for one in wanted if one not in words] == []
    assert call["files"] == ([".gemini/settings.json"] if agent.name == "gemini" else [])
    if agent.name == "gemini":
        own = json.loads((Path(call["cwd"]) / ".gemini" / "settings.json").read_text("utf-8"))
        assert own["hooksConfig"] == {"enabled": False}


def test_no_file_is_read_because_a_conversation_names_it(agent: FakeAgent, command: CommandSettings) -> None:
    agent.answers("write to ann\uff20example.org")
    reply = ask("she said: see @/etc/passwd, or write to ann@example.org", agent.name, command, mask)
    assert "@" not in agent.calls[0]["prompt"]
    assert reply.text == "write to ann@example.org"


FAILURES = [
    ("claude", '{"is_error": true, "result": "Not logged in · Please run /login"}', "", 1, "sign-in"),
    ("claude", '{"is_error": true, "result": "API Error: Unable to connect to API"}', "", 1, "network"),
    ("claude", '{"is_error": true, "result": "Claude AI usage limit reached|1764300000"}', "", 1, "quota"),
    ("codex", '{"type": "error", "message": "Reconnecting... waiting for network"}', "", 1, "network"),
    ("codex", '{"type": "turn.failed", "error": {"message": "status 401 Unauthorized"}}', "", 1, "sign-in"),
    ("codex", '{"type": "turn.failed", "error": {"message": "You hit your usage limit."}}', "", 1, "quota"),
    ("gemini", '{"error": {"message": "Invalid auth method selected.", "code": 41}}', "", 41, "sign-in"),
    ("gemini", "", "Error: exception TypeError: fetch failed sending request", 1, "network"),
    ("gemini", "", "429 RESOURCE_EXHAUSTED: quota exceeded", 1, "quota"),
    ("claude", "Sure! Here you are.", "", 0, "junk"),
    ("codex", "", "", 0, "junk"),
    ("gemini", '{"response": ""}', "", 0, "junk"),
    ("claude", "", "boom", 3, "other"),
]


@pytest.mark.parametrize(("name", "out", "errors", "code", "why"), FAILURES)
def test_why_there_is_no_answer(
    name: str, out: str, errors: str, code: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: CommandSettings,
) -> None:  # fmt: skip
    agent = FakeAgent(tmp_path / "agents", name)
    monkeypatch.setenv("PATH", agent.path)
    agent.prints(out, errors, code)
    error = failed(agent, command)
    assert (error.why, name in str(error)) == (why, True)


def test_no_secret_and_no_place_of_this_machine_stands_in_the_message(
    agent: FakeAgent, command: CommandSettings
) -> None:
    token = "ghp_Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3d"
    agent.prints("", f"failed with {token}", 1)
    assert token not in str(failed(agent, command))


@pytest.mark.thorough
def test_a_program_that_is_not_there_or_too_slow(
    agent: FakeAgent, command: CommandSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.prints("", sleep=60)
    assert failed(agent, command._replace(seconds=1)).why == "time"
    with pytest.raises(OutOfTimeError):
        ask("?", agent.name, command, mask, TimeLimit(1))
    monkeypatch.setenv("PATH", "bin")  # a folder of the PATH that is no place of its own
    assert failed(agent, command).why == "absent"
    assert len(agent.calls) == 2


def test_no_question_is_asked_within_a_question(
    agent: FakeAgent, command: CommandSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NESTED, "1")
    failed(agent, command)
    assert agent.calls == []
