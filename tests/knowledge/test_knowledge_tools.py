"""Agents look up pieces and run them by tools, which are offered where there is a piece."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from bundles.conftest import SKILLS, write_folder
from conftest import Make

from mdmem.agents.sdk.hermes import HermesMemory
from mdmem.workspace import Workspace

PIECE = """---
name: pour
description: How tea is poured for Ann
---
# pour

## Functions

### one_cup

- inputs: cup, minutes = 3

1. Warm the {cup}
2. Wait {minutes} minutes

### rinse

1. Rinse the pot
"""
OWN = {"knowledge", "knowledge_run", "plan"}


def over_mcp(work: Workspace, *calls: tuple[str, dict[str, Any]]) -> tuple[set[str], list[str]]:
    """Return the tools that a client is offered, and what it is told."""
    pytest.importorskip("mcp.server.lowlevel")
    from mcp import Client

    from mdmem.agents.mcp.server import MemoryServer, ServerOptions

    async def run() -> tuple[set[str], list[str]]:
        async with Client(MemoryServer(ServerOptions(work.root, work.lang)).build(), mode="auto") as client:
            names = {one.name for one in (await client.list_tools()).tools}
            replies = [await client.call_tool(*call) for call in calls]
            return names, [str(getattr(one.content[0], "text", "")) for one in replies]

    return asyncio.run(run())


@pytest.mark.slow
def test_an_agent_over_mcp_finds_a_piece_runs_it_and_steps_through_it(make: Make) -> None:
    work = make("en", {"MEMORY.md": "# Memory\n"})
    assert not over_mcp(work)[0] & OWN
    Path(work.root, "knowledge").mkdir()
    Path(work.root, "knowledge/pour.md").write_text(PIECE, "utf-8")
    names, told = over_mcp(
        work,
        ("knowledge", {}),
        ("knowledge", {"task": "pour tea for Ann"}),
        ("knowledge", {"name": "pour"}),
        ("knowledge_run", {"name": "pour:one_cup", "inputs": {"cup": "mug"}}),
        ("plan", {"action": "done"}),
        ("knowledge_run", {"name": "pour:rinse"}),
        ("knowledge_run", {"name": "pour:rinse", "under": "."}),
        ("knowledge", {"name": "tea"}),
    )
    assert names >= OWN
    listed, fitting, piece, ran, stepped, refused, below, missing = told
    assert "pour: How tea is poured for Ann" in listed
    assert "pour: How tea is poured for Ann" in fitting
    assert "`pour:one_cup` (cup, minutes = 3), `pour:rinse`" in piece
    assert "1. Warm the {cup}" in piece
    assert "[ ] 1 Warm the mug ←" in ran
    assert "[ ] 2 Wait 3 minutes ←" in stepped
    assert "1 open step" in refused
    assert "2.1 Rinse the pot" in below
    assert "`pour`" in missing or "pour" in missing
    assert not [one for one in told if "mdmem " in one]


def test_hermes_is_offered_them_too(make: Make) -> None:
    def offered(work: Workspace) -> set[str]:
        hermes = HermesMemory(work.root)
        hermes.initialize("s1")
        return {one["name"] for one in hermes.get_tool_schemas()}

    assert not offered(make("en", {"MEMORY.md": "# Memory\n"})) & OWN
    work = make("en", {"knowledge/pour.md": PIECE})
    assert offered(work) >= OWN


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_untrusted_piece_is_neither_listed_nor_shown_nor_run_and_offers_no_tool(
    make: Make, tmp_path: Path, lang: str
) -> None:
    work = make(lang)
    work.bundles.install(write_folder(tmp_path / "skills", SKILLS), "riverlog")
    assert not {*_usual(work)} & OWN
    for name, arguments in (("knowledge", {"name": "riverlog/review"}), ("knowledge_run", {"name": "riverlog/review"})):
        reply = work.call(name, arguments)
        assert (reply["status"], reply.get("text", "")) == ("error", "")
    assert "riverlog" not in json.dumps(work.call("knowledge", {}))


def _usual(work: Workspace) -> tuple[str, ...]:
    from mdmem.tools.dispatch import usual

    return usual(work)
