"""The state of G046 out and in: printed from the files, edited by hand, proposed in the inbox (B1 row 10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Make

from mdmem.errors import RefusedError, UsageError
from mdmem.workspace import Workspace

FILES = {
    "PINS.md": (
        "- **Quay**: the north quay is closed on Mondays [type:: constraint] [source:: chat:1] "
        "[created:: 2026-02-19] ^pq1\n"
        "- the timetable is in `data/ferries.csv` [type:: path] [source:: chat:2] [created:: 2026-02-19]\n"
    ),
    "task_process.md": (
        "## Current state\n\n- Pointer: 2\n- Phase: executing\n\n## TODO list\n\n"
        "- [x] read the timetable\n- [ ] count the departures ← current\n- [ ] draw the map\n"
    ),
    "NOTEBOOK.md": (
        "## Recent\n\n- 2026-02-18: the harbour office answers on weekdays only [source:: chat:1]\n"
        "- 2026-02-19: two of nine ferries take bicycles [source:: tool:t0007]\n"
    ),
    "prompts/prompt.md": "Be brief.\n",
    "prompts/contract.md": "One call at a time.\n",
}
KEYS = {
    "version", "base_prompt_ref", "tool_contract_ref", "fastmemo_ref", "fastmemo_dynamic_pool_ref", "pins", "plan",
    "notebook", "recent_window_policy", "limits",
}  # fmt: skip


def printed(workspace: Workspace, recipe: str = "default") -> dict[str, Any]:
    return workspace.pack(recipe).as_dict()


@pytest.mark.parametrize("recipe", ["default", "chat", "pet", "minimal"])
def test_every_key_is_printed_whatever_the_recipe(make: Make, recipe: str) -> None:
    state = printed(make("en", FILES), recipe)
    assert set(state) >= KEYS
    assert (state["base_prompt_ref"], state["tool_contract_ref"]) == ("prompts/prompt.md", "prompts/contract.md")
    pin = state["pins"][0]
    assert (pin["id"], pin["title"], pin["summary"]) == ("pq1", "Quay", "the north quay is closed on Mondays")
    assert [step["text"] for step in state["plan"]] == ["read the timetable", "count the departures", "draw the map"]
    assert state["notebook"][1]["source"] == "tool:t0007"


def test_an_unchanged_state_changes_nothing(make: Make) -> None:
    workspace = make("en", FILES)
    assert workspace.propose_state(printed(workspace)).status == "unchanged"
    assert not workspace.inbox.list()


def test_changes_wait_in_the_inbox_and_are_made_when_accepted(make: Make, tmp_path: Path) -> None:
    workspace, root = make("en", FILES), tmp_path / "workspace"
    state = printed(workspace)
    state["pins"][0] |= {"title": "South quay", "summary": "the south quay is closed on Tuesdays", "ttl": "3d"}
    del state["pins"][1]
    state["pins"].append({"type": "conclusion", "summary": "bicycles are free", "source": "chat:3"})
    state["plan"][1] |= {"text": "count the late departures", "done": True}
    state["plan"].append({"text": "send it to Noor"})
    state["notebook"][1]["summary"] += ", both in the evening"
    done = workspace.propose_state(state)
    assert done.status == "waiting"
    assert all(name in done.message for name in ("PINS.md", "task_process.md", "NOTEBOOK.md", "inbox.md"))
    assert {name: (root / name).read_text() for name in FILES} == FILES, "nothing is changed before a person agrees"
    workspace.inbox.accept([item.key for item in workspace.inbox.list()])
    pins = (root / "PINS.md").read_text()
    assert "- **South quay**: the south quay is closed on Tuesdays [type:: constraint] [source:: chat:1]" in pins
    assert "[ttl:: 3d]" in pins
    assert "timetable" not in pins
    assert "- bicycles are free [type:: conclusion] [source:: chat:3] [created:: 2026-02-20]" in pins
    plan = (root / "task_process.md").read_text()
    assert "- [x] count the late departures ← current\n" in plan
    assert "- [ ] send it to Noor\n" in plan
    assert "take bicycles, both in the evening [source:: tool:t0007]\n" in (root / "NOTEBOOK.md").read_text()
    again = printed(workspace)
    assert [pin["title"] for pin in again["pins"]] == ["South quay", ""]


def test_a_file_that_moved_on_is_told(make: Make, tmp_path: Path) -> None:
    workspace = make("en", FILES)
    state = printed(workspace)
    workspace.add("NOTEBOOK.md", ["2026-02-20: the map is drawn"], section="Recent")
    with pytest.raises(UsageError, match=r"NOTEBOOK\.md has changed"):
        workspace.propose_state(state)


def test_a_state_of_another_program_takes_nothing_out(make: Make) -> None:
    """It has no digests: what it does not hold may be what it never knew."""
    workspace = make("en", FILES)
    outcome = workspace.propose_state({"version": 1, "pins": [{"id": "pq1", "summary": "closed in March"}], "plan": []})
    assert outcome.status == "waiting"
    (item,) = workspace.inbox.list()
    assert item.path == "PINS.md"
    removed = [line for line in item.change.splitlines() if line.startswith("-")]
    assert len(removed) == 1


@pytest.mark.parametrize(
    "state", [None, [], {}, {"pins": 3}, {"pins": ["x"]}, {"plan": [{"text": 3}]}, {"notebook": [{"ts": "2026-01-01"}]}]
)
def test_what_is_no_state_is_told(make: Make, state: object) -> None:
    with pytest.raises(UsageError):
        make("en", FILES).propose_state(state)


def test_an_order_or_a_secret_is_refused(make: Make) -> None:
    workspace = make("en", FILES)
    state = printed(workspace)
    state["pins"][0]["summary"] = "the router password is Kz8-river-77"
    with pytest.raises(RefusedError):
        workspace.propose_state(state)
    assert not workspace.inbox.list()
