"""What agents wait for: hooks, the handshake of the MCP server, its memory and its calls.

Run it with `python tests/bench/bench_agents.py`. Hooks are processes in a copy of the example workspace: the CPU time
of the middle run, beside `python -c pass`. Calls go over stdio: the wall time of the middle one, beside the same call
in this process. The client here writes lines and reads lines, so what an SDK adds on its side is not counted.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Self

from clocks import spent, wall
from table_row import Row

from mdmem import Workspace
from mdmem.store.locks import locked
from mdmem.store.root import Root

PROJECT = Path(__file__).parents[2]
MDMEM = [sys.executable, "-m", "mdmem"]
_TIMES = 11
_CALLS = 60
_KIB = 1024
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_PROMPTS = ("Which separator does the riverlog CSV import use, number {n}?", "河流日志的导入为什么慢，第 {n} 次？")
_ASKED = {"query": "csv"}
_OUTPUT = "Exit code 1\n" + "line of a long log\n" * 400
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_search", {"query": "csv 導入"}),
    ("memory_read", {"path": "MEMORY.md"}),
    ("memory_check", {"path": "MEMORY.md"}),
    ("memory_add", {"path": "MEMORY.md", "content": "2026-02-20：第 {n} 次看了水位"}),
)


def rows() -> Iterator[Row]:
    """Measure the hooks, then the server."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"], os.environ["PYTHONPATH"] = f"{folder}/cache", str(PROJECT)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        root = Path(shutil.copytree(PROJECT / "workspace", Path(folder, "memory")))
        ran([*MDMEM, "search", "csv", "--root", str(root)], "")  # the index is there, and settings are in the cache
        ran([*MDMEM, "status", "--root", str(root)], "")
        yield from hooks(root)
        yield from server(root)


def hooks(root: Path) -> Iterator[Row]:
    """Measure each hook as a process."""
    floor = middle(lambda _: ran([sys.executable, "-c", "pass"], ""))
    events: tuple[tuple[str, str, Callable[[int], Mapping[str, object]]], ...] = (
        ("SessionStart", "≤ 120 ms", lambda n: {"session_id": f"start{n}", "source": "startup"}),
        ("UserPromptSubmit", "≤ 80 ms", lambda n: {"session_id": "one", "prompt": _PROMPTS[n % 2].format(n=n)}),
        ("PostToolUse", "", lambda n: {"session_id": "one", "tool_name": "Read", "tool_response": f"{n}"}),
        ("PostToolUseFailure", "", lambda n: {"session_id": "one", "tool_name": "Bash", "error": f"{_OUTPUT}{n}"}),
        ("Stop", "", lambda n: {"session_id": "one", "last_assistant_message": f"Semicolons, for the {n}th time."}),
    )
    for name, goal, payload in events:

        def run(number: int, name: str = name, payload: Callable[[int], Mapping[str, object]] = payload) -> float:
            given = {"hook_event_name": name, "cwd": str(root), **payload(number)}
            return ran([*MDMEM, "hook", "run", name, "--root", str(root)], json.dumps(given))

        run(_TIMES)
        yield Row(f"hook {name}", middle(run), floor, "python -c pass", goal)


def server(root: Path) -> Iterator[Row]:
    """Measure the handshake, the resident memory, and calls beside the same calls in this process."""
    yield Row("mcp, to the answer of the handshake, wall", middle(lambda _: handshake(root)), goal="≤ 1,000 ms")
    with Server(root) as served:
        served.ask("tools/list")
        yield Row("mcp, resident memory, tools listed", served.resident() / _KIB**2, goal="≤ 80 MB", unit="MB")
        work, numbers = Workspace(root), count()
        for name, arguments in TOOLS:

            def given(arguments: Mapping[str, Any] = arguments) -> dict[str, Any]:
                number = next(numbers)
                return {key: value.format(n=number) for key, value in arguments.items()}

            def over_mcp(_: int, name: str = name, given: Callable[[], dict[str, Any]] = given) -> float:
                return wall(lambda: served.ask("tools/call", name=name, arguments=given()))

            def here(_: int, name: str = name, given: Callable[[], dict[str, Any]] = given) -> float:
                return wall(lambda: work.call(name, given(), actor="mcp:bench"))

            pairs = [(over_mcp(n), here(n)) for n in range(_CALLS)]  # in turn, for the machine's speed drifts
            mcp, python = (statistics.median(one) for one in zip(*pairs, strict=True))
            yield Row(f"mcp, {name}, wall", mcp, python, "in Python", "≤ 1.3 ×")
        yield Row("mcp, resident memory, after these calls", served.resident() / _KIB**2, goal="≤ 80 MB", unit="MB")
        with hanging(root, served):
            others = [wall(lambda: served.ask("tools/call", name="memory_search", arguments=_ASKED)) for _ in range(9)]
        yield Row("mcp, slowest other call while one hangs, wall", max(others), goal="≤ 200 ms")


@contextmanager
def hanging(root: Path, served: Server) -> Iterator[None]:
    """Let a call wait for a file that somebody else holds, until the block ends."""
    with Root(str(root)) as opened, locked(opened, ["MEMORY.md"], 0):
        left = served.begin(
            "tools/call", name="memory_add", arguments={"path": "MEMORY.md", "content": "2026-02-20：等"}
        )
        yield
        assert left not in served.answered, "it did not hang"
    served.wait(left)


class Server:
    """`mdmem mcp` as a process that is asked one line after another."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [*MDMEM, "mcp", "--root", str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._numbers = count(1)
        self.answered: dict[int, dict[str, Any]] = {}  # answers that nobody has asked for yet

    def __enter__(self) -> Self:
        self.ask("initialize", **_HELLO)
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """Return the answer to a request."""
        return self.wait(self.begin(method, **params))

    def begin(self, method: str, **params: object) -> int:
        """Send a request; return its number."""
        number = next(self._numbers)
        self._say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def wait(self, number: int) -> dict[str, Any]:
        """Return the answer to the request of a number."""
        assert self._process.stdout
        while number not in self.answered:
            answer: dict[str, Any] = json.loads(self._process.stdout.readline())
            self.answered[answer["id"]] = answer
        answer = self.answered.pop(number)
        assert "result" in answer, answer
        return answer

    def resident(self) -> float:
        """Return the resident memory of the process in bytes."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    def _say(self, message: Mapping[str, object]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def handshake(root: Path) -> float:
    """Return the wall seconds from the start of a server to its first answer."""

    def connect() -> None:
        with Server(root):
            times.append(time.perf_counter() - begin)

    times: list[float] = []
    begin = time.perf_counter()
    connect()
    return times[0]


def ran(command: list[str], given: str) -> float:
    """Return the CPU seconds of a process."""
    return spent(lambda: subprocess.run(command, input=given.encode(), stdout=subprocess.DEVNULL, check=True))


def middle(run: Callable[[int], float]) -> float:
    """Return the middle of several runs."""
    return statistics.median(map(run, range(_TIMES)))


if __name__ == "__main__":
    for row in rows():
        print(row.line(), flush=True)
