"""Files of other programs: killed or failing at an operation, `connect` leaves each old or new, and can be repeated.

They are no memory files: no journal knows of them, so each is replaced whole, and the same command is run again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pytest
from forms import each
from injector import Call, Fault, Zygote, fresh, harvest, pool, traced
from laws import Tree, broken, failures, kills, rude, strays
from test_points import Show, show

pytestmark = pytest.mark.slow

__all__ = ["show"]  # a fixture

BEFORE: Tree = {
    "home/": b"",
    "home/.claude/settings.json": b'{\n  "theme": "dark"\n}\n',
    "memory/mdmem.toml": b'lang = "en"\n',
    "memory/MEMORY.md": b"# Memory\n\n## Facts\n\n- the heron nests on the mill\n",
    "home/project/AGENTS.md": "# Ours\n\n- 别动这一行\n".encode(),
}
JOBS = ("connect", "disconnect")


class Connection(NamedTuple):
    """A connection or its removal, run undisturbed."""

    job: str
    before: Tree
    after: Tree
    trace: list[Call]


def outside(root: Path) -> Tree:
    """Return the files of other programs: without what mdmem keeps for itself, temporaries, and the folder's name."""
    tree = harvest(root)
    return {
        path: data.replace(bytes(root), b"ROOT") for path, data in tree.items()
        if not path.startswith(("memory/", "home/.local/", "home/.cache/"))
        and not path.endswith("/") and path not in strays(tree)
    }  # fmt: skip


@contextmanager
def ready(zygote: Zygote, job: str) -> Iterator[Path]:
    """Make a folder in which a job can run; what a removal removes is entered there, for it names the folder."""
    with fresh(BEFORE) as root:
        if job == "disconnect":
            assert zygote.run("connections:connect", root).finished
        yield root


@cache
def undisturbed(job: str) -> Connection:
    def run(zygote: Zygote, _: None) -> Connection:
        with ready(zygote, job) as root:
            before = outside(root)
            done, trace = traced(zygote, f"connections:{job}", root)
            assert done.finished, done
            return Connection(job, before, outside(root), trace)

    return pool().map(run, [None])[0]


def tried(zygote: Zygote, run: Connection, fault: Fault) -> Iterator[str]:
    """Run a job under one fault, then again without."""
    with ready(zygote, run.job) as root:
        done = zygote.run(f"connections:{run.job}", root, fault)
        yield from rude(done, root)
        found = outside(root)
        for path in sorted({*run.before, *run.after, *found}):
            if found.get(path) not in (run.before.get(path), run.after.get(path)):
                yield f"{path} is neither the old nor the new version: {found.get(path, b'(missing)')[-80:]!r}"
        again = zygote.run(f"connections:{run.job}", root)
        if not again.finished:
            yield f"could not be run again: {again.error or again.signal}"
        found = outside(root)
        if found != run.after:
            paths = [path for path in {*found, *run.after} if found.get(path) != run.after.get(path)]
            yield f"run again, it is not the same: {paths}"


@pytest.mark.parametrize("job", JOBS)
def test_a_connection_that_was_cut_short_is_whole_and_can_be_made_again(job: str, show: Show) -> None:
    run = undisturbed(job)
    assert run.before != run.after
    faults = [*each(17, list(kills(run.trace))), *each(61, list(failures(run.trace)))]
    points = [
        (f"{job}: {fault.do} {fault.error} at {fault.at}", partial(tried, run=run, fault=fault)) for fault in faults
    ]
    show("connect", len(points), broken(pool(), points))


@pytest.mark.thorough
@pytest.mark.parametrize("job", JOBS)
def test_a_lock_or_a_name_of_the_folder_that_fails_is_told_and_nothing_is_left_half_done(job: str, show: Show) -> None:
    run = undisturbed(job)
    paths = {call.number: call.path for call in run.trace}
    faults = [fault for fault in failures(run.trace) if re.search(r"/locks/|/identity$", paths[fault.at])]
    points = [(f"{job}: {one.do} {one.error} at {one.at}", partial(tried, run=run, fault=one)) for one in faults]
    show("connect locks", len(points), broken(pool(), points))


def test_what_is_removed_is_removed_byte_for_byte() -> None:
    assert undisturbed("disconnect").after == undisturbed("connect").before
