"""Laws 4 and 12 for journeys of several changes: killed at each operation, each change is whole; run again, it ends so.

The journeys are the end of a session (end, extract, episode, scratchpad, review), an extraction, a night, an import and
`init`. The long form kills at each operation, also at those that only read. Where an operation fails, what the journey
tells is so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pytest
from forms import each
from injector import Call, Fault, Zygote, fresh, harvest, pool, traced
from journeys import SETTINGS, STEPWISE
from laws import States, Tree, belied, broken, failures, kills, lasting, memories, rude, strays
from test_points import Show, show

pytestmark = pytest.mark.slow

__all__ = ["show"]  # a fixture

_SAMPLE = 41  # every so-many-th error is tried, for a long journey can meet nine thousand


class Journey(NamedTuple):
    """A journey run undisturbed."""

    name: str
    before: Tree
    steps: tuple[Tree, ...]  # the memories before, and after each change; no two are the same
    trace: list[Call]
    states: States  # of the crashes that were looked at


@cache
def undisturbed(name: str) -> Journey:
    def run(zygote: Zygote, _: None) -> Journey:
        with fresh({"mdmem.toml": SETTINGS}) as root:
            done = zygote.run(f"journeys:{STEPWISE[name].prepare}", root)
            assert done.finished, done
            before = lasting(harvest(root))
        with fresh(before) as root:
            done = zygote.run(f"journeys:steps_of_{name}", root)
            assert done.finished, done
            copies = sorted(Path(root.parent, "steps").iterdir())
            steps = [memories(before), *(memories(harvest(copy)) for copy in copies)]
        with fresh(before) as root:
            done, trace = traced(zygote, f"journeys:{name}", root)
            assert done.finished, done
            assert memories(harvest(root)) == steps[-1]
        unique = tuple(step for at, step in enumerate(steps) if step not in steps[:at])
        return Journey(name, before, unique, trace, States())

    return pool().map(run, [None])[0]


def killed(zygote: Zygote, journey: Journey, fault: Fault) -> Iterator[str]:
    """Kill a journey at one operation, recover, and run it twice again."""
    with fresh(journey.before) as root:
        done = zygote.run(f"journeys:{journey.name}", root, fault)
        if done.signal != 9 and not done.operations < fault.at:
            yield f"was not killed: {done}"
        crashed = harvest(root)
        yield from mixed(journey.steps, memories(crashed))
        if not journey.states.new(crashed, told=False):  # the same crash but for random names
            return
        if not zygote.run("commands:recover", root).finished:
            yield "recovery failed"
        if memories(harvest(root)) not in journey.steps:
            yield "a change is there in part"
        yield from resumed(zygote, journey, root)
        yield from healthy(zygote, root)


def mixed(steps: Sequence[Tree], found: Tree) -> Iterator[str]:
    """Law 4: each file is one of its versions, whole."""
    for path in sorted({*found, *(path for step in steps for path in step)}):
        if found.get(path) not in [step.get(path) for step in steps]:
            yield f"{path} is none of its versions: {found.get(path, b'(missing)')[-80:]!r}"


def resumed(zygote: Zygote, journey: Journey, root: Path) -> Iterator[str]:
    """Law 12: run again, the journey comes to the same end; once more, and nothing changes."""
    for turn in ("again", "once more"):
        done = zygote.run(f"journeys:{journey.name}", root)
        if not done.finished:
            yield f"could not be run {turn}: {done.error or done.signal}"
        found, wanted = memories(harvest(root)), journey.steps[-1]
        if found not in journey.steps[-STEPWISE[journey.name].ends :]:
            paths = sorted(path for path in {*found, *wanted} if found.get(path) != wanted.get(path))
            shown = [found.get(path, b"(missing)").decode("utf-8", "replace") for path in paths[:1]]
            yield f"run {turn}, it is not the same: {paths} {shown}"


def healthy(zygote: Zygote, root: Path) -> Iterator[str]:
    """The history is whole, and a day later no temporary is left."""
    seen = json.loads(zygote.run("commands:inspect", root).acks[0])
    if seen["damage"] or seen["missing"] or seen["journal"]:
        yield f"the history is not whole: {seen}"
    later = zygote.run("commands:recover_later", root)
    if not later.finished or strays(harvest(root)):
        yield f"a day later: {later.error or strays(harvest(root))}"


@pytest.mark.parametrize("name", STEPWISE)
def test_a_killed_journey_is_whole_step_by_step_and_comes_to_its_end(name: str, show: Show) -> None:
    journey = undisturbed(name)
    assert len(journey.steps) == STEPWISE[name].steps
    faults = each(41, list(kills(journey.trace)))
    points = [(f"{name}: {fault.do} at {fault.at}", partial(killed, journey=journey, fault=fault)) for fault in faults]
    show("kill, again", len(points), broken(pool(), points))


def failed(zygote: Zygote, journey: Journey, fault: Fault) -> Iterator[str]:
    """Fail one operation of a journey: the error is one of mdmem's, says what stays, and the history is complete."""
    with fresh(journey.before) as root:
        done = zygote.run(f"journeys:{journey.name}", root, fault)
        if done.signal:
            yield f"ended by signal {done.signal}"
        yield from rude(done, root)
        yield from belied(done, *map(notes, (journey.steps[0], journey.steps[-1], memories(harvest(root)))))
        if not zygote.run("commands:recover", root).finished:
            yield "recovery failed"
        yield from healthy(zygote, root)


def notes(tree: Tree) -> Tree:
    """Return the texts without copies of attachments: one that the disk refuses to remove stays, and lint finds it."""
    return {path: data for path, data in tree.items() if path.endswith(".md")}


@pytest.mark.thorough
@pytest.mark.parametrize("name", STEPWISE)
def test_a_journey_that_a_disk_refuses_tells_what_is_so(name: str, show: Show) -> None:
    journey = undisturbed(name)
    faults = each(5, list(failures(journey.trace))[::_SAMPLE])
    points = [(describe(journey, fault), partial(failed, journey=journey, fault=fault)) for fault in faults]
    show("fail", len(points), broken(pool(), points))


def describe(journey: Journey, fault: Fault) -> str:
    call = next(one for one in journey.trace if one.number == fault.at)
    return f"{journey.name}: {fault.do} {fault.error} at {fault.at} {call.name} {call.path.partition('/memory')[2]}"
