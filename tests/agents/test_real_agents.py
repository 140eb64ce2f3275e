"""Real agents with a stub of their model and without a network: what reaches the model, and what is kept of the talk.

    npm install @anthropic-ai/claude-code @openai/codex
    PATH="$PWD/node_modules/.bin:$PATH" python -m pytest -m agents

Each agent runs with a home folder of its own, in which `mdmem connect` enters the memory.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mdmem import Workspace

pytestmark = [pytest.mark.agents, pytest.mark.slow]

PACKED = "2026-02-01: the boat Petrel lies at berth 14"
RECALLED = "2025-03-04: the oak chest was sold to Marit for 90 euros"
ADDED = "2026-02-22: the harbour office closes at noon"
SECRET = "Kz8-river-77q"
PROMPT = f"To whom was the oak chest sold? By the way, my password is {SECRET}."
REPLY = "Marit bought the oak chest."
ARGUMENTS = {"path": "MEMORY.md", "content": ADDED}
_SECONDS = 90


class StubModel(ThreadingHTTPServer):
    """A model that asks for one memory to be added, and then answers; `requests` are the bodies that it was sent."""

    def __init__(self, answer: Callable[[dict[str, Any]], list[dict[str, Any]] | None]) -> None:
        self.requests: list[str] = []
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
                events = answer(asked)
                if events is None:
                    self._send(b'{"input_tokens": 10}', "application/json")
                    return
                if asked.get("tools"):  # the agent also asks for a title of the session
                    stub.requests.append(body)
                lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
                self._send("".join(lines).encode(), "text/event-stream")

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


def anthropic(asked: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Answer as the Messages API streams it; None for what is no message."""
    if not asked.get("stream"):
        return None
    tool = next((one["name"] for one in asked.get("tools", ()) if one["name"].endswith("__memory_add")), "")
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": REPLY}
    stop = "end_turn"
    if tool and "tool_result" not in json.dumps(asked["messages"]):
        block = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)}
        stop = "tool_use"
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model", ""), "content": [],
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


def responses(asked: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Answer as the Responses API streams it."""
    item: dict[str, Any] = {
        "type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": REPLY}],
    }  # fmt: skip
    if "function_call_output" not in json.dumps(asked.get("input", "")):
        item = {
            "type": "function_call", "id": "f1", "call_id": "c1", "namespace": "mcp__mdmem", "name": "memory_add",
            "arguments": json.dumps(ARGUMENTS),
        }  # fmt: skip
    usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None}
    return [
        {"type": "response.created", "response": {"id": "r1"}},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": {"id": "r1", "usage": {**usage, "total_tokens": 2}}},
    ]


class Agent(NamedTuple):
    """A real agent in a home of its own, connected with a memory."""

    name: str
    work: Workspace
    home: Path
    model: StubModel
    before: dict[str, bytes]  # its settings before it was connected

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        program = shutil.which(self.name)
        assert program
        env = {
            "PATH": os.pathsep.join((os.path.dirname(sys.executable), os.path.dirname(program), os.environ["PATH"])),
            "HOME": str(self.home), "ANTHROPIC_API_KEY": "fake", "FAKE_KEY": "fake", "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self.model.port}", "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
        }  # fmt: skip
        folder = self.home / "project"
        folder.mkdir(exist_ok=True)
        return subprocess.run(
            [program, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            encoding="utf-8", timeout=_SECONDS, check=False,
        )  # fmt: skip

    def ask(self, prompt: str) -> subprocess.CompletedProcess[str]:
        if self.name == "claude":
            return self.run("-p", prompt, "--allowedTools", "mcp__mdmem__memory_add")
        return self.run("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
                        "--dangerously-bypass-approvals-and-sandbox", prompt)  # fmt: skip


CODEX = """\
model = "gpt-5"  # mine
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
"""
SETTINGS = {
    "claude": {".claude/settings.json": '{\n  "hooks": {"Stop": []},\n  "cleanupPeriodDays": 20\n}\n'},
    "codex": {".codex/config.toml": CODEX},
}


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    name = request.param
    if not shutil.which(name):
        pytest.skip(f"{name} is not on the PATH")
    work = Workspace(tmp_path / "memory", lang="en")
    (tmp_path / "memory").mkdir()
    work.init()
    work.add("MEMORY.md", [PACKED])
    day = Path(work.root) / "memory" / "2025-03-04.md"
    day.parent.mkdir(exist_ok=True)
    day.write_text(f"# 2025-03-04\n\n- {RECALLED}\n", "utf-8")
    home = tmp_path / "home"
    with StubModel(anthropic if name == "claude" else responses) as model:
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


def wait_for(found: Callable[[], bool]) -> bool:
    until = time.monotonic() + 30
    while not found() and time.monotonic() < until:
        time.sleep(0.1)
    return found()


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
    said = session.read_text("utf-8")
    assert "To whom was the oak chest sold?" in said
    assert REPLY in said
    assert [path for path, text in files(agent.work.root).items() if SECRET in text] == []
    if agent.name == "claude":  # Codex does not tell that a session ends
        assert wait_for(lambda: re.search(r"^ended: \d", session.read_text("utf-8"), re.MULTILINE) is not None)
        assert wait_for(lambda: bool(agent.work.episodes()))
        assert wait_for(lambda: "oak chest" in (root / "SCRATCHPAD.md").read_text("utf-8"))

    connect(agent.work, agent.home, agent.name, "--remove")
    assert {path: (agent.home / path).read_bytes() for path in agent.before} == agent.before


def test_a_conversation_that_goes_on_is_not_given_the_memory_again(agent: Agent) -> None:
    if agent.name != "claude":
        pytest.skip("is tried with one agent")
    agent.ask("To whom was the oak chest sold?")
    given = agent.model.requests[0].count(PACKED)
    assert given == 1
    done = agent.run("-p", "Thank you, that is all.", "--continue")
    assert REPLY in done.stdout, done.stdout + done.stderr
    assert agent.model.requests[-1].count(PACKED) == given
