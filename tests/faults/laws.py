"""Runs one command under one fault and says which laws broke: laws 3 to 6, as sentences about what a folder holds."""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from forms import LONG
from injector import Call, Done, Fault, Pool, Zygote, fresh, harvest, plant, read_trace, traced
from power import Disk, State, states

Tree = dict[str, bytes]
UNLIKE = ("archive/forgotten.md", "archive/nights/")  # a random salt, names of runs: no two runs write the same
SALTED = UNLIKE[0]
Laws = Callable[[Zygote], Iterator[str]]  # tries one point and gives what broke
ERRORS = {errno.EIO: "i", errno.ENOSPC: "s", errno.EACCES: "a"}


class States:
    """The states of a folder that were looked at already; random names and digests count for nothing."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()

    def new(self, tree: Tree, *, told: bool) -> bool:
        """Tell whether a state is new, and remember it."""
        key = (told, *sorted((_plain(path.encode()), _plain(data)) for path, data in _unlocked(tree).items()))
        fresh = key not in self._seen
        self._seen.add(key)
        return fresh


def _plain(text: bytes) -> bytes:
    return re.sub(rb"[0-9a-f]{8,}|[0-9]{6,}", b"#", text)


class Course(NamedTuple):
    """A command run undisturbed: what the folder held before and after, and every file operation between."""

    job: str
    before: Tree
    after: Tree
    trace: list[Call]
    log_before: int  # lines in the log that name files
    disk_states: tuple[State, ...]
    states: States


def course(zygote: Zygote, job: str, before: Tree, *, between: int = 0) -> Course:
    """Run a command undisturbed; `between` power-cut states are sampled at every operation."""
    with fresh(before) as root:
        log_before = json.loads(zygote.run("commands:inspect", root).acks[0])["log"]
    with fresh(before) as root:
        disk = Disk(root)
        done, trace = traced(zygote, job, root)
        assert done.finished, done
        assert any(call.changes for call in trace), (
            "the injector saw nothing: it is not between Python and the C library"
        )
        cuts = tuple(states(disk, trace, between=between)) if between else ()
        return Course(job, before, harvest(root), trace, log_before, cuts, States())


def kills(trace: list[Call]) -> Iterator[Fault]:
    """Give the kills that can leave different folders: before each operation that changes something, and inside."""
    changing = [call for call in trace if call.changes]
    for call in trace if LONG else changing:
        yield Fault(call.number, "kill")
    for call in changing:
        if call.name == "write" and call.size > 1:
            yield Fault(call.number, "torn")
    if changing:
        yield Fault(changing[-1].number, "after")


def failures(trace: list[Call]) -> Iterator[Fault]:
    """Give every error that every operation can meet, once and for good, and writes that take only half.

    The short form lets operations that only read meet one error, once.
    """
    for call in trace:
        met = [code for code, letter in ERRORS.items() if letter in call.can]
        for code in met if LONG or call.changes else met[:1]:
            yield Fault(call.number, "fail", code)
            if LONG or call.changes:
                yield Fault(call.number, "always", code)
        if call.name == "write" and call.size > 1:
            yield Fault(call.number, "short")
            yield Fault(call.number, "full", errno.ENOSPC)


def memories(tree: Tree) -> Tree:
    """Give the files a person sees: without mdmem's own folder, and the temporaries that a kill leaves for recovery."""
    return {
        path: data for path, data in tree.items()
        if not path.startswith(".mdmem/") and not path.rpartition("/")[2].startswith(".") and not path.endswith("/")
        and not path.startswith(UNLIKE)
    }  # fmt: skip


def lasting(tree: Tree) -> Tree:
    """Return a tree without displaced files. They expire while a test runs, so later jobs would do more operations."""
    return {path: data for path, data in tree.items() if "/displaced/" not in path}


def strays(tree: Tree) -> list[str]:
    """Give the temporaries beside memories, in mdmem's own folder too."""
    return [path for path in tree if path.endswith((".mdmem", ".tmp"))]


def half(course: Course, tree: Tree) -> Iterator[str]:
    """Law 4: every memory file is the old or the new version, whole, and the rest is untouched."""
    old, new, found = (memories(one) for one in (course.before, course.after, tree))
    for path in sorted({*old, *new, *found}):
        if found.get(path) not in (old.get(path), new.get(path)):
            yield f"{path} is neither the old nor the new version: {found.get(path, b'(missing)')[-80:]!r}"


def unsettled(course: Course, tree: Tree, *, told: bool) -> Iterator[str]:
    """Law 4 after recovery: all files or none; what the caller was told is there."""
    old, new, found = (memories(one) for one in (course.before, course.after, tree))
    if found not in (old, new):
        yield f"neither all nor nothing: {[path for path in {*old, *new, *found} if found.get(path) != old.get(path)]}"
    if told and found != new:
        yield "the caller was told that it is written, and it is not"


