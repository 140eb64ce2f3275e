"""A write lease: while we hold one, nobody else gets the file open, and nobody had it open before (Linux).

It keeps editors that know nothing of mdmem from writing into a file while it is being replaced: their open() waits.
"""

from __future__ import annotations

import errno
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform == "linux":
    import fcntl

_BUSY = (errno.EAGAIN, errno.EBUSY)
_LOOK_AGAIN = 0.001  # seconds
_HELD, _WRITER, _NONE = "held", "writer", "none"


class Lease:
    """A lease on an open file, or the lack of one: somebody writes there for too long, or the system has none."""

    def __init__(self, descriptor: int, state: str) -> None:
        self._descriptor, self._state = descriptor, state

    @property
    def held(self) -> bool:
        """Tell whether nobody else has the file open, or can open it now."""
        return self._state == _HELD

    @property
    def busy(self) -> bool:
        """Tell whether somebody else had the file open for writing until the time was over."""
        return self._state == _WRITER

    def wanted(self) -> bool:
        """Tell whether somebody waits to open the file for writing; never where no lease is held."""
        if sys.platform != "linux" or not self.held:
            return False
        return fcntl.fcntl(self._descriptor, fcntl.F_GETLEASE) == fcntl.F_UNLCK  # a reader would leave us a read lease


@contextmanager
def leased(descriptor: int, seconds: float) -> Iterator[Lease]:
    """Hold the write lease on an open file; waits so many seconds for those who have it open for writing."""
    lease = Lease(descriptor, _take(descriptor, seconds))
    try:
        yield lease
    finally:
        if sys.platform == "linux" and lease.held:
            with suppress(OSError):  # closing the file gives the lease back too
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _take(descriptor: int, seconds: float) -> str:
    if sys.platform != "linux":
        return _NONE
    until = time.monotonic() + seconds
    while True:
        try:
            # the signal of a waiting opener: SIGURG is ignored unless somebody asks for it, SIGIO would end the process
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            if error.errno not in _BUSY:
                return _NONE  # somebody else's file, or a file system without leases
            if time.monotonic() > until:
                return _WRITER
            time.sleep(_LOOK_AGAIN)
        else:
            return _HELD
