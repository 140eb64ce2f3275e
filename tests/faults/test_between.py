"""Law 5, step by step: an editor that knows nothing of mdmem saves between any two file operations of the pen.

The pen stops before an operation, the editor saves (or makes one step of its save), the pen goes on. What is promised:

- No save of an editor is lost: its line is in the file at the end.
- What was there before is still there, once.
- An entry that the caller was told is written is in the file once; or, where the editor saved a text that it had
  loaded *before* and so did not know the entry, it is in a version that the log names, and `undo` and `log` find it.
  No program can do more: nobody can tell a stale text from one in which a person deleted that line.
- Else the caller gets an error, and the entry is not in the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial

import commands
import pytest
from editors import STYLES, line
from injector import LONG, Done, Editor, Fault, Zygote, fresh, harvest, pool
from laws import Course, Laws, broken, course, rude, strays
from test_points import MEMORY, Show, show, warm

__all__ = ["show"]  # a fixture
JOB = "commands:append_patiently"


@cache
def undisturbed() -> Course:
    before = {**warm(), "MEMORY.md": MEMORY}
    return pool().map(lambda zygote, _: course(zygote, JOB, before), [None])[0]


def disturbed(zygote: Zygote, at: int, editor: Editor) -> Iterator[str]:
    """Let an editor save at one operation, and say which promise was broken."""
    with fresh(undisturbed().before) as root:
        done = zygote.run(JOB, root, Fault(at, "ask"), editor=editor)
        if done.signal:
            yield f"ended by signal {done.signal}"
            return
        yield from rude(done, root)
        settled = zygote.run("commands:settle", root)
        if not settled.finished:
            yield f"what came late was not settled: {settled.error}"
        text = (root / "MEMORY.md").read_bytes()
        yield from _lost(text, done.saves)
        entries = text.count(commands.ENTRY.encode())
        if entries != 1 and not (entries == 0 and _may_lack(zygote, root, editor, done)):
            yield f"the entry stands there {entries} times, told: {done.acks}, {done.error}"
        if strays(harvest(root)):
            yield f"left behind: {strays(harvest(root))}"


def _lost(text: bytes, saves: int) -> Iterator[str]:
    wanted = [*MEMORY.splitlines(keepends=True), *(line(number + 1) for number in range(saves))]
    for one in filter(bytes.strip, wanted):
        if text.count(one) != 1:
            yield f"{one!r} stands there {text.count(one)} times"


def _may_lack(zygote: Zygote, root: object, editor: Editor, done: Done) -> bool:
    if not done.acks:
        return True
    versions = json.loads(zygote.run("commands:versions", root).acks[0])  # type: ignore[arg-type]
    stale = not editor.fresh or editor.steps or done.held_up  # it waited between loading the text and saving it
    return bool(stale) and any(commands.ENTRY in version for version in versions)


def points(editors: list[Editor]) -> list[tuple[str, Laws]]:
    """Give the moments of saves: every operation while the file is exchanged; in the short form few others."""
    trace = undisturbed().trace
    opened = max(call.number for call in trace if call.name == "open" and call.path.endswith("/MEMORY.md"))
    renamed = next(call.number for call in trace if call.path2.endswith("/MEMORY.md"))
    return [
        (f"{editor} at {call.number} {call.name} {call.path.rpartition('/')[2]}",
         partial(disturbed, at=call.number, editor=editor))
        for editor in editors for call in trace
        if LONG or opened - 2 <= call.number <= renamed + 3 or call.number % 8 == 0
    ]  # fmt: skip


WHOLE = [Editor(style, "MEMORY.md", times, fresh) for style in STYLES for fresh in (True, False) for times in (1, 2, 3)]
STEPS = [Editor(style, "MEMORY.md", 12, fresh, steps=True) for style in STYLES for fresh in (True, False)]
Chosen = Callable[[Editor], bool]


@pytest.mark.parametrize("style", STYLES)
def test_an_editor_saves_between_any_two_operations(style: str, show: Show) -> None:
    mine = [one for one in WHOLE if one.style == style and (LONG or one.times == 1 + one.fresh)]
    tried = points(mine)
    show(f"{style} between", len(tried), broken(pool(), tried))


@pytest.mark.parametrize("style", STYLES)
def test_a_save_in_steps_runs_beside_the_pen(style: str, show: Show) -> None:
    mine = [one for one in STEPS if one.style == style]
    tried = points(mine)
    show(f"{style} in steps", len(tried), broken(pool(), tried))
