"""A call that hangs keeps no other one waiting, and has a deadline; quick calls stay in their order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from mdmem.agents.mcp.workers import Workers

LONG = 60.0  # seconds that no test waits for


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What a hanging call waits for; it is opened at the end."""
    event = threading.Event()
    yield event
    event.set()


def workers(most: int = 4, patience: float = 0.05) -> Workers:
    return Workers(lambda: patience, lambda: most)


def test_quick_calls_run_one_after_another_in_one_thread() -> None:
    done = list[tuple[int, int]]()

    def note(at: int) -> None:
        done.append((at, threading.get_ident()))

    async def run() -> None:
        ours = workers(patience=LONG)
        await asyncio.gather(*(ours.run(partial(note, at), LONG) for at in range(50)))

    asyncio.run(run())
    assert [at for at, _ in done] == list(range(50))
    assert len({thread for _, thread in done}) == 1


def test_a_hanging_call_keeps_no_other_one_waiting(gate: threading.Event) -> None:
    async def run() -> list[int]:
        ours = workers()
        hanging = asyncio.create_task(ours.run(gate.wait, LONG))
        await asyncio.sleep(0)
        others = [await ours.run(partial(int, at), LONG) for at in range(20)]
        assert not hanging.done()
        gate.set()
        assert await hanging
        return others

    assert asyncio.run(run()) == list(range(20))


def test_a_call_has_a_deadline_and_goes_on_by_itself(gate: threading.Event) -> None:
    ended = threading.Event()

    def call() -> None:
        gate.wait()
        ended.set()

    async def run() -> None:
        ours = workers()
        with pytest.raises(TimeoutError):
            await ours.run(call, 0.2)
        assert await ours.run(lambda: "next", LONG) == "next"
        gate.set()
        ours.finish(LONG)

    asyncio.run(run())
    assert ended.is_set()


def test_too_many_hanging_calls_let_the_next_one_wait_for_its_deadline(gate: threading.Event) -> None:
    async def run() -> None:
        ours = workers(most=2)
        hanging = [asyncio.create_task(ours.run(gate.wait, LONG)) for _ in range(2)]
        await asyncio.sleep(0.5)
        with pytest.raises(TimeoutError):
            await ours.run(lambda: "next", 0.2)
        gate.set()
        assert await asyncio.gather(*hanging) == [True, True]
        assert await ours.run(lambda: "next", LONG) == "next"

    asyncio.run(run())


def test_a_call_that_its_client_takes_back_keeps_no_other_one_waiting(gate: threading.Event) -> None:
    async def run() -> None:
        ours = workers(patience=LONG)
        hanging = asyncio.create_task(ours.run(gate.wait, LONG))
        await asyncio.sleep(0.1)
        hanging.cancel()
        assert await ours.run(lambda: "next", LONG) == "next"

    asyncio.run(run())


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("y"), SystemExit(3)])
def test_what_a_call_raises_is_raised_and_the_thread_lives_on(error: BaseException) -> None:
    def call() -> None:
        raise error

    async def run() -> None:
        ours = workers()
        with pytest.raises(type(error)):
            await ours.run(call, LONG)
        assert await ours.run(lambda: 1, LONG) == 1

    if isinstance(error, Exception):
        asyncio.run(run())
