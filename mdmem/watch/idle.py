"""When nobody is at work: the moment for the keeper."""

from __future__ import annotations


class Gate:
    """Opens when nobody has written for a while, nobody says to be busy, and it is not too soon to try again."""

    def __init__(self, quiet_seconds: float, look_seconds: float) -> None:
        self._quiet, self._look = quiet_seconds, look_seconds
        self._from = 0.0

    def touched(self, when: float) -> None:
        """Note that somebody wrote."""
        self._from = max(self._from, when + self._quiet)

    def rest(self, until: float) -> None:
        """Stay closed until then, whatever happens."""
        self._from = max(self._from, until)

    def wait(self, now: float, *, busy: bool) -> float:
        """Tell in how many seconds it is worth asking again; 0: it is open. Times are of one clock."""
        if self._from > now:
            return self._from - now
        return self._look if busy else 0.0
