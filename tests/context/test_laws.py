"""Laws of every pack: within its budget, the same bytes again, nothing left out in silence, nothing hidden shown."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make
from forms import many
from hypothesis import Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from context.workspaces import BUDGETS, HIDDEN, RECIPES, TURNS, workspaces
from mdmem.context.model import Pack
from mdmem.text.document import parse
from mdmem.text.tokens import count_tokens
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

EXAMPLES = many(25, 500)  # each is a workspace of its own
GENERATE = [Phase.explicit, Phase.generate]  # a whole workspace would take minutes to shrink
COUNTERS: list[Callable[[str], int]] = [
    len,
    count_tokens,
    lambda text: len(text.encode()),
    lambda text: -(-len(text) // 4),
]


def fresh(make: Make, tmp_path: Path, files: dict[str, str]) -> Workspace:
    shutil.rmtree(tmp_path / "workspace", ignore_errors=True)
    return make("zh", files)


def shown(pack: Pack, text: str) -> bool:
    return " ".join(text.split()) in " ".join(pack.text.split())


@examples(max_examples=EXAMPLES, phases=GENERATE)
@given(workspaces(), RECIPES, BUDGETS, TURNS, st.sampled_from(COUNTERS), st.sampled_from([None, "scout"]))
def test_every_pack_keeps_its_budget_and_reports_the_rest(  # type: ignore[no-untyped-def]
    make, tmp_path, files, recipe, budget, turns, counter, agent
) -> None:
    workspace = fresh(make, tmp_path, files)
    result = "x" * 5000 if budget % 2 else "12 passed"

    def again() -> Pack:
        return workspace.pack(
            recipe, budget=budget, rounds=turns, counter=counter, agent=agent, prompt="你是助手。\n\n做事先问。",
            tool_result=result,
        )  # fmt: skip

    pack = again()
    assert counter(pack.text) == pack.tokens <= budget
    assert again() == pack
    assert "\n\n".join(message["content"] for message in pack.messages) == pack.text
    assert "never show this" not in pack.text
    assert HIDDEN not in pack.text
    assert "[待学习]" not in pack.text
    assert_reported(workspace, pack, files, agent)


def assert_reported(workspace: Workspace, pack: Pack, files: dict[str, str], agent: str | None) -> None:
    """Every entry of a file that the recipe shows is in the pack, or in the report by its line."""
    slots = {slot.source: slot for slot in workspace.recipes().get(pack.recipe).slots}
    reported = {(left.path, left.line) for left in pack.left}
    whole = {left.path for left in pack.left if not left.line}
    for name, text in files.items():
        document = parse(text.encode())
        template = workspace.config.schemas.match(name, document)
        assert template
        slot = slots.get(template.kind)
        own = agent is not None and f"agents/{agent}/{name.rpartition('/')[2]}" in files
        if slot is None or ("/" in name) != own or (agent and slot.owner == "agent"):
            continue
        for entry in document.entries:
            body = re.sub(r"\s*\[source:: [^\]]*\]|\s*\^k7f3", "", entry.text)
            told = (name, entry.line + 1) in reported or name in whole
            assert told or shown(pack, body), (name, entry.text, pack.text)


@examples(max_examples=EXAMPLES, phases=GENERATE)
@given(workspaces(), RECIPES, BUDGETS)
def test_rules_stay_longer_than_anything_else(make, tmp_path, files, recipe, budget) -> None:  # type: ignore[no-untyped-def]
    """In one part, no rule is cut for its tokens while something that is none stays."""
    workspace = fresh(make, tmp_path, files)
    pack = workspace.pack(recipe, budget=budget, counter=len)
    for part in pack.parts:
        lost = [left for left in part.left if left.why == "budget" and "必须" in left.text]
        if part.text and lost and part.name not in ("prompt", "contract"):
            entries = [line for line in part.text.splitlines() if line.startswith("- ")]
            assert all("必须" in line or part.name == "pins" for line in entries), part


def test_deleting_the_state_folder_changes_no_pack(make: Make, tmp_path: Path) -> None:
    workspace = make("zh", {"FASTMEMO.md": "## 自我感知\n\n- 先问\n"})
    workspace.add("MEMORY.md", ["2026-02-13：面试"], section="重要事件")
    recipes = workspace.recipes().recipes
    before = {name: workspace.pack(name) for name in recipes}
    assert (tmp_path / "workspace" / ".mdmem").is_dir()
    shutil.rmtree(tmp_path / "workspace" / ".mdmem")
    again = make("zh")
    assert {name: again.pack(name) for name in recipes} == before


@pytest.mark.parametrize("budget", [0, 1, 10])
def test_a_budget_too_small_for_a_title_gives_no_part(make: Make, budget: int) -> None:
    pack = make("zh", {"FASTMEMO.md": "## 自我感知\n\n- 先问\n"}).pack("chat", budget=budget, counter=len)
    assert pack.text == ""
    assert {left.text for left in pack.left} >= {"- 先问"}
