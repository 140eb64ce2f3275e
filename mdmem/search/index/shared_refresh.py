"""Whether the questions of one block share a refresh of the index: a pack asks several."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class SharedRefresh(threading.local):
    """Tells whether the questions of a block share its first refresh; each thread has its own block."""

    active = False
    without: frozenset[str] | None = None  # what the first refresh left out; None before it

    @contextmanager
    def block(self) -> Iterator[None]:
        """Refresh the index for the first question of a block only."""
        self.active, self.without = True, None
        try:
            yield
        finally:
            self.active = False
