"""A turn is in its session whole, or not at all, whatever operation it dies at; what is left of it is set aside."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pytest
from commands import TURN
from forms import each, many
from injector import Call, Done, Fault, Zygote, fresh, harvest, pool, traced
from laws import Tree, failures, kills

pytestmark = pytest.mark.slow

PATH = "sessions/s.md"
OLD = b"---\nagent: main\n---\n# Session: s\n\n## Turns\n\n### 1 user 10:00\n\n\xe5\x97\xa8\n"
BEFORE: Tree = {PATH: OLD, "other.md": b"\xff\x00 untouched"}
NEW = OLD + TURN


def broken(zygote: Zygote, fault: Fault) -> list[str]:
    with fresh(BEFORE) as root:
        done = zygote.run("commands:say_turn", root, fault)
        return [f"{fault}: {what}" for what in _broken(zygote, root, done)]


def _broken(zygote: Zygote, root, done: Done) -> Iterator[str]:  # type: ignore[no-untyped-def]
    left = harvest(root)[PATH]
    if not NEW.startswith(left) or not left.startswith(OLD):
        yield f"neither the old, nor the new, nor a beginning of it: {left!r}"
    if done.finished and left != NEW:
        yield "told that it is written, and it is not"
    if done.error and "nothing was changed" in done.error["hint"] and left != OLD:
        yield "told that nothing was changed, and it was"
    honest = ("written, and", "written whole")
    if done.error and left == NEW and not any(words in done.error["message"] for words in honest):
        yield f"does not say that it is written: {done.error['message']}"
    if done.error and str(root) in str(done.error):
        yield "names a path of the host"
    recovered = zygote.run("commands:recover", root)
    tree = harvest(root)
    if not recovered.finished or tree[PATH] != (NEW if left == NEW else OLD):
        yield f"not whole after recovery: {recovered} {tree[PATH]!r}"
    if left not in (OLD, NEW) and left not in tree.values():
        yield "what was left of the turn is not in the history"
    if tree["other.md"] != BEFORE["other.md"]:
        yield "another file was touched"
    again = zygote.run("commands:say_turn", root)
    if not again.finished or harvest(root)[PATH] != tree[PATH] + TURN:
        yield f"the next turn does not stand: {again}"
    if any(path.endswith(".append") for path in harvest(root)):
        yield "a note is left"


def _over_quota(trace: list[Call]) -> Iterator[Fault]:
    return (Fault(one.at, "always", errno.EDQUOT) for one in kills(trace))


def _chosen(faults: list[Fault]) -> list[Fault]:
    """Return every half write, and in the short form every fifth error."""
    halves = [one for one in faults if one.do in ("short", "full")]
    return [*halves, *each(5, [one for one in faults if one not in halves])]


def course() -> list[Fault]:
    def run(zygote: Zygote, _: None) -> list[Fault]:
        with fresh(BEFORE) as root:
            assert zygote.run("commands:say_turn", root).finished
        with fresh(BEFORE) as root:
            done, trace = traced(zygote, "commands:say_turn", root)
            assert done.finished
            assert harvest(root)[PATH] == NEW
            return [*kills(trace), *_chosen([*failures(trace), *_over_quota(trace)])]

    return pool().map(run, [None])[0]


def test_a_turn_is_whole_or_not_there() -> None:
    points = course()
    found = pool().map(broken, points)
    assert len(points) > many(60, 100, middle=100)
    broke = [line for lines in found for line in lines]
    assert not broke, "\n".join(broke)