def rude(done: Done, root: Path) -> Iterator[str]:
    """An error is one of ours and names no path of the host; nothing hangs."""
    if done.error is None:
        return
    if not done.error["code"]:
        yield f"raised {done.error['repr']}"
    if str(root) in done.error["message"] + done.error["hint"]:
        yield f"a host path in a message: {done.error['message']}"


def untrue(course: Course, done: Done, tree: Tree) -> Iterator[str]:
    """What an error says of the files is so."""
    yield from belied(done, *(memories(one) for one in (course.before, course.after, tree)))


def belied(done: Done, old: Tree, new: Tree, found: Tree) -> Iterator[str]:
    """An error says «nothing was changed» only where nothing was, and else that something is written."""
    if done.error is None:
        return
    if "nothing was changed" in done.error["hint"] and found != old:
        yield f"says that nothing was changed: {done.error['message']}"
    honest = ("written, but not synced", "not fully undone", "is gone from the files", "written before this stays")
    if found != old and not any(words in done.error["message"] + done.error["hint"] for words in honest):
        yield f"does not say that it is written{'' if found == new else ' in part'}: {done.error['message']}"


def aftermath(
    zygote: Zygote, course: Course, root: Path, *, told: bool, power_cut: bool = False, again_killed: bool = False
) -> Iterator[str]:
    """Recover, and hold what is there then to the laws: settled, stable, a healthy history, and a pen that writes.

    The short form skips a state that was looked at before, but for random names.
    """
    if not (LONG or course.states.new(harvest(root), told=told)):
        return
    done = zygote.run("commands:recover", root)
    if not done.finished:
        yield f"recovery failed: {done}"
        return
    settled = harvest(root)
    yield from unsettled(course, settled, told=told)
    lying = [path for path in strays(settled) if not path.startswith(".mdmem/")]
    if lying and not power_cut and not again_killed:  # no note names them; the sweep of another day finds them
        yield f"left beside the memories: {lying}"
    again = zygote.run("commands:recover", root)
    if not again.finished or _unlocked(harvest(root)) != _unlocked(settled):
        yield f"a second recovery changed something: {again.error or _difference(settled, harvest(root))}"
    seen = zygote.run("commands:inspect", root)
    if not seen.finished:
        yield f"the history cannot be read: {seen.error}"
        return
    yield from unhealthy(course, settled, json.loads(seen.acks[0]), unlogged=power_cut and not told)
    later = zygote.run("commands:recover_later", root)
    if not later.finished or memories(harvest(root)) != memories(settled) or strays(harvest(root)):
        yield f"a day later: {later.error or strays(harvest(root)) or _difference(settled, harvest(root))}"
    wrote = zygote.run("commands:next_write", root)
    if not wrote.finished:
        yield f"the next write failed: {wrote.error or wrote.signal}"
    elif not all(data == settled.get(path) for path, data in memories(harvest(root)).items() if path != "NEXT.md"):
        yield "the next write changed more than it named"


def unhealthy(course: Course, tree: Tree, seen: dict[str, object], *, unlogged: bool) -> Iterator[str]:
    """The history is whole, tells of every change that is there, and of none that is not.

    A forgetting leaves its tombstone also where a file cannot be read: it goes on everywhere else, and names that file.
    After a power cut a change of one file that nobody was told of may stand without a line in the log: its note is not
    synced, which would cost every write a third of its time.
    """
    if seen["damage"]:
        yield f"damaged history: {seen['damage']}"
    if seen["missing"] and course.job != "journeys:forget":  # to drop versions is what it is for
        yield f"versions that the log names and nobody has: {seen['missing']}"
    if seen["journal"]:
        yield f"left in the journal: {seen['journal']}"
    one_file = len(_difference(memories(course.before), memories(course.after))) == 1
    happened = memories(tree) == memories(course.after) and memories(course.before) != memories(course.after)
    logged = seen["log"] != course.log_before
    partly = course.job == "journeys:forget" and SALTED in tree
    if happened != logged and not partly and not (happened and unlogged and one_file):
        yield "the change is there and not in the log" if happened else "the log tells of a change that is not there"


def _unlocked(tree: Tree) -> Tree:
    return {path: data for path, data in tree.items() if not path.startswith(".mdmem/locks/")}


def _difference(one: Tree, other: Tree) -> list[str]:
    return sorted(path for path in {*one, *other} if one.get(path) != other.get(path))


def killed(zygote: Zygote, course: Course, fault: Fault) -> Iterator[str]:
    """Kill a command at one operation."""
    with fresh(course.before) as root:
        done = zygote.run(course.job, root, fault)
        if done.signal != 9 and not done.operations < fault.at:  # some runs have an operation less
            yield f"was not killed: {done}"
        yield from half(course, harvest(root))
        yield from aftermath(zygote, course, root, told=bool(done.acks))


class Crash(NamedTuple):
    """What a kill left, and whether the caller had been told by then that it is written."""

    tree: Tree
    told: bool


