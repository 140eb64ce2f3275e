"""A plan that is a run of a piece: inputs, calls, loops and conditions (D005, D006, D049–D053, D059)."""

from __future__ import annotations

import pytest
from conftest import Make, Run, Text

from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.workspace import Workspace

CSV = """---
name: csv
description: "Import tables: before a parser is written"
---
# Import tables

## Functions

### import_all

- inputs: files, separator = ;
- outputs: the rows of {files}
- preconditions: {files} can be read

1. List {files}
2. CALL check(file=the next file, separator={separator})
3. IF a file is left THEN GOTO 2 ELSE GOTO 4
4. Say how many rows came in

### check

- inputs: file, separator

1. Look at {file}
2. IF it is not split by `{separator}` THEN GOTO 1 ELSE go on
3. Read {file}

### again

1. Divide the work
2. CALL again
"""


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"knowledge/csv.md": CSV})


def test_it_becomes_the_plan_with_its_inputs_filled_in(work: Workspace, text: Text) -> None:
    done = work.knowledge.run("csv:import_all", {"files": "a.csv"})
    plan = work.plan.show()
    assert [(step.number, step.text) for step in plan.steps] == [
        ("1", "List a.csv"),
        ("2", "CALL check(file=the next file, separator=;)"),
        ("2.1", "Look at the next file"),
        ("2.2", "IF it is not split by `;` THEN GOTO 2.1 ELSE go on"),
        ("2.3", "Read the next file"),
        ("3", "IF a file is left THEN GOTO 2 ELSE GOTO 4"),
        ("4", "Say how many rows came in"),
    ]
    assert (plan.pointer, plan.current and plan.current.number, done.status) == ("1", "1", "done")
    state = text("task_process.md")
    assert "- Knowledge: csv:import_all 20" in state
    assert "- Inputs: files = a.csv, separator = ;" in state
    assert "- Preconditions: a.csv can be read" in state
    assert not [one for one in work.lint(["task_process.md", "knowledge"]).diagnostics if one.severity != "note"]


@pytest.mark.slow
def test_a_loop_with_a_condition_and_a_call_runs_to_its_end_by_moves_alone(make: Make, verb: Run) -> None:
    """Each move begins with what stands in the file (D047); test_plan_moves.py kills them in the middle."""
    root = make("en", {"knowledge/csv.md": CSV}).root
    files, seen, retried = ["a.csv", "b.csv", "c.csv"], list[str](), False
    verb("run", "csv:import_all", "files=three files")
    while step := Workspace(root).plan.show().current:
        seen.append(step.number)
        inside = [one for one in Workspace(root).plan.show().steps if one.number.startswith("2.")]
        if step.number == "2" and not inside[0].done:
            verb("plan", "goto", "2.1")
        elif step.number == "2.2" and not retried:
            retried = True
            verb("plan", "goto", "2.1")
        elif step.number == "3" and files[1:]:
            files.pop()
            verb("plan", "goto", "2")
        else:
            verb("plan", "done")
    body = ["2", "2.1", "2.2", "2.3", "2", "3"]
    assert seen == ["1", "2", "2.1", "2.2", *body[1:], *body, *body, "4"]
    assert all(one.done for one in Workspace(root).plan.show().steps)


def test_a_call_of_itself_is_run_below_its_step_when_it_is_reached(work: Workspace) -> None:
    work.knowledge.run("csv:again")
    work.plan.done()
    work.knowledge.run("csv:again", under=".")
    assert [step.number for step in work.plan.show().steps] == ["1", "2", "2.1", "2.2"]
    assert work.plan.show().pointer == "2.1"
    work.knowledge.run("csv:import_all", {"files": "x"}, under="2")
    texts = {step.number: step.text for step in work.plan.show().steps}
    assert texts["2.5"] == "IF a file is left THEN GOTO 2.4 ELSE GOTO 2.6"


def test_a_running_plan_is_not_overwritten_without_a_word(work: Workspace, text: Text) -> None:
    work.plan.add(["ask Ann", "draw the map"])
    before = text("task_process.md")
    with pytest.raises(RefusedError, match="2 open steps; the next is 1: ask Ann") as stopped:
        work.knowledge.run("csv:again")
    assert "--under" in stopped.value.hint
    assert text("task_process.md") == before
    work.knowledge.run("csv:again", replace=True)
    assert "draw the map" not in text("task_process.md")
    assert "draw the map" in text(f"archive/{work.config.day[:7]}.md")
    work.history.undo()
    assert text("task_process.md") == before


