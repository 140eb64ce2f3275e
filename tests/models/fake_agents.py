"""Programs in the place of Claude Code, Codex and Gemini CLI. They record their calls and answer in the same format."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

AGENTS = ("claude", "codex", "gemini")
_PROGRAM = """\
#!{python}
import json, os, sys, time
here = {folder!r}
told = json.load(open(os.path.join(here, "answer.json"), encoding="utf-8"))
names = sorted(os.path.relpath(os.path.join(top, name), ".") for top, _, names in os.walk(".") for name in names)
prompt = sys.stdin.buffer.read().decode()
call = {{"argv": sys.argv[1:], "env": dict(os.environ), "cwd": os.getcwd(), "files": names, "prompt": prompt}}
with open(os.path.join(here, "calls.jsonl"), "a", encoding="utf-8") as log:
    log.write(json.dumps(call) + "\\n")
time.sleep(told["sleep"])
sys.stdout.buffer.write(told["out"].encode())
sys.stdout.flush()
sys.stderr.buffer.write(told["errors"].encode())
sys.stderr.flush()
sys.exit(told["code"])
"""


class FakeAgent:
    """One program on the PATH that records its calls."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self._folder = name, folder / name
        self._folder.mkdir(parents=True)
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(_PROGRAM.format(python=sys.executable, folder=str(self._folder)), "utf-8")
        program.chmod(0o755)
        self.path = str(program.parent)
        self.answers("ready")

    def answers(self, text: str) -> None:
        """Set what it answers."""
        self.prints(good(self.name, text))

    def prints(self, out: str, errors: str = "", code: int = 0, sleep: float = 0) -> None:
        """Set what it prints."""
        told = {"out": out, "errors": errors, "code": code, "sleep": sleep}
        (self._folder / "answer.json").write_text(json.dumps(told), "utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        """How it was called."""
        log = self._folder / "calls.jsonl"
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def good(name: str, text: str) -> str:
    """Return an answer in the form of an agent, as the real ones were seen to print it."""
    if name == "claude":
        usage = {
            "input_tokens": 40,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 50,
            "output_tokens": 10,
        }
        return json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": text, "usage": usage})
    if name == "codex":
        events: list[dict[str, Any]] = [
            {"type": "thread.started", "thread_id": "t1"},
            {"type": "item.completed", "item": {"id": "0", "type": "error", "message": "Model metadata not found."}},
            {"type": "turn.started"},
            {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": text}},
            {"type": "turn.completed", "usage": {"input_tokens": 90, "cached_input_tokens": 50, "output_tokens": 10}},
        ]
        return "\n".join(map(json.dumps, events)) + "\n"
    stats = {"models": {"gemini-2.5-flash": {"tokens": {"prompt": 90, "candidates": 10, "total": 100}}}}
    return json.dumps({"session_id": "s1", "response": text, "stats": stats}, indent=2)
