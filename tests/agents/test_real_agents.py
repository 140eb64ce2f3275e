"""Real agents with a stub of their model and without a network: what reaches the model, and what is kept of the talk.

    npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli
    PATH="$PWD/node_modules/.bin:$PATH" python -m pytest -m agents

Each agent runs with a home folder of its own, in which `mdmem connect` enters the memory.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from editors import Typist, line
from processes import wait_for

from mdmem import Workspace

pytestmark = [pytest.mark.agents, pytest.mark.slow]

PACKED = "2026-02-01: the boat Petrel lies at berth 14"
RECALLED = "2025-03-04: the oak chest was sold to Marit for 90 euros"
ADDED = "2026-02-22: the harbour office closes at noon"
SECRET = "Kz8-river-77q"
PROMPT = f"To whom was the oak chest sold? By the way, my password is {SECRET}."
REPLY = "I have filed Marit's receipt for the oak chest."
PARAPHRASE = "After the summer the boxes went to Ghent, where we now have the flat by the canal."
FLAT = "The user has a flat by the canal in Ghent"
STATED = json.dumps([{"type": "FACT", "subject": "user", "predicate": "flat", "content": FLAT, "importance": 0.8}])
_SECONDS = 90
_ROUNDS = 3  # of two agents at once


def said(asked: dict[str, Any]) -> str:
    """Return what the model says: facts to the keeper, who shows it rounds of a conversation."""
    return STATED if "<rounds>" in json.dumps(asked) else REPLY


Answer = Callable[[dict[str, Any], dict[str, str]], list[dict[str, Any]] | None]


class StubModel(ThreadingHTTPServer):
    """A model that asks for one memory to be added, and then answers; `requests` are the bodies that it was sent."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[str] = []
        self.adds = ADDED
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_HEAD(self) -> None:
                self._send(b"{}", "application/json")

            def do_GET(self) -> None:
                self._send(b'{"models": [], "data": []}', "application/json")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
                asked = json.loads(body) if body.startswith("{") else {}
                events = answer(asked, {"path": "MEMORY.md", "content": stub.adds})
                if events is None:
                    self._send(b'{"input_tokens": 10}', "application/json")
                    return
                if asked.get("tools"):  # the agent also asks for a title of the session
                    stub.requests.append(body)
                self._send("".join(map(server_sent, events)).encode(), "text/event-stream")

            def _send(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])


def server_sent(event: dict[str, Any]) -> str:
    """Return an event of a stream; those of the Gemini API have no name."""
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def anthropic(asked: dict[str, Any], arguments: dict[str, str]) -> list[dict[str, Any]] | None:
    """Answer as the Messages API streams it; None for what is no message."""
    if not asked.get("stream"):
        return None
    tool = next((one["name"] for one in asked.get("tools", ()) if one["name"].endswith("__memory_add")), "")
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": said(asked)}
    stop = "end_turn"
    said_before = json.dumps(asked["messages"])
    if tool and "tool_result" not in said_before and "detailed summary" not in said_before:  # of a compaction
        block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        stop = "tool_use"
    message = {
        "id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": asked.get("model", ""),
        "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1},
    }  # fmt: skip
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]


def responses(asked: dict[str, Any], arguments: dict[str, str]) -> list[dict[str, Any]] | None:
    """Answer as the Responses API streams it."""
    item: dict[str, Any] = {
        "type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": said(asked)}],
    }  # fmt: skip
    if "function_call_output" not in json.dumps(asked.get("input", "")):
        item = {
            "type": "function_call", "id": "f1", "call_id": "c1", "namespace": "mcp__mdmem", "name": "memory_add",
            "arguments": json.dumps(arguments),
        }  # fmt: skip
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": {**usage, "total_tokens": 2}}},
    ]


def generate_content(asked: dict[str, Any], arguments: dict[str, str]) -> list[dict[str, Any]] | None:
    """Answer as the Gemini API streams it; None for what is no question of the agent."""
    offered = [one["name"] for tool in asked.get("tools", ()) for one in tool.get("functionDeclarations", ())]
    if not offered and "Answer as the text above asks." not in json.dumps(asked):
        return None
    part: dict[str, Any] = {"text": said(asked)}
    tool = next((name for name in offered if name.endswith("_memory_add")), "")
    if tool and "functionResponse" not in json.dumps(asked["contents"]):
        part = {"functionCall": {"name": tool, "args": arguments}}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [{"candidates": [candidate], "usageMetadata": usage}]


