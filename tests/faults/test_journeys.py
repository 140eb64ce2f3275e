"""Laws 4 and 12 for every verb: killed at each of its file operations; a forgetting that was cut short is finished.

The short form fails some of the operations of two verbs; the long form all of every verb, and cuts the power.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial

import pytest
from forms import LONG, each
from injector import Fault, Zygote, fresh, harvest, pool
from journeys import SECRET, SETTINGS, VERBS
from laws import Course, Tree, broken, course, cut, describe, failed, failures, killed, kills, lasting, memories, rude
from test_points import Show, show

pytestmark = pytest.mark.slow

__all__ = ["show"]  # a fixture


@cache
def ready() -> Tree:
    def prepare(zygote: Zygote, _: None) -> Tree:
        with fresh({"mdmem.toml": SETTINGS}) as root:
            done = zygote.run("journeys:prepare", root)
            assert done.finished, done
            return lasting(harvest(root))

    return pool().map(prepare, [None])[0]


@cache
def undisturbed(verb: str) -> Course:
    between, before = 10 if LONG else 0, ready()  # before a zygote is taken, for there may be one only
    return pool().map(lambda zygote, _: course(zygote, f"journeys:{verb}", before, between=between), [None])[0]


@pytest.mark.parametrize("verb", VERBS)
def test_a_killed_verb_leaves_the_old_or_the_new(verb: str, show: Show) -> None:
    run = undisturbed(verb)
    faults = list(kills(run.trace))
    points = [(describe(run, fault), partial(killed, course=run, fault=fault)) for fault in each(15, faults)]
    show("kill", len(points), broken(pool(), points))


@pytest.mark.parametrize("verb", VERBS if LONG else ("edit", "rename", "forget"))
def test_a_failing_verb_leaves_the_old_or_the_new(verb: str, show: Show) -> None:
    run = undisturbed(verb)
    faults = list(failures(run.trace))
    points = [(describe(run, one), partial(failed, course=run, fault=one)) for one in each(40, faults)]
    show("fail", len(points), broken(pool(), points))


@pytest.mark.skipif(not LONG, reason="the long form")
@pytest.mark.parametrize("verb", VERBS)
def test_a_power_cut_in_a_verb_leaves_the_old_or_the_new(verb: str, show: Show) -> None:
    run = undisturbed(verb)
    points = [
        (f"{verb}: power cut after {state.after}, {state.kind}", partial(cut, course=run, state=state))
        for state in run.disk_states
    ]
    show("cut", len(points), broken(pool(), points))


def forgotten(zygote: Zygote, fault: Fault) -> Iterator[str]:
    """Kill a forgetting, run it again, and look for the text in every file and every name."""
    with fresh(ready()) as root:
        zygote.run("journeys:forget", root, fault)
        again = zygote.run("journeys:forget", root)
        if not again.finished:
            yield f"could not be run again: {again.error}"
        for path, data in harvest(root).items():
            if SECRET.encode() in data or SECRET in path:
                yield f"still stands in {path}"


def test_a_forgetting_that_was_cut_short_is_finished_by_the_next(show: Show) -> None:
    run = undisturbed("forget")
    points = [(describe(run, fault), partial(forgotten, fault=fault)) for fault in each(17, list(kills(run.trace)))]
    show("forget twice", len(points), broken(pool(), points))


def observed(zygote: Zygote, fault: Fault) -> Iterator[str]:
    """Kill a verb that only logs: no file is touched, what the log names is kept, and the next run finishes."""
    with fresh(ready()) as root:
        done = zygote.run("journeys:dismiss", root, fault)
        yield from rude(done, root)
        if memories(harvest(root)) != memories(ready()):
            yield "a file was touched"
        recovered = zygote.run("commands:recover", root)
        seen = json.loads(zygote.run("commands:inspect", root).acks[0])
        if not recovered.finished or seen["damage"] or seen["missing"] or seen["journal"]:
            yield f"not recovered: {recovered.error}, {seen}"
        lost = zygote.run("journeys:still_lost", root).acks[0] == "lost.md"
        if done.acks and lost:
            yield "the caller was told that it is noted, and it is not"
        if lost and not zygote.run("journeys:dismiss", root).finished:
            yield "could not be run again"


def test_a_loss_is_dismissed_or_not_and_no_file_is_touched(show: Show) -> None:
    run = undisturbed("dismiss")
    faults = [*kills(run.trace), *(failures(run.trace) if LONG else [])]
    points = [(describe(run, fault), partial(observed, fault=fault)) for fault in each(11, faults)]
    show("dismiss", len(points), broken(pool(), points))
