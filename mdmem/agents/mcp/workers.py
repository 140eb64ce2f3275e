"""Runs the calls of a server in threads, each with a deadline, so that a long call delays no other."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

_T = TypeVar("_T")
_Job = tuple[Future[Any], Callable[[], Any]]


class Worker:
    """One thread that runs calls in their order.

    It is a daemon, for a thread cannot be stopped: a call that never returns must not keep the process from ending.
    """

    def __init__(self) -> None:
        """Start the thread."""
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self.thread.start()

    def submit(self, call: Callable[[], _T]) -> Future[_T]:
        """Run a call when those before it are done."""
        future: Future[_T] = Future()
        self._jobs.put((future, call))
        return future

    def close(self) -> None:
        """Let the thread end after the calls that it has."""
        self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            future, call = job
            if not future.set_running_or_notify_cancel():
                continue  # the client has taken it back
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
                future.set_exception(error)


class Workers:
    """The threads of a server.

    A call has its turn when the one before it has ended, or has taken longer than `patience`. In that case the thread
    goes on with it alone, and another thread takes the next calls. With `most` threads at work, the next call waits.
    What a call that is given up still does, it does as another process would: under the locks of the files.
    """

    def __init__(self, patience: Callable[[], float], most: Callable[[], int]) -> None:
        """Bind to seconds, and to a number of threads."""
        self._patience, self._most = patience, most
        self._worker: Worker | None = None
        self._slow: dict[Worker, Future[Any]] = {}
        self._turn = asyncio.Lock()  # first come, first served

    async def run(self, call: Callable[[], _T], seconds: float) -> _T:
        """Return what a call returns, in its turn.

        Raises:
            TimeoutError: it did not return in so many seconds; it goes on by itself.
        """
        async with asyncio.timeout(seconds):
            async with self._turn:
                await self._free()
                worker = self._worker = self._worker or Worker()
                future = worker.submit(call)
                waited = asyncio.wrap_future(future)
                try:
                    await asyncio.wait((waited,), timeout=self._patience())
                finally:
                    if not waited.done():
                        self._slow[worker], self._worker = future, None
                        worker.close()
            return await asyncio.shield(waited)

    async def _free(self) -> None:
        """Wait until another thread may be started."""
        while True:
            self._slow = {worker: one for worker, one in self._slow.items() if not one.done()}
            if len(self._slow) < self._most():
                return
            await asyncio.wait(map(asyncio.wrap_future, self._slow.values()), return_when=asyncio.FIRST_COMPLETED)

    def finish(self, seconds: float) -> None:
        """Wait for the calls under way, so many seconds at most."""
        until = time.monotonic() + seconds
        workers = [*self._slow, *([self._worker] if self._worker else [])]
        for worker in workers:
            worker.close()
        for worker in workers:
            worker.thread.join(max(0.0, until - time.monotonic()))