class Agent(NamedTuple):
    """A real agent in a home of its own, connected with a memory."""

    name: str
    work: Workspace
    home: Path
    model: StubModel
    before: dict[str, bytes]  # its settings before it was connected

    @property
    def env(self) -> dict[str, str]:
        """The environment in which it runs, with the stub as its model."""
        program = shutil.which(self.name)
        assert program
        stub = f"http://127.0.0.1:{self.model.port}"
        return {
            "PATH": os.pathsep.join((os.path.dirname(sys.executable), os.path.dirname(program), os.environ["PATH"])),
            "HOME": str(self.home), "LANG": "C.UTF-8", "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "ANTHROPIC_API_KEY": "fake", "FAKE_KEY": "fake", "GEMINI_API_KEY": "fake", "ANTHROPIC_BASE_URL": stub,
            "GOOGLE_GEMINI_BASE_URL": stub, "GEMINI_CLI_TRUST_WORKSPACE": "true", "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1", "MCP_CONNECTION_NONBLOCKING": "0",
        }  # fmt: skip

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        self.folder.mkdir(exist_ok=True)
        command = [shutil.which(self.name) or "", *words]
        with subprocess.Popen(
            command, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", start_new_session=True,
        ) as process:  # fmt: skip
            try:
                out, errors = process.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with what it started
                raise
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    @property
    def folder(self) -> Path:
        """The project in which it works."""
        return self.home / "project"

    def ask(self, prompt: str) -> subprocess.CompletedProcess[str]:
        """Ask one question; on a busy machine too, the first request waits for the tools."""
        if self.name == "claude":
            return self.run("-p", prompt, "--allowedTools", "mcp__mdmem__memory_add")
        if self.name == "gemini":
            return self.run("-p", prompt, "--allowed-mcp-server-names", "mdmem")
        return self.run("exec", "-c", "mcp_servers.mdmem.required=true", "--skip-git-repo-check",
                        "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox",
                        prompt)  # fmt: skip


CODEX = """\
model = "gpt-5"  # mine
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
"""
GEMINI = """\
{
  // mine
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "model": {"name": "gemini-2.5-flash"}
}
"""
MODELS: dict[str, Answer] = {"claude": anthropic, "codex": responses, "gemini": generate_content}
SETTINGS = {
    "claude": {".claude/settings.json": '{\n  "hooks": {"Stop": []},\n  "cleanupPeriodDays": 20\n}\n'},
    "codex": {".codex/config.toml": CODEX},
    "gemini": {".gemini/settings.json": GEMINI},
}


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    """A memory with one line that is packed, and one that must be recalled."""
    made = Workspace(tmp_path / "memory", lang="en")
    (tmp_path / "memory").mkdir()
    made.init()
    made.add("MEMORY.md", [PACKED])
    day = Path(made.root) / "memory" / "2025-03-04.md"
    day.parent.mkdir(exist_ok=True)
    day.write_text(f"# 2025-03-04\n\n- {RECALLED}\n", "utf-8")
    return made


@pytest.fixture(params=MODELS)
def agent(request: pytest.FixtureRequest, work: Workspace, tmp_path: Path) -> Iterator[Agent]:
    with connected(request.param, work, tmp_path / "home") as found:
        yield found


@contextmanager
def connected(name: str, work: Workspace, home: Path) -> Iterator[Agent]:
    """Connect an agent, with a stub of its model that runs in the meantime."""
    if not shutil.which(name):
        pytest.skip(f"{name} is not on the PATH")
    with StubModel(MODELS[name]) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        before = {}
        for path, text in SETTINGS[name].items():
            (home / path).parent.mkdir(parents=True)
            before[path] = text.replace("{port}", str(model.port)).encode()
            (home / path).write_bytes(before[path])
        connect(work, home, name)
        yield Agent(name, work, home, model, before)
        model.shutdown()


def connect(work: Workspace, home: Path, *words: str) -> None:
    env = {**os.environ, "HOME": str(home)}
    command = [sys.executable, "-m", "mdmem", "connect", *words, "--root", work.root]
    done = subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def files(folder: str) -> dict[str, str]:
    """Return the text of every file of a workspace, those of its state folder too."""
    return {str(one): one.read_text("utf-8", "replace") for one in Path(folder).rglob("*") if one.is_file()}


