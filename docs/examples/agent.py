"""Run an agent with memory: `python agent.py FOLDER`. The model is a stub with a script; put yours in its place."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from mdmem import OpenSession, Workspace

SCRIPT: list[dict[str, Any]] = [
    {"tool": "memory_search", "arguments": {"query": "tea"}},
    {"tool": "memory_add", "arguments": {"path": "MEMORY.md", "content": "2026-03-02: the PIN of the card is 4711"}},
    {"tool": "memory_add", "arguments": {"path": "MEMORY.md", "content": "2026-03-02: drinks green tea after lunch"}},
    {"say": "Noted: green tea after lunch."},
]


def stub(script: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield one answer after another; a real model is sent the messages and the tools."""
    yield from script


def answer(workspace: Workspace, session: OpenSession, model: Iterator[dict[str, Any]], question: str) -> str:
    """Ask the model, run the tools that it calls, and return what it says."""
    session.turn("user", question)
    while True:
        pack = workspace.pack("chat", prompt="You keep a memory.", rounds=[("user", question)])
        recalled, tools = workspace.recall(question, budget=200), workspace.tools()
        assert pack.messages, (recalled.text, tools)  # what a real model is sent
        reply = next(model)
        if "say" in reply:
            session.turn("assistant", reply["say"])
            return str(reply["say"])
        result = workspace.call(reply["tool"], reply["arguments"], actor="example")
        print(reply["tool"], "→", result["status"], "·", result["message"])
        session.turn("tool", json.dumps(result, ensure_ascii=False))


def main(workspace: Workspace) -> None:
    """Hold a conversation; its end takes from it what is worth keeping, and the keeper condenses what is full."""
    with workspace.keeper.busy(), workspace.sessions.start("Tea", agent="example") as session:
        said = answer(workspace, session, stub(SCRIPT), "I moved to Delft last week. Remember my green tea.")
        print(said)
        print(session.end(said).hint)
    for outcome in workspace.compact():
        print("keeper:", outcome.message)


if __name__ == "__main__":
    main(Workspace(sys.argv[1], lang="en"))
