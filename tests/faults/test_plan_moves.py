"""A move in a running plan is killed at each operation; whoever comes next goes on from the step before or after it.

The function has a loop, a condition and a call of another one; it comes to its end by moves alone (D047, D049-D053).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from forms import each
from injector import Fault, Zygote, fresh, harvest, pool
from laws import Tree, kills, lasting
from plan_moves import PIECE
from test_points import Show, show

from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

__all__ = ["show"]  # a fixture

BEFORE: Tree = {"mdmem.toml": b'lang = "en"\n', "knowledge/csv.md": PIECE.encode()}
PLAN = "task_process.md"
WHOLE = ["1", *(LOOP := ["2", "2.1", "2.2", "2", "3"]), *LOOP, "4"]  # the steps of two rounds


class Move(NamedTuple):
    """A job that is killed: the jobs before it, and where in `WHOLE` the plan stands before and after it."""

    earlier: tuple[str, ...]
    before: int | None  # None: there is no plan
    after: int


JOBS = {
    "begin": Move((), None, 0),
    "done": Move(("begin", "done", "enter"), 2, 3),
    "again": Move(("begin", "done", "enter", "done", "done", "done"), 5, 6),
}


class Killed(NamedTuple):
    """A job that was killed: the point, whether its caller was told, and what became of the plan."""

    point: Fault
    told: bool
    seen: list[str]  # the steps that the next one goes through to the end
    rest: set[str]  # files that are neither memory nor mdmem's own


@pytest.mark.thorough
def test_a_move_that_is_killed_is_made_or_not_and_the_run_comes_to_its_end(show: Show) -> None:
    count = 0
    for job, move in JOBS.items():
        tree, points = _ready(job, move)

        def killed(zygote: Zygote, point: Fault, job: str = job, tree: Tree = tree) -> Killed:
            return _killed(zygote, job, tree, point)

        found = pool().map(killed, points)
        after = WHOLE[move.after :]
        before = WHOLE if move.before is None else WHOLE[move.before :]
        for one in found:
            assert one.seen in ([after] if one.told else [before, after]), (job, one)
            assert not one.rest, (job, one)
        seen = {tuple(one.seen) for one in found}
        assert seen == {tuple(before), tuple(after)}, f"{job}: it was killed before and after it was made"
        count += len(found)
    show("kills of moves in a plan", count, [])


def _ready(job: str, move: Move) -> tuple[Tree, Sequence[Fault]]:
    """Return the files before a job, and the points at which it is killed: each change, and inside of each write."""
    with fresh(BEFORE) as root:
        for earlier in move.earlier:
            assert pool().traced(f"plan_moves:{earlier}", root)[0].finished
        tree = lasting(harvest(root))
    with fresh(tree) as root:  # a copy: where its files are new, a job does more
        done, calls = pool().traced(f"plan_moves:{job}", root)
        assert done.finished
        points = list(kills(calls))
        return tree, [*each(8, points), points[-1]]


def _killed(zygote: Zygote, job: str, tree: Tree, point: Fault) -> Killed:
    with fresh(tree) as root:
        done = zygote.run(f"plan_moves:{job}", root, point)
        assert done.signal, point
        seen = _finish(root, job)
        rest = {path for path in harvest(root) if not path.startswith((".mdmem/", "knowledge/"))}
        return Killed(point, bool(done.acks), seen, rest - {PLAN, "mdmem.toml"})


def _finish(root: Path, job: str) -> list[str]:
    """Go on as whoever comes next, by what stands in the file alone; return the steps that were current."""
    seen: list[str] = []
    if not Workspace(root).plan.show().steps:
        Workspace(root).knowledge.run("csv:import_all", {"files": "two files"})
    while step := (plan := Workspace(root).plan.show()).current:
        assert len(seen) < len(WHOLE)
        seen.append(step.number)
        is_second_round = seen.count("3") > 1 or (job == "again" and seen[0] != "3")
        inside = [one for one in plan.steps if one.number.startswith("2.")]
        if step.number == "3" and not is_second_round:
            Workspace(root).plan.goto("2")
        elif step.number == "2" and not inside[0].done:
            Workspace(root).plan.goto("2.1")
        else:
            Workspace(root).plan.done()
    return seen