def test_a_conversation_with_a_real_agent(agent: Agent) -> None:
    done = agent.ask(PROMPT)
    assert REPLY in done.stdout, done.stdout + done.stderr
    asked = agent.model.requests[0]
    assert PACKED in asked, "the memory stands in the model's first request"
    assert RECALLED.partition(": ")[2] in asked, "what fits the prompt is recalled"
    assert "memory_search" in asked

    root = Path(agent.work.root)
    assert ADDED in (root / "MEMORY.md").read_text("utf-8")
    assert any("MEMORY.md" in str(one.files) and agent.name in one.actor for one in agent.work.history.log(limit=9))

    (session,) = (root / "sessions").glob("*.md")
    turns = [(turn.role, turn.text) for turn in agent.work.sessions.show(session.stem).turns if turn.role != "tool"]
    assert [role for role, _ in turns] == ["user", "assistant"]
    assert turns[0][1].count("To whom was the oak chest sold?") == 1
    assert PACKED not in turns[0][1]
    assert turns[1][1].strip() == REPLY
    assert [path for path, text in files(agent.work.root).items() if SECRET in text] == []
    if agent.name != "codex":  # it does not tell that a session ends
        assert wait_for(lambda: re.search(r"^ended: \d", session.read_text("utf-8"), re.MULTILINE) is not None)
        assert wait_for(lambda: bool(agent.work.episodes()))
        assert wait_for(lambda: "oak chest" in (root / "SCRATCHPAD.md").read_text("utf-8"))

    connect(agent.work, agent.home, agent.name, "--remove")
    assert {path: (agent.home / path).read_bytes() for path in agent.before} == agent.before


SKILLS = {"claude": ".claude/skills", "codex": ".codex/skills"}  # where an agent finds the skills of its user
TIDES = "Read the tide table before the boat leaves the harbour."


def test_a_bundle_is_a_folder_of_skills_for_an_agent(agent: Agent, tmp_path: Path) -> None:
    if agent.name not in SKILLS:
        pytest.skip(f"{agent.name} reads no skills")
    maker = Workspace(tmp_path / "maker", lang="en")
    (tmp_path / "maker").mkdir()
    maker.knowledge.add("tides", TIDES, ["look at the table of the harbour office"])
    maker.bundles.make(agent.home / SKILLS[agent.name], "tides", name="harbour")
    done = agent.ask(PROMPT)
    assert any("tides" in asked and TIDES in asked for asked in agent.model.requests), done.stdout + done.stderr


def test_a_paraphrase_is_a_fact_after_the_session_with_the_agent_as_the_keepers_model(agent: Agent) -> None:
    def ours(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "mdmem", *words], env=agent.env, cwd=agent.work.root, capture_output=True, text=True,
            encoding="utf-8", check=True,
        )  # fmt: skip
        return done.stdout

    ours("connect", agent.name, "--keeper")
    assert REPLY in ours("doctor", "--model")
    agent.ask(PARAPHRASE)
    sessions = list(Path(agent.work.root, "sessions").glob("*.md"))
    assert len(sessions) == 1
    if agent.name == "codex":  # it does not tell that a session ends
        ours("session", "end", sessions[0].stem)

    def is_known() -> bool:
        return any(FLAT in path.read_text("utf-8") for path in Path(agent.work.root).glob("facts/*.md"))

    assert wait_for(is_known), ours("doctor")
    assert list(Path(agent.work.root, "sessions").glob("*.md")) == sessions, "the question makes no session of its own"
    ours("connect", agent.name, "--keeper", "--remove")
    assert not (agent.home / ".config" / "mdmem" / "mdmem.toml").exists()


def test_a_conversation_that_goes_on_is_not_given_the_memory_again(agent: Agent) -> None:
    if agent.name == "codex":
        pytest.skip("is tried with two agents")
    agent.ask("To whom was the oak chest sold?")
    given = agent.model.requests[0].count(PACKED), agent.model.requests[0].count(RECALLED.partition(": ")[2])
    assert given == (1, 1)
    goes_on = {"claude": ("--continue",), "gemini": ("--resume", "latest")}[agent.name]
    done = agent.run("-p", "Thank you, that is all.", *goes_on)
    assert REPLY in done.stdout, done.stdout + done.stderr
    last = agent.model.requests[-1]
    assert "To whom was the oak chest sold?" in last, "what was said before stands in the request"
    assert (last.count(PACKED), last.count(RECALLED.partition(": ")[2])) == given


