"""The clocks of the benchmarks; each runs a piece of work once, and returns seconds."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

Work = Callable[[], object]


def wall(work: Work) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def busy(work: Work) -> float:
    """Return the processor time of this process: what else runs on the machine does not count."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def spent(work: Work) -> float:
    """Return the processor time of the processes that the work starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
