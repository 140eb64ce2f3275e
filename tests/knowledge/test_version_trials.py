"""Two versions take turns: which is better is said only at the stated confidence, and after enough tasks (D062)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from functools import cache
from math import comb
from pathlib import Path

import pytest
from conftest import Make, Text
from forms import many

from mdmem.errors import RefusedError, UsageError
from mdmem.knowledge.model import TaskResult
from mdmem.knowledge.score_intervals import newcombe, wilson
from mdmem.knowledge.trials import compare_results
from mdmem.workspace import Workspace

TASKS, CONFIDENCE = 100, 0.95  # of each version, as shipped

PIECE = """---
name: tea
description: how tea is made for Ann
version: plain
---
# Tea

## Steps

1. Boil the water
2. Wait three minutes
"""


def test_the_intervals_are_those_of_the_papers() -> None:
    """Newcombe 1998a, method 4, for 15 of 148 and 81 of 263; 1998b, method 11, for 56 of 70 against 48 of 80."""
    assert wilson(15, 148, 0.95) == pytest.approx((0.0598, 0.1644), abs=5e-5)
    assert wilson(81, 263, 0.95) == pytest.approx((0.2535, 0.3682), abs=5e-5)
    assert newcombe((48, 80), (56, 70), 0.95) == pytest.approx((0.0428, 0.3422), abs=5e-5)
    assert wilson(0, 0, 0.95) == (0.0, 1.0)
    assert newcombe((0, 0), (3, 3), 0.95) == (-1.0, 1.0)


@cache
def called() -> tuple[list[list[bool]], list[list[bool]]]:
    """Return for each pair of successes whether the second version is called better, and whether the first is."""
    pairs = [[newcombe((a, TASKS), (b, TASKS), CONFIDENCE) for b in range(TASKS + 1)] for a in range(TASKS + 1)]
    return [[low > 0 for low, _ in row] for row in pairs], [[high < 0 for _, high in row] for row in pairs]


def weights(rate: float) -> list[float]:
    """Return how likely each number of successes is."""
    return [comb(TASKS, k) * rate**k * (1 - rate) ** (TASKS - k) for k in range(TASKS + 1)]


def chance(table: list[list[bool]], first: float, second: float) -> float:
    """Return the exact probability of a verdict, if the versions truly succeed at these rates."""
    old, new = weights(first), weights(second)
    return sum(old[a] * new[b] for a in range(TASKS + 1) for b in range(TASKS + 1) if table[a][b])


def most(first: float, second: float) -> float:
    """Return the chance of the best rule that calls equal versions different in 5 % of trials (Neyman, Pearson)."""
    old, new, equal = weights(first), weights(second), weights((first + second) / 2)
    pairs = [(old[a] * new[b], equal[a] * equal[b]) for a in range(TASKS + 1) for b in range(TASKS + 1)]
    found, left = 0.0, 1 - CONFIDENCE
    for true, false in sorted(pairs, key=lambda pair: pair[0] / pair[1], reverse=True):
        share = min(1.0, left / false)
        found, left = found + share * true, left - share * false
    return found


@pytest.mark.slow
def test_equal_versions_are_called_different_in_at_most_one_case_of_twenty() -> None:
    """The exact probability, at every rate."""
    better, worse = called()
    rates = [one / 50 for one in range(1, 50)]
    assert max(chance(better, rate, rate) + chance(worse, rate, rate) for rate in rates) <= 1 - CONFIDENCE


@pytest.mark.slow
def test_ten_points_are_found_where_two_hundred_tasks_can_show_them() -> None:
    """From .90 to 1.00 in 94 % of all streams; in the middle in 26 % and 45 %, where no rule comes to 80 %."""
    better, _ = called()
    assert chance(better, 0.90, 1.00) >= 0.80
    assert chance(better, 0.80, 0.90) == pytest.approx(0.447, abs=0.002)
    assert chance(better, 0.50, 0.60) == pytest.approx(0.261, abs=0.002)
    assert most(0.80, 0.90) == pytest.approx(0.64, abs=0.005)
    assert most(0.50, 0.60) == pytest.approx(0.41, abs=0.005)


def stream(draw: random.Random, rates: dict[str, float], tasks: int) -> Iterator[TaskResult]:
    for number in range(tasks):
        version = "ab"[number % 2]
        yield TaskResult(version, f"{number:05}", draw.random() < rates[version], 3, 2, 0, 900, (f"s{number}",))


@pytest.mark.slow
@pytest.mark.parametrize(("rates", "least", "most"), [
    ({"a": 0.9, "b": 1.0}, 0.80, 1.00),
    ({"a": 0.8, "b": 0.9}, 0.36, 0.54),
    ({"a": 0.8, "b": 0.8}, 0.00, 0.05),
])  # fmt: skip
def test_whoever_looks_after_each_task_is_told_the_same_in_the_end(
    rates: dict[str, float], least: float, most: float
) -> None:
    """Looking again decides nothing else: the first tasks count, and before them nothing is called better."""
    draw, found, streams = random.Random(11), 0, many(120, 1000)
    for _ in range(streams):
        results = list(stream(draw, rates, 2 * TASKS + 60))
        looks = [compare_results("tea", ("a", "b"), results[:end], TASKS, CONFIDENCE) for end in (40, 120, 199)]
        assert {(one.better, one.thin) for one in looks} == {("", True)}
        verdicts = {
            compare_results("tea", ("a", "b"), results[:end], TASKS, CONFIDENCE).better
            for end in (2 * TASKS, 2 * TASKS + 20, 2 * TASKS + 60)
        }
        assert len(verdicts) == 1
        found += verdicts != {""}
    assert least <= found / streams <= most


@pytest.fixture
def work(make: Make) -> Workspace:
    made = make("en", {"knowledge/tea.md": PIECE}, settings="[knowledge]\ntasks = 200\n")
    made.knowledge.save("tea", "plain")
    file = Path(made.root) / "knowledge/tea.md"
    file.write_text(file.read_text("utf-8").replace("three", "five"), "utf-8")
    made.knowledge.save("tea", "strong")
    return made


def task(work: Workspace, outcome: str) -> str:
    """Run the piece in a session of its own; return the version whose turn it was."""
    with work.sessions.start("make tea") as session:
        work.knowledge.run("tea", replace=True)
        session.turn("user", "make tea")
        session.record({"role": "assistant", "text": "", "tool_calls": [{"name": "kettle", "input": "on", "id": "1"}]})
        result = {"id": "1", "content": "hot", "is_error": outcome != "success"}
        session.record({"role": "user", "text": "", "tool_results": [result]})
        session.end("done", outcome)
    front = (Path(work.root) / session.path).read_text("utf-8").partition("\n---\n")[0]
    return front.partition("knowledge: [")[2].partition(" ")[0].strip('"').removeprefix("tea@")


@pytest.mark.slow
def test_two_versions_take_turns_and_their_outcomes_are_read_from_the_sessions(work: Workspace, text: Text) -> None:
    work.knowledge.alternate("tea", "plain", "strong")
    turns = [task(work, outcome) for outcome in ("failed", "success", "success", "success", "failed", "success")]
    assert turns == ["plain", "strong"] * 3
    made = work.knowledge.compare("tea")
    assert [(one.version, one.successes, one.tasks) for one in (made.first, made.second)] == [
        ("plain", 1, 3),
        ("strong", 3, 3),
    ]
    assert (made.thin, made.better, made.wanted) == (True, "", 100)
    assert made.message.startswith("too few tasks to tell: 3 of 100")
    assert (made.first.tools, made.second.errors) == (1, 0)
    assert made.first.errors == pytest.approx(2 / 3)
    assert made.first.tokens > 0
    with pytest.raises(RefusedError, match="neither version is better"):
        work.knowledge.pick("tea")
    work.knowledge.pick("tea", "plain")
    now = text("knowledge/tea.md")
    assert "three minutes" in now
    assert "trial:" not in now
    assert "picked plain; plain: 1 of 3 tasks succeeded, strong: 3 of 3; too few tasks to tell" in now
    assert "[source:: chat:" in now


def test_a_session_names_what_the_plan_runs_that_it_goes_on_with(work: Workspace) -> None:
    work.knowledge.run("tea@plain")
    with work.sessions.start("make tea") as session:
        session.turn("user", "go on with the tea")
        work.plan.done()
        session.end("done", "success")
    work.plan.done()
    os.utime(Path(work.root) / "task_process.md", (1_700_000_000, 1_700_000_000))  # long before the next session
    with work.sessions.start("another thing") as other:
        other.turn("user", "what is the time?")
        other.end("noon", "success")
    assert work.knowledge.compare("tea", "plain", "strong").first.sessions == (session.id,)


def test_two_versions_have_to_be_named(work: Workspace) -> None:
    for names in ((), ("plain",), ("plain", "plain")):
        with pytest.raises(UsageError, match="two different versions"):
            work.knowledge.compare("tea", *names)
