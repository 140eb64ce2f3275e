"""Run an agent with memory: `python agent.py FOLDER`. The model is a stub with a script; put yours in its place."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from mdmem import Workspace

SCRIPT: list[dict[str, Any]] = [
    {"tool": "memory_search", "arguments": {"query": "tea"}},
    {"tool": "memory_add", "arguments": {"path": "MEMORY.md", "content": "2026-03-02: the PIN of the card is 4711"}},
    {"tool": "memory_add", "arguments": {"path": "MEMORY.md", "content": "2026-03-02: drinks green tea after lunch"}},
    {"say": "Noted: green tea after lunch."},
]


def stub(script: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield one answer after another; a real model is sent the messages and the tools."""
    yield from script


def answer(workspace: Workspace, question: str) -> object:
    """Ask the model, run the tools that it calls, and return what it says."""
    model = stub(SCRIPT)
    with workspace.sessions.start(question, agent="example") as session:
        session.turn("user", question)
        while True:
            pack = workspace.pack("chat", prompt="You keep a memory.", rounds=[("user", question)])
            tools = workspace.tools()
            assert pack.messages, tools  # what a real model is sent
            reply = next(model)
            if "say" in reply:
                session.turn("assistant", reply["say"])
                session.end(reply["say"])
                return reply["say"]
            result = workspace.call(reply["tool"], reply["arguments"], actor="example")
            print(reply["tool"], "→", result["status"], "·", result["message"])
            session.turn("tool", json.dumps(result, ensure_ascii=False))


if __name__ == "__main__":
    print(answer(Workspace(sys.argv[1], lang="en"), "I drink green tea after lunch. Remember that."))