def crash(course: Course, zygote: Zygote, fault: Fault) -> Crash:
    """Kill a command at one operation and give what it leaves."""
    with fresh(course.before) as root:
        done = zygote.run(course.job, root, fault)
        return Crash(harvest(root), bool(done.acks))


def resume(course: Course, zygote: Zygote, tree: Tree) -> Course:
    """Run the recovery of what a crash left, undisturbed."""
    with fresh(tree) as root:
        done, trace = traced(zygote, "commands:recover", root)
        assert done.finished, done
        return course._replace(job="commands:recover", before=tree, trace=trace)


def killed_again(zygote: Zygote, course: Course, crash: Crash, fault: Fault) -> Iterator[str]:
    """Kill the recovery of a crashed command at one operation."""
    with fresh(crash.tree) as root:
        zygote.run("commands:recover", root, fault)
        yield from half(course, harvest(root))
        yield from aftermath(zygote, course, root, told=crash.told, again_killed=True)


def failed(zygote: Zygote, course: Course, fault: Fault) -> Iterator[str]:
    """Let one operation fail."""
    with fresh(course.before) as root:
        done = zygote.run(course.job, root, fault)
        if done.signal:
            yield f"ended by signal {done.signal}"
        yield from rude(done, root)
        yield from half(course, harvest(root))
        yield from untrue(course, done, harvest(root))
        yield from aftermath(zygote, course, root, told=bool(done.acks))


def cut(zygote: Zygote, course: Course, state: State) -> Iterator[str]:
    """Let the power go."""
    with fresh({}) as above:
        root = above / "disk"
        plant(root, state.files)
        yield from half(course, harvest(root))
        yield from aftermath(zygote, course, root, told=bool(state.acks), power_cut=True)


def recovered(zygote: Zygote, course: Course, fault: Fault) -> Iterator[str]:
    """Kill a command, recover, then let the power go: what the recovery says it wrote stays written."""
    with fresh(course.before) as root, fresh({}) as traces:
        disk, first, second = Disk(root), traces / "first", traces / "second"
        zygote.run(course.job, root, fault, trace=first)
        for call in read_trace(first):
            disk.replay(call)
        done = zygote.run("commands:recover", root, trace=second)
        if not done.finished:
            yield f"recovery failed: {done}"
            return
        cuts = [state for state in states(disk, read_trace(second), between=2) if state.acks == ("1",)]
    for state in cuts:
        for law in cut(zygote, course, state):
            yield f"the power goes after {state.after} of the recovery, {state.kind}: {law}"


def repeated(zygote: Zygote, course: Course, fault: Fault) -> Iterator[str]:
    """Kill a command, run it again, then let the power go: the second must count on nothing the first left."""
    with fresh(course.before) as root, fresh({}) as traces:
        disk, first, second = Disk(root), traces / "first", traces / "second"
        if zygote.run(course.job, root, fault, trace=first).acks:
            return
        if memories(harvest(root)) != memories(course.before):
            return  # the next command finishes this one, and then does something else
        for call in read_trace(first):
            disk.replay(call)
        done = zygote.run(course.job, root, trace=second)
        if not done.finished:
            yield f"the second run failed: {done}"
            return
        cuts = [state for state in states(disk, read_trace(second), between=2) if state.acks]
    for state in cuts:
        for law in cut(zygote, course, state):
            yield f"the power goes after the second run, {state.kind}: {law}"


def refused(zygote: Zygote, course: Course, fault: Fault) -> Iterator[str]:
    """Let an operation fail, then let the power go: what the caller was told is not written never comes back."""
    with fresh(course.before) as root, fresh({}) as traces:
        disk, trace = Disk(root), traces / "trace"
        done = zygote.run(course.job, root, fault, trace=trace)
        if done.error is None or "nothing was changed" not in done.error["hint"]:
            return
        cuts = [state for state in states(disk, read_trace(trace), between=2) if state.acks == ("refused",)]
    never = course._replace(after=course.before)
    for state in cuts:
        for law in cut(zygote, never, state._replace(acks=())):
            yield f"the power goes then, {state.kind}: {law}"


def describe(course: Course, fault: Fault) -> str:
    """Name a point so that a person finds it: what happens, at which operation, and on what."""
    call = next((call for call in course.trace if call.number == fault.at), None)
    error = errno.errorcode.get(fault.error, "")
    return f"{course.job}: {fault.do} {error} at {fault.at} {call.name if call else ''} {_short(call)}"


def _short(call: Call | None) -> str:
    return " ".join(path.partition("/memory")[2] or path for path in (call.path, call.path2) if path) if call else ""


def broken(pool: Pool, points: Iterable[tuple[str, Laws]]) -> list[str]:
    """Judge many points on all cores, and list what broke."""
    found = pool.map(lambda zygote, point: [f"{point[0]}: {law}" for law in point[1](zygote)], points)
    return [law for laws in found for law in laws]
