"""Law 4 at every file operation of the pen: kill it there, let it fail, let the power go; then recover, and it is well.

The short form kills at every operation of one command of each kind and takes every few of the other points, the same
ones in each run; `MDMEM_FORM=long` takes all, adds a kill at every reading operation, many more power-cut states, and a
kill inside recovery for every state that a crash can leave.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import cache, partial

import pytest
from forms import LONG, each
from injector import Zygote, fresh, harvest, pool
from laws import (
    Course,
    Crash,
    Tree,
    broken,
    course,
    crash,
    cut,
    describe,
    failed,
    failures,
    killed,
    killed_again,
    kills,
    lasting,
    recovered,
    refused,
    repeated,
    resume,
)

pytestmark = pytest.mark.slow

MEMORY = "# 记忆\n\n- 旧的一条\n".encode()
COLD: Tree = {
    "MEMORY.md": MEMORY,
    "inbox.md": b"# Inbox\n\n- waits\n",
    "notes/": b"",
    "other.md": b"\xff\x00 untouched",
}
JOBS = ("append", "begin", "several", "remove")
BETWEEN = 40 if LONG else 4


@cache
def warm() -> Tree:
    """Return a folder after a few writes, with locks, history and a log."""

    def write(zygote: Zygote, _: None) -> Tree:
        with fresh(COLD) as root:
            for _again in range(2):
                assert zygote.run("commands:next_write", root).finished
            assert zygote.run("commands:append", root).finished
            return lasting(harvest(root))

    return pool().map(write, [None])[0]


@cache
def undisturbed(job: str, kind: str) -> Course:
    before = COLD if kind == "cold" else warm()
    return pool().map(lambda zygote, _: course(zygote, f"commands:{job}", before, between=BETWEEN), [None])[0]


CASES = [*((job, "warm") for job in JOBS), ("append", "cold"), ("several", "cold")]
Show = Callable[..., None]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    """Print how many points were tried, even where all went well."""

    def say(kind: str, points: int, broke: list[str]) -> None:
        with capsys.disabled():
            print(f" {kind}: {points} points, {len(broke)} broken", end="")
        assert not broke, "\n" + "\n".join(broke)

    return say


@pytest.mark.parametrize(("job", "kind"), CASES)
def test_a_kill_leaves_the_old_or_the_new(job: str, kind: str, show: Show) -> None:
    run = undisturbed(job, kind)
    points = [(describe(run, fault), partial(killed, course=run, fault=fault)) for fault in kills(run.trace)]
    show("kill", len(points), broken(pool(), points))


@pytest.mark.parametrize(("job", "kind"), CASES if LONG else CASES[:4])
def test_a_failing_operation_leaves_the_old_or_the_new(job: str, kind: str, show: Show) -> None:
    run = undisturbed(job, kind)
    faults = list(failures(run.trace))
    cut_off = [one for one in faults if one.do in ("short", "full")]
    errors = [one for one in faults if one.do not in ("short", "full")]
    tried = [*cut_off, *each(9, errors)]  # a write that takes half is tried everywhere: there are few
    points = [(describe(run, fault), partial(failed, course=run, fault=fault)) for fault in tried]
    show("fail", len(points), broken(pool(), points))


@pytest.mark.parametrize(("job", "kind"), CASES)
def test_a_power_cut_leaves_the_old_or_the_new(job: str, kind: str, show: Show) -> None:
    run = undisturbed(job, kind)
    points = [
        (f"{job}: power cut after {state.after}, {state.kind}", partial(cut, course=run, state=state))
        for state in each(3, run.disk_states)
    ]
    show("cut", len(points), broken(pool(), points))


@pytest.mark.thorough
@pytest.mark.parametrize("job", ["append", "several"])
def test_what_a_recovery_wrote_outlives_a_power_cut(job: str, show: Show) -> None:
    run = undisturbed(job, "cold")
    points = [
        (describe(run, fault), partial(recovered, course=run, fault=fault)) for fault in each(2, list(kills(run.trace)))
    ]
    show("kill, recovery, cut", len(points), broken(pool(), points))


def test_a_power_cut_after_a_second_run_takes_nothing(show: Show) -> None:
    run = undisturbed("append", "warm")
    points = [
        (describe(run, fault), partial(repeated, course=run, fault=fault)) for fault in each(2, list(kills(run.trace)))
    ]
    show("kill, again, cut", len(points), broken(pool(), points))


@pytest.mark.thorough
def test_what_was_refused_stays_refused_after_a_power_cut(show: Show) -> None:
    run = undisturbed("several", "warm")
    faults = [one for one in failures(run.trace) if one.do == "fail" and (LONG or one.error in (0, errno.EIO))]
    points = [(describe(run, fault), partial(refused, course=run, fault=fault)) for fault in each(5, faults)]
    show("failure, cut", len(points), broken(pool(), points))


@pytest.mark.thorough
def test_a_kill_during_recovery_is_recovered(show: Show) -> None:
    """Crash inside a change over several files; then crash again at every operation of the recovery."""
    run = undisturbed("several", "warm")
    found = pool().map(partial(crash, run), kills(run.trace))
    crashed = [Crash(dict(tree), told) for tree, told in {(tuple(sorted(one.tree.items())), one.told) for one in found}]
    points = []
    for one in crashed if LONG else crashed[:: max(1, len(crashed) // 3)]:
        again = pool().map(partial(resume, run), [one.tree])[0]
        points += [
            (f"after a crash, {describe(again, fault)}", partial(killed_again, course=run, crash=one, fault=fault))
            for fault in kills(again.trace)
        ]
    show("kill in recovery", len(points), broken(pool(), points))
