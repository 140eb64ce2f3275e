"""A busy day: an agent with many sessions and prompts, and two agents at once while a person saves the same file."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from editors import Typist, line
from forms import LONG
from harness import hook
from processes import StdioClient, wait_for

from mdmem import Workspace
from mdmem.text.tokens import count_tokens

pytestmark = pytest.mark.slow

PROMPTS = 500 if LONG else 40
IN_A_SESSION = 10
ENTRIES = 60 if LONG else 6
KNOWN = (
    "the Petrel lies at berth 14, her mooring fee is due each April",
    "Marit bought the oak chest for 90 euros",
    "the greenhouse thermostat is set to 7 degrees in winter",
    "Jonas teaches the cello on Wednesdays at five",
    "the archive room key hangs behind the barometer",
    "invoices above 400 euros need two signatures",
    "外婆的老花镜配的是 250 度，在解放路那家店",
    "社区图书馆周一闭馆，还书箱全天开放",
    "阿黄每年三月打疫苗，医生姓骆",
    "菜园的水泵用的是 32 毫米的软管",
)
ABOUT_THEM = (
    "When is the mooring fee of the Petrel due?",
    "What did Marit pay for the oak chest?",
    "To how many degrees did we set the thermostat of the greenhouse?",
    "On which day does Jonas teach the cello?",
    "Where is the key of the archive room?",
    "Do invoices of 500 euros need two signatures?",
    "外婆的老花镜是多少度的？",
    "社区图书馆星期几闭馆？",
    "阿黄的疫苗是几月打？",
    "菜园的水泵要多粗的软管？",
)
ABOUT_OTHERS = (
    "Rename the function parse_row to read_row everywhere, please",
    "Why does this loop never end when the list is empty?",
    "Write a haiku about rain on a tin roof",
    "What is the difference between a mutex and a semaphore?",
    "Translate this sentence into Portuguese: the train was late",
    "把这个函数拆成两个，再补上类型",
    "解释一下什么是二分查找",
    "这个报错是什么意思：list index out of range",
    "ok",
    "/compact",
)


class Day(NamedTuple):
    """The tokens that each prompt brought into the context."""

    asked: list[int]
    others: list[int]


def lived(work: Workspace) -> Day:
    day = Day([], [])
    for number in range(PROMPTS):
        session = f"s{number // IN_A_SESSION}"
        if number % IN_A_SESSION == 0:
            hook(work, "SessionStart", session_id=session, source="startup")
        is_about = number % 2 == 0
        prompt = (ABOUT_THEM if is_about else ABOUT_OTHERS)[number // 2 % 10]
        text = hook(work, "UserPromptSubmit", session_id=session, prompt=prompt)
        (day.asked if is_about else day.others).append(count_tokens(text) if text else 0)
        hook(work, "Stop", session_id=session, last_assistant_message=f"Done, number {number}.")
        if number % IN_A_SESSION == IN_A_SESSION - 1:
            hook(work, "SessionEnd", session_id=session)
    return day


@pytest.mark.thorough
def test_a_busy_day_brings_few_tokens_and_leaves_no_process(make: Callable[..., Workspace]) -> None:
    notes = "".join(f"- 2026-01-{at + 10}: {text}\n" for at, text in enumerate(KNOWN))
    work = make("en", {"memory/2026-01-20.md": f"# 2026-01-20\n\n{notes}"})
    day = lived(work)
    tokens = [*day.asked, *day.others]
    print(f"{len(tokens)} prompts: {sum(tokens) / len(tokens):.0f} tokens each; where nothing is known of it "
          f"{sum(day.others) / len(day.others):.0f}, silent {day.others.count(0)} of {len(day.others)}")  # fmt: skip
    assert sum(tokens) / len(tokens) <= 300
    assert max(tokens) <= work.config.settings.agents.recall_tokens
    assert sum(day.asked) > 0
    once = len(ABOUT_OTHERS)  # later on, the same prompts and their answers are part of the memory
    assert sum(day.others[:once]) <= sum(day.asked[:once]) / 4
    assert ended(work)
    states = Path(work.root, ".mdmem/agents/sessions")
    assert len(list(states.iterdir())) <= -(-PROMPTS // IN_A_SESSION)
    assert max(one.stat().st_size for one in states.iterdir()) < 20_000


def ended(work: Workspace) -> bool:
    """Return whether all processes that were started for this workspace have ended by themselves."""
    return wait_for(lambda: not running(work.root))


def running(root: str) -> list[str]:
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [one for one in found if root in one and "session end" in one]


@pytest.fixture
def server(make: Callable[..., Workspace]) -> Iterator[tuple[Workspace, Callable[[str], dict[str, Any]]]]:
    """A memory, and a function that adds an entry through a running MCP server."""
    pytest.importorskip("mcp.server.lowlevel")
    work = make("en", {"MEMORY.md": "# 记忆\n\n- what was there\n"})
    command = [sys.executable, "-m", "mdmem", "mcp", "--root", work.root]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as mcp:
        client = StdioClient(mcp)
        client.begin()

        def add(text: str) -> dict[str, Any]:
            given = {"name": "memory_add", "arguments": {"path": "MEMORY.md", "content": text}}
            return client.ask("tools/call", given)

        yield work, add
        client.end()


@pytest.mark.thorough
def test_two_agents_and_a_person_at_once_lose_nothing(
    server: tuple[Workspace, Callable[[str], dict[str, Any]]],
) -> None:
    work, add = server
    over = threading.Event()
    typist, pause = Typist(Path(work.root, "MEMORY.md"), "rename_over", fresh=True), 0.05

    def person() -> None:
        while not over.is_set():
            for _ in typist.save():
                pass
            over.wait(pause)

    def hooked() -> None:
        for number in range(ENTRIES):
            hook(work, "UserPromptSubmit", session_id="s", prompt=f"the prompt with number {number} of the day")
            hook(work, "Stop", session_id="s", last_assistant_message=f"answer {number}")

    others = [threading.Thread(target=one) for one in (person, hooked)]
    for one in others:
        one.start()
    told = []
    for number in range(ENTRIES):
        text = f"entry {number} of the agent"
        if add(text)["result"].get("isError"):
            pause *= 2  # on a machine that is busy the person leaves the agent no time to write
        else:
            told.append(text)
    others[1].join(300)
    over.set()
    others[0].join(60)
    time.sleep(work.config.settings.store.displaced_seconds)
    Workspace(work.root).history.recover()
    memory = Path(work.root, "MEMORY.md").read_text("utf-8")
    versions = "".join(work.history.diff(one.id) for one in work.history.log(limit=10_000) if one.files)
    assert told
    assert [number for number in range(typist.saves) if memory.count(line(number + 1).decode()) != 1] == []
    assert [text for text in told if text not in memory and text not in versions] == []
    (session,) = Path(work.root, "sessions").glob("*.md")
    said = session.read_text("utf-8")
    for number in range(ENTRIES):
        assert said.count(f"number {number} of the day") >= 1
        assert f"answer {number}\n" in said
