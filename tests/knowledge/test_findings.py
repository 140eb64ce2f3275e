"""What lint and run say of pieces: inputs that nobody declares, and orders that contradict each other (D065)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make, Run

from mdmem.errors import UsageError
from mdmem.workspace import Workspace


def piece(name: str, order: str, front: str = "") -> str:
    return f"---\nname: {name}\ndescription: {name} for guests\n{front}---\n# {name}\n\n## What works\n\n- {order}\n"


def found(work: Workspace, code: str) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.message) for one in work.lint().diagnostics if one.code == code]


def test_lint_names_both_orders_until_a_precedence_or_a_change_decides(make: Make) -> None:
    work = make("en", {
        "knowledge/raw.md": piece("raw", "Never sort the rows by station."),
        "knowledge/csv.md": piece("csv", "Always sort the rows by station."),
        "knowledge/tea.md": piece("tea", "Always warm the pot."),
    })  # fmt: skip
    told = ("knowledge/raw.md", 9, "this contradicts knowledge/csv.md:9: “Always sort the rows by station.”")
    assert found(work, "MM611") == [told]
    assert found(Workspace(work.root), "MM611") == [told], "from the cache too"
    assert [one.path for one in work.lint(["knowledge/tea.md"]).diagnostics if one.code == "MM611"] == []
    file = Path(work.root) / "knowledge/csv.md"
    file.write_text(piece("csv", "Always sort the rows by station.", "precedence: 5\n"), "utf-8")
    assert found(work, "MM611") == []
    file.write_text(piece("csv", "Always sort the rows by day and station."), "utf-8")
    assert len(found(work, "MM611")) == 1


def test_a_thousand_opposed_orders_are_found_each_once(make: Make) -> None:
    orders = "\n".join(f"- {'Never' if at % 2 else 'Always'} sort the rows of table {at // 2}" for at in range(2000))
    work = make("en", {"knowledge/csv.md": piece("csv", "Read it") + orders + "\n"})
    codes = [one.code for one in work.lint(["knowledge"], select=["MM611"]).diagnostics]
    assert codes
    assert len(codes) <= 1000


STEPS = """---
name: tea
description: How tea is made
---
# Tea

## Steps

1. Boil {water} in `${HOME}`
2. CALL pour(cup=first)

## Functions

### pour

- inputs: cup
- outputs: a {size} cup

1. Pour into the {cup} cup
"""


def test_an_input_that_nobody_declares_is_a_finding_and_told_by_run(make: Make, verb: Run) -> None:
    work = make("en", {"knowledge/tea.md": STEPS})
    assert [(line, text.split(":")[0]) for _, line, text in found(work, "MM610")] == [
        (9, "`{water}` stays as it is"), (17, "`{size}` stays as it is"),
    ]  # fmt: skip
    done = work.knowledge.run("tea")
    assert "`{water}` stays as it is: `- inputs: …` of tea does not declare it" in done.hint
    assert "`{size}` stays as it is: `- inputs: …` of tea:pour does not declare it" in done.hint
    assert work.plan.show().steps[0].text == "Boil {water} in `${HOME}`"
    assert "`{water}` stays as it is" in verb("run", "tea", "--replace").stdout
    with pytest.raises(UsageError, match="unknown inputs: water") as stopped:
        work.knowledge.run("tea", {"water": "rain"}, replace=True)
    assert "no `- inputs:` line declares" in stopped.value.hint


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_new_piece_declares_its_inputs_outputs_and_preconditions(make: Make, verb: Run, lang: str) -> None:
    work = make(lang)
    verb(
        "knowledge", "add", "tea", "How tea is made", "Boil {water}", "Wait {minutes} minutes", "--input", "water",
        "--input", "minutes = 3", "--outputs", "a cup of {water}", "--preconditions", "{water} is there",
    )  # fmt: skip
    assert found(work, "MM610") == []
    work.knowledge.run("tea", {"water": "rain"})
    assert [step.text for step in work.plan.show().steps] == ["Boil rain", "Wait 3 minutes"]
    assert "a cup of rain" in Path(work.root, "task_process.md").read_text("utf-8")


def test_what_an_input_must_be_and_what_is_left_open_is_said_at_once(make: Make) -> None:
    work = make("en")
    for wrong in ("two words", "a, b", "= 3", "{"):
        with pytest.raises(UsageError, match="cannot be an input"):
            work.knowledge.add("tea", "How tea is made", "Boil it", inputs=[wrong])
    work.knowledge.add("tea", "How tea is made", ["Boil {water} for {minutes}"], inputs=["minutes = 3"])
    assert "- inputs: minutes = 3, water\n" in Path(work.root, "knowledge/tea.md").read_text("utf-8")
