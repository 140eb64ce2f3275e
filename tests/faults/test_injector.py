"""The harness itself: it sees every operation, and finds what is wrong with programs that are known to be careless."""

from __future__ import annotations

import errno
import signal

import commands
import mutate
import pytest
from injector import PROJECT, Editor, Fault, Pool, Zygote, fresh, harvest, pool
from laws import failures, kills
from power import Disk, states

BEFORE = {"MEMORY.md": commands.OLD}
WHOLE = (commands.OLD, commands.NEW)


@pytest.fixture(scope="module")
def zygotes() -> Pool:
    return pool()


def _each(zygotes: Pool, job: str, what: str) -> list[bytes]:
    """Give what MEMORY.md holds after every point of a kind."""
    with fresh(BEFORE) as root:
        _, trace = zygotes.traced(job, root)
    faults = list(kills(trace) if what == "kill" else failures(trace))

    def one(zygote: Zygote, fault: Fault) -> bytes:
        with fresh(BEFORE) as root:
            done = zygote.run(job, root, fault)
            assert (done.signal == signal.SIGKILL) == (what == "kill"), (fault, done)
            return harvest(root).get("MEMORY.md", b"(missing)")

    return zygotes.map(one, faults)


def _cuts(zygotes: Pool, job: str) -> list[tuple[bytes, bool]]:
    """Give what MEMORY.md holds after every power cut, and whether the caller was told by then."""
    with fresh(BEFORE) as root:
        disk = Disk(root)
        done, trace = zygotes.traced(job, root)
        assert done.finished
        return [(state.files.get("MEMORY.md", b""), bool(state.acks)) for state in states(disk, trace, between=5)]


def test_the_trace_names_every_operation_of_a_program(zygotes: Pool) -> None:
    with fresh(BEFORE) as root:
        done, trace = zygotes.traced("commands:unsynced", root)
        assert done.acks == ["written"]
        seen = [(call.name, call.path.removeprefix(f"{root}/"), call.data) for call in trace if call.changes]
        assert seen == [("open", "aside", b""), ("write", "aside", commands.NEW), ("rename", "aside", b"")]


def test_a_fault_comes_at_its_operation_and_nowhere_else(zygotes: Pool) -> None:
    for fault, expected in (
        (Fault(1, "fail", errno.EACCES), "PermissionError"),
        (Fault(3, "fail", errno.ENOSPC), "OSError"),
        (Fault(99, "kill"), None),
    ):
        with fresh(BEFORE) as root:
            [done] = zygotes.map(lambda zygote, one: zygote.run("commands:unsynced", root, one), [fault])
            assert (done.error["type"] if done.error else None) == expected


def test_kills_find_a_write_in_place(zygotes: Pool) -> None:
    assert {data for data in _each(zygotes, "commands:careless", "kill") if data not in WHOLE} == {
        b"", commands.NEW[: len(commands.NEW) // 2],
    }  # fmt: skip


def test_failures_find_a_write_in_place(zygotes: Pool) -> None:
    assert b"" in _each(zygotes, "commands:careless", "fail")


def test_power_cuts_find_a_missing_sync(zygotes: Pool) -> None:
    assert set(_each(zygotes, "commands:unsynced", "kill")) == set(WHOLE)  # after kills alone all seems well
    found = _cuts(zygotes, "commands:unsynced")
    assert any(data not in WHOLE for data, _ in found)
    assert (commands.OLD, True) in found  # told that it is written, and it is gone


def test_a_careful_program_holds(zygotes: Pool) -> None:
    assert {*_each(zygotes, "commands:checked", "kill"), *_each(zygotes, "commands:checked", "fail")} <= set(WHOLE)
    assert all(data == commands.NEW if told else data in WHOLE for data, told in _cuts(zygotes, "commands:checked"))


def test_an_editor_saves_at_any_operation(zygotes: Pool) -> None:
    """An editor that saves right before the rename of a check-then-rename program loses its save: known, and found."""
    with fresh(BEFORE) as root:
        _, trace = zygotes.traced("commands:checked", root)
    checked = max(call.number for call in trace if call.name == "open" and call.path.endswith("/MEMORY.md"))
    renamed = next(call.number for call in trace if call.name == "rename")

    def one(zygote: Zygote, at: int) -> bytes:
        with fresh(BEFORE) as root:
            done = zygote.run("commands:checked", root, Fault(at, "ask"), editor=Editor("rename_over", "MEMORY.md"))
            assert done.saves == 1
            return (root / "MEMORY.md").read_bytes()

    after = zygotes.map(one, range(1, len(trace)))
    assert [at for at, data in enumerate(after, 1) if b"editor save 1" not in data] == list(
        range(checked + 1, renamed + 1)
    )


def test_every_step_of_the_mutations_stands_in_the_store() -> None:
    store = PROJECT / mutate.STORE
    counts = {step.name: (store / step.file).read_text("utf-8").count(step.text) for step in mutate.STEPS}
    assert {name: count for name, count in counts.items() if count != 1} == {}