def test_wrong_inputs_are_named_with_those_that_there_are(work: Workspace) -> None:
    with pytest.raises(UsageError, match="missing inputs: files") as stopped:
        work.knowledge.run("csv:import_all")
    assert stopped.value.hint == "its inputs: files, separator = ;"
    with pytest.raises(UsageError, match="unknown inputs: file"):
        work.knowledge.run("csv:import_all", {"file": "a", "files": "b"})
    with pytest.raises(TargetError) as none:
        work.knowledge.run("csv:imp")
    assert none.value.candidates == ("import_all", "check", "again")
    with pytest.raises(TargetError) as near:
        work.knowledge.run("cvs")
    assert near.value.candidates == ("csv",)


def test_a_call_may_name_another_piece(make: Make) -> None:
    other = CSV.replace("name: csv", "name: big").replace("CALL check(", "CALL csv:check(")
    work = make("en", {"knowledge/csv.md": CSV, "knowledge/big.md": other})
    work.knowledge.run("big:import_all", {"files": "x"})
    assert "Look at the next file" in [step.text for step in work.plan.show().steps]


def test_the_words_of_steps_are_chinese_too(make: Make) -> None:
    piece = """---
name: 补缺口
description: 补水位数据的缺口
---
# 补缺口

## 函数

### 补

- 输入：站点，误差 = 1 厘米
- 前提：{站点} 的数据已经读入

1. 列出 {站点} 的缺口
2. 调用 核对（站点={站点}）
3. 如果还有缺口，跳到第 2 步，否则结束

### 核对

- 输入：站点

1. 看 {站点} 的偏差
2. 如果偏差不是常数，回到第 1 步
"""
    work = make("zh", {"knowledge/补缺口.md": piece})
    assert work.knowledge.run("补缺口:补", {"站点": "Ouderkerk"}).status == "done"
    assert [step.text for step in work.plan.show().steps] == [
        "列出 Ouderkerk 的缺口",
        "调用 核对（站点=Ouderkerk）",
        "看 Ouderkerk 的偏差",
        "如果偏差不是常数，回到第 2.1 步",
        "如果还有缺口，跳到第 2 步，否则结束",
    ]


def test_an_agent_runs_a_function_whose_name_has_several_words_in_its_open_session(make: Make, text: Text) -> None:
    work = make(
        "en", {"knowledge/csv.md": CSV.replace("### again", "### do it again").replace("CALL again", "Do the rest")}
    )
    session = work.sessions.start("tables", agent="ada")
    done = work.knowledge.run("csv:do it again", agent="ada", actor="ada")
    assert done.path == "agents/ada/task_process.md"
    assert "- Knowledge: csv:do it again 20" in text(done.path)
    assert 'knowledge: ["csv:do it again 20' in text(session.path)
    assert "Divide the work" in work.pack("default", agent="ada").text


def test_orders_that_contradict_each_other_are_told_with_the_one_that_holds(make: Make) -> None:
    one = CSV.replace("## Functions", "## What works\n\n- Always sort the rows by station.\n\n## Functions")
    other = one.replace("name: csv", "name: raw\nprecedence: 10").replace("Always sort", "Never sort")
    work = make("en", {"knowledge/csv.md": one, "knowledge/raw.md": other})
    found = work.knowledge.contradictions(["csv", "raw"])
    assert [(clash.first, clash.second) for clash in found] == [("raw", "csv")]
    work.knowledge.run("raw:again")
    told = work.knowledge.run("csv:again", under=".").hint
    assert "raw:10 `Never sort the rows by station.`" in told
    assert "raw holds" in told
    assert work.knowledge.contradictions(["csv"]) == ()


def test_what_a_plan_runs_is_no_memory_that_recall_gives(work: Workspace) -> None:
    work.knowledge.run("csv:import_all", {"files": "a.csv"})
    recalled = work.recall("knowledge csv: what was imported from a.csv?").text
    assert "csv:import_all 20" not in recalled
    assert "List a.csv" in recalled
    assert any("csv:import_all 20" in hit.text for hit in work.search("csv import_all knowledge"))
