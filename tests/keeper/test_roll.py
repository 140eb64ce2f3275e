"""A notebook keeps its limit by itself, in whole notes with their sources, and `why` leads back to the originals."""

from __future__ import annotations

import statistics
from functools import partial
from pathlib import Path

import pytest
from forms import many
from growth import steps
from harness import entries, said

from mdmem.artifacts.run_notes import rolled_runs
from mdmem.formats.limits import size
from mdmem.keeper.condensing.proof import plan_problems
from mdmem.keeper.condensing.roll_up import roll
from mdmem.keeper.model import CompactionTask
from mdmem.text.document import parse

from .conftest import Make, MakeTask

pytestmark = pytest.mark.slow

MOST = 5000
RUNS = many(75, 300)


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_many_runs_of_one_day_keep_the_limit_and_cost_the_same(make: Make, lang: str) -> None:
    workspace, costs = make(lang=lang), []
    for number in range(RUNS):
        put = partial(workspace.artifacts.put, b"%d passed\n" % number, tool="shell", exit_code=0)
        call = partial(put, input=f"pytest tests/t{number}.py")
        if number in (*range(20, 25), *range(RUNS - 5, RUNS)):
            costs.append(steps(call))
        else:
            call()
        if number % 50 == 49:
            assert size(parse(said(workspace, "NOTEBOOK.md").encode())).chars <= MOST
    notes = entries(workspace, "NOTEBOOK.md", "近况" if lang == "zh" else "Recent")
    assert f"{RUNS - 1} passed" in notes[-1]
    counted = [text for text in notes if rolled_runs(text)]
    assert len(counted) == 1
    assert len(notes) - 1 + int("".join(filter(str.isdigit, counted[0].split("tool:")[0][10:]))) == RUNS
    assert not Path(workspace.root, "archive").exists(), "the artifacts hold all that the notes said"
    assert statistics.median(costs[5:]) < 2 * statistics.median(costs[:5])
    assert not [one for one in workspace.lint(["NOTEBOOK.md"]).diagnostics if one.severity != "note"]
    why = workspace.history.why(counted[0])
    runs = {one.id for one in workspace.artifacts.list(limit=1000)}
    assert len(why.before) == 12
    assert {one.path.rpartition("/")[2][:-3] for one in why.before} <= runs


@pytest.mark.thorough
def test_a_note_that_somebody_wrote_is_not_counted_away(make: Make) -> None:
    workspace = make(lang="en")
    kept = workspace.artifacts.put(b"7 passed\n", tool="shell", input="pytest", exit_code=0)
    mine = f"2026-02-20: the parser was right all along [source:: tool:{kept.id}]"
    workspace.add("NOTEBOOK.md", [mine], section="Recent", actor="main")
    for number in range(many(70, 120)):
        workspace.artifacts.put(b"%d ok\n" % number, tool="shell", input=f"run {number}", exit_code=0)
    assert mine in entries(workspace, "NOTEBOOK.md", "Recent")


def notes(count: int) -> str:
    rows = "".join(
        f"- 2026-02-20: step {number}, Dr. Petrova said 3.{number} mg at 23:40 [source:: chat:x#{number}]\n"
        for number in range(count)
    )
    milestone = "- 2026-01-02: decided on Latin-1\n"
    return (
        f"# Notebook\n\n## Milestones\n\n{milestone}\n## Recent\n\n- 2026-01-03: first #milestone\n- never push\n{rows}"
    )


@pytest.mark.thorough
def test_one_day_of_a_thousand_steps_is_rolled_up_whole(make: Make, task: MakeTask) -> None:
    text = notes(1000)
    now: CompactionTask = task(text, "NOTEBOOK.md")
    (operation,) = roll(now)
    assert list(plan_problems(now, [operation])) == []
    kept = [line.removeprefix("- ") for line in operation.content.splitlines()]
    assert set(kept) <= {entry.text for entry in now.document.entries}, "whole notes, each with its source"
    assert kept[:2] == ["2026-01-03: first #milestone", "never push"]
    assert kept[-1].startswith("2026-02-20: step 999,")
    workspace = make({"NOTEBOOK.md": text}, lang="en")
    (done,) = workspace.compact("NOTEBOOK.md")
    assert done.status == "done", done
    after = said(workspace, "NOTEBOOK.md")
    assert 0.6 * MOST < size(parse(after.encode())).chars <= MOST
    archived = said(workspace, "archive/2026-02.md")
    assert [n for n in range(1000) if f"step {n}," not in after + archived] == []
    assert "decided on Latin-1" in after


def test_why_names_the_originals_that_are_in_a_line(make: Make) -> None:
    first, second, third = "2026-01-05: the gauge is in NAP", "2026-01-06: spikes are 999", "2026-01-07: ask Bram"
    workspace = make({"FASTMEMO.md": "# 表层记忆\n\n## 环境感知\n\n" + "".join(
        f"- {one}\n" for one in (first, second, third))})  # fmt: skip
    answer = f'[{{"tool": "memory_edit", "section": "环境感知", "content": "{first}；{third}"}}]'
    (done,) = workspace.compact("FASTMEMO.md", now=True, apply=answer)
    assert done.status == "done", done
    why = workspace.history.why(entries(workspace, "FASTMEMO.md", "环境感知")[0])
    assert [one.text for one in why.before] == ["the gauge is in NAP", "ask Bram"]
