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
from editors import BLANK, STYLES, line
from forms import LONG, each
from injector import Done, Editor, Fault, Zygote, fresh, harvest, pool
from laws import Course, Laws, broken, course, rude, strays
from test_points import MEMORY as HEAD
from test_points import Show, show, warm

pytestmark = pytest.mark.slow

__all__ = ["show"]  # a fixture
JOB = "commands:append_patiently"
MEMORY = HEAD + BLANK  # so that the first save leaves the file as long as it was


@cache
def undisturbed() -> Course:
    before = {**warm(), "MEMORY.md": MEMORY}
    return pool().map(lambda zygote, _: course(zygote, JOB, before), [None])[0]


def disturbed(zygote: Zygote, at: int, editor: Editor, job: str = JOB) -> Iterator[str]:
    """Let an editor save at one operation, and say which promise was broken."""
    with fresh(undisturbed().before) as root:
        done = zygote.run(job, root, Fault(at, "ask"), editor=editor)
        if done.signal:
            yield f"ended by signal {done.signal}"
            return
        yield from rude(done, root)
        # a save that was whole before the pen went on is there as soon as the pen answers, nothing of it comes late
        if not editor.steps and not done.held_up:
            yield from _lost((root / "MEMORY.md").read_bytes(), done.saves)
        settled = zygote.run("commands:settle", root)
        if not settled.finished:
            yield f"what came late was not settled: {settled.error}"
        text = (root / "MEMORY.md").read_bytes()
        yield from _lost(text, done.saves)
        entries = text.count(commands.ENTRY.encode())
        if entries != 1 and not (entries == 0 and _may_lack(zygote, root, editor, done)):
            yield f"the entry stands there {entries} times, told: {done.acks}, {done.error}"
        seen = json.loads(zygote.run("commands:inspect", root).acks[0])
        if "MEMORY.md" in seen["made"]:
            yield "a file that was missing or empty for a moment was taken for one that is not there"
        if seen["damage"]:
            yield f"damaged history: {seen['damage']}"
        if strays(harvest(root)):
            yield f"left behind: {strays(harvest(root))}"


def _lost(text: bytes, saves: int) -> Iterator[str]:
    kept = [one for one in MEMORY.splitlines(keepends=True) if one != BLANK]
    wanted = [*kept, *(line(number + 1) for number in range(saves))]
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
    tried = each(1, points(mine))
    show(f"{style} between", len(tried), broken(pool(), tried))


@pytest.mark.parametrize("style", STYLES)
def test_a_save_in_steps_runs_beside_the_pen(style: str, show: Show) -> None:
    mine = [one for one in STEPS if one.style == style]
    tried = each(3, points(mine))
    show(f"{style} in steps", len(tried), broken(pool(), tried))


def held_up(zygote: Zygote, at: int, style: str) -> Iterator[str]:
    """Let an editor save while the pen holds the lease: it waits, and what it then writes is live at once."""
    with fresh(undisturbed().before) as root:
        done = zygote.run(JOB, root, Fault(at, "ask"), editor=Editor(style, "MEMORY.md"))
        if not done.held_up:
            yield "did not wait"
        yield from _lost((root / "MEMORY.md").read_bytes(), done.saves)


@pytest.mark.thorough
@pytest.mark.parametrize("style", ["in_place", "overwrite"])
def test_an_editor_that_waits_for_the_pen_saves_into_the_live_file(style: str, show: Show) -> None:
    trace = undisturbed().trace
    if not any(call.name == "lease" and not call.error for call in trace):
        pytest.skip("no leases on this file system")
    taken = next(call.number for call in trace if call.name == "lease")
    renamed = next(call.number for call in trace if call.path2.endswith("/MEMORY.md"))
    tried = [(f"at {at}", partial(held_up, at=at, style=style)) for at in range(taken + 1, renamed + 1)]
    show(f"{style} waits", len(tried), broken(pool(), tried))


def test_a_save_that_comes_late_comes_home(show: Show) -> None:
    """An editor opens the file and stalls for longer than the pen waits; what it then writes is merged."""
    editor = Editor("overwrite", "MEMORY.md", steps=True, stalls=True)
    tried = [
        (f"stalls at {call.number} {call.name}",
         partial(disturbed, at=call.number, editor=editor, job="commands:append_soon"))
        for call in undisturbed().trace if call.name == "open" and call.path.endswith("/MEMORY.md")
    ]  # fmt: skip
    show("late", len(tried), broken(pool(), tried))


@pytest.mark.thorough
@pytest.mark.parametrize("style", ["in_place", "overwrite"])
def test_an_editor_makes_the_file_first(style: str, show: Show) -> None:
    """The pen makes a new file, and an editor makes it at any moment in between: both texts are there."""
    before = warm()
    run = pool().map(lambda zygote, _: course(zygote, "commands:begin", before), [None])[0]

    def made(zygote: Zygote, at: int) -> Iterator[str]:
        with fresh(before) as root:
            (root / "facts").mkdir(mode=0o700)
            done = zygote.run(
                "commands:begin", root, Fault(at, "ask"), editor=Editor(style, "facts/tea.md", fresh=True)
            )
            yield from rude(done, root)
            text = (root / "facts/tea.md").read_bytes()
            if text.count(line(1)) != done.saves or text.count(b"drinks it") != len(done.acks):
                yield f"{text!r} after {done}"

    tried = [(f"at {call.number} {call.name}", partial(made, at=call.number)) for call in run.trace]
    show(f"{style} makes it", len(tried), broken(pool(), tried))
