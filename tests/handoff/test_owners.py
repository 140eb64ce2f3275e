"""What agents share, and what is each one's own, through packs and verbs: the table of docs/agents.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make, Run

from mdmem.workspace import Workspace

# kind of file → the words in the workspace's file, in scout's and in rook's
FILES = {
    "world_state.md": "## Environment\n\n- {} weather\n",
    "agent_knowledge.md": "## Lessons\n\n- {} lesson\n",
    "task_process.md": "## TODO list\n\n- [ ] {} step ← current\n",
    "PINS.md": "- {} pin [type:: command] [source:: file:world_state.md]\n",
    ".compact_memory.md": "## Past\n\n- 2026-02-03: {} past\n",
}
EVERY = ("common", "scout", "rook")


@pytest.fixture
def work(make: Make) -> Workspace:
    files = {name: text.format("common") for name, text in FILES.items()}
    files |= {f"agents/{who}/{name}": text.format(who) for who in EVERY[1:] for name, text in FILES.items()}
    files |= {"MEMORY.md": "## Notes\n\n- common memory\n"}
    work = make("en", files)
    for who in EVERY[1:]:
        work.sessions.start(f"{who} history", agent=who).end("done")
    return work


def seen(work: Workspace, recipe: str, thing: str, agent: str | None) -> set[str]:
    """Return whose thing a pack for an agent shows."""
    text = work.pack(recipe, agent=agent).text
    return {who for who in EVERY if f"{who} {thing}" in text}


@pytest.mark.parametrize(
    ("recipe", "thing", "wanted"),
    [
        ("agent", "memory", {"common"}),  # shared
        ("full", "weather", {"common", "rook"}),  # shared, and the own after it
        ("agent", "pin", {"common", "rook"}),
        ("tool_loop", "pin", {"common", "rook"}),
        ("minimal", "lesson", {"rook"}),  # own
        ("full", "lesson", {"rook"}),
        ("minimal", "past", {"rook"}),
        ("tool_loop", "step", {"rook"}),
        ("agent_compact", "step", {"rook"}),
        ("full", "step", {"rook"}),
        ("full", "history", {"rook"}),
    ],
)
def test_an_agent_is_given_what_is_shared_and_its_own(
    work: Workspace, recipe: str, thing: str, wanted: set[str]
) -> None:
    assert seen(work, recipe, thing, "rook") == wanted


def test_an_agent_without_a_plan_of_its_own_is_given_the_workspaces(work: Workspace) -> None:
    assert seen(work, "tool_loop", "step", "kestrel") == {"common"}
    assert seen(work, "full", "step", "kestrel") == set()  # full mode tells of the agent's own task


def test_nobody_in_particular_is_given_no_agents_own(work: Workspace) -> None:
    assert seen(work, "agent", "pin", None) == {"common"}
    assert seen(work, "full", "weather", None) == {"common"}


def test_pins_of_ones_own_through_the_verbs(mdmem: Run, root: Path) -> None:
    """Added, changed, renewed, listed and removed in the agent's folder; no other agent's list or pack holds them."""
    (root / "AGENT.md").write_text("# Agent\n\n- be brief\n", "utf-8")
    for who in ("scout", "rook"):
        mdmem("pin", "add", f"Of {who}", "run make", "-t", "command", "-s", "file:AGENT.md", "--agent", who)
    mdmem("pin", "update", "run make", "--title", "Tests", "--agent", "rook")
    mdmem("pin", "renew", "run make", "--ttl", "14d", "--agent", "rook")
    assert "Tests" in mdmem("pin", "--agent", "rook").stdout
    assert "scout" not in mdmem("pin", "list", "--agent", "rook").stdout
    assert "run make" not in mdmem("pin", "list").stdout
    assert "Of scout" in mdmem("context", "agent", "--agent", "scout").stdout
    assert "Of scout" not in mdmem("context", "agent", "--agent", "rook").stdout
    mdmem("pin", "remove", "run make", "--agent", "rook")
    assert "run make" not in mdmem("pin", "list", "--agent", "rook").stdout
    assert "run make" in mdmem("pin", "list", "--agent", "scout").stdout


def test_pins_of_ones_own_through_the_tools(make: Make) -> None:
    work = make("en", {"AGENT.md": "# Agent\n\n- be brief\n"})
    pin = {"type": "command", "title": "Tests", "summary": "run make", "source": "file:AGENT.md", "agent": "rook"}
    assert work.call("pin_add", pin, actor="rook")["status"] == "done"
    assert "run make" in work.call("pin_list", {"agent": "rook"}, actor="rook")["text"]
    assert "text" not in work.call("pin_list", {"agent": "scout"}, actor="scout")
    assert "text" not in work.call("pin_list", {}, actor="scout")
    assert work.call("pin_remove", {"ids": ["run make"], "agent": "rook"}, actor="rook")["status"] == "done"