def test_no_file_is_read_because_the_memory_names_it(agent: Agent) -> None:
    """Gemini CLI reads the files of each `@name` in what a start gives. What it reads for the user, he did not say."""
    agent.work.add("MEMORY.md", ["2026-02-03: the file @deploy.md describes it"])
    agent.folder.mkdir()
    (agent.folder / "deploy.md").write_text("the blue heron deploys\n", "utf-8")
    (agent.folder / "notes.md").write_text("the grey gull waits\n", "utf-8")
    done = agent.ask("What does @notes.md say?")
    assert REPLY in done.stdout, done.stdout + done.stderr
    assert "@deploy.md describes" in agent.model.requests[0]
    assert not any("the blue heron" in asked for asked in agent.model.requests)
    if agent.name == "gemini":
        assert "the grey gull" in agent.model.requests[0]
    assert [path for path, text in files(agent.work.root).items() if "the grey gull" in text] == []


def test_two_real_agents_and_a_person_at_once_lose_nothing(work: Workspace, tmp_path: Path) -> None:
    over, replies, kept = threading.Event(), list[str](), list[str]()
    memory = Path(work.root) / "MEMORY.md"
    typist = Typist(memory, "rename_away", fresh=True)  # as Vim saves

    def person() -> None:
        while not over.is_set():
            for _ in typist.save():
                pass
            time.sleep(0.3)

    def talk(agent: Agent) -> None:
        for number in range(_ROUNDS):
            agent.model.adds = f"2026-02-2{number}: {agent.name} saw the ship with number {number}"
            done = agent.ask(f"How was voyage {number} of {agent.name}?")
            replies.append(done.stdout + done.stderr)
            if any(agent.model.adds in asked and "saved to MEMORY.md" in asked for asked in agent.model.requests):
                kept.append(agent.model.adds)  # it was told so; on a busy machine a tool may come late, or refuse

    with connected("claude", work, tmp_path / "one") as one, connected("gemini", work, tmp_path / "two") as two:
        others = [threading.Thread(target=talk, args=(agent,)) for agent in (one, two)]
        hand = threading.Thread(target=person)
        for each in (*others, hand):
            each.start()
        for each in others:
            each.join()
        assert wait_for(lambda: all(session.ended for session in work.sessions.list()))
        over.set()
        hand.join()
    assert [text for text in replies if REPLY not in text] == []
    assert len(replies) == 2 * _ROUNDS
    assert kept
    time.sleep(work.config.settings.store.displaced_seconds)
    fresh = Workspace(work.root)
    fresh.history.recover()
    text = memory.read_text("utf-8")
    versions = "".join(fresh.history.diff(one.id) for one in fresh.history.log(limit=10_000) if one.files)
    assert [number for number in range(typist.saves) if text.count(line(number + 1).decode()) != 1] == []
    assert [added for added in kept if added not in text and added not in versions] == []
    said = [[turn.text.strip() for turn in fresh.sessions.show(each.id).turns] for each in fresh.sessions.list()]
    voyages = {f"How was voyage {number} of {name}?" for number in range(_ROUNDS) for name in ("claude", "gemini")}
    assert sorted(said) == sorted([asked, REPLY] for asked in voyages)


RULE, LATER = "always name the berth of a ship first", "Never write a distance in miles."
GOES_ON = {  # how each agent takes a session up; Claude Code also condenses its context before
    "claude": (
        ("-p", "And the next one?", "--continue"), ("-p", "/compact", "--continue"), ("-p", "Go on.", "--continue"),
    ),
    "codex": (("exec", "resume", "--last", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "Go on."),),
    "gemini": (("-p", "Go on.", "--resume", "latest"),),
}  # fmt: skip


def test_a_rule_stands_in_the_next_session_after_a_resume_and_after_a_compaction(agent: Agent) -> None:
    agent.ask(f"From now on, {RULE}.")
    assert wait_for(lambda: bool(agent.work.sessions.list()))
    if agent.name == "codex":  # it does not tell that a session ends
        command = [sys.executable, "-m", "mdmem", "session", "end", agent.work.sessions.list()[0].id]
        subprocess.run([*command, "--root", agent.work.root], env=agent.env, capture_output=True, check=True)
    assert wait_for(lambda: any(RULE in text for path, text in files(agent.work.root).items() if "/facts/" in path))
    agent.model.requests.clear()
    agent.ask("Where is the Petrel?")
    assert RULE in agent.model.requests[0]
    agent.work.facts.set("user", "rule", LATER, type="rule")
    for words in GOES_ON[agent.name]:
        done = agent.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    last = agent.model.requests[-1]
    assert "Go on." in last
    assert (RULE in last, LATER in last) == (True, True)
    if agent.name == "claude":
        assert "This session is being continued" in last, "its context was condensed"
