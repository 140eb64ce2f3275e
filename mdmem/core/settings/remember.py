"""The table that tells what kind of memory a sentence is, and where each kind belongs."""

from __future__ import annotations

from mdmem.core.record import NamedTuple


class RememberSettings(NamedTuple):
    """The table `[remember]`; the shipped file says what each value is for."""

    promise: str
    rule: str
    preference: str
    event: str
    fact: str
    promises: tuple[str, ...]
    rules: tuple[str, ...]
    preferences: tuple[str, ...]
    events: tuple[str, ...]
    event_endings: tuple[str, ...]
    no_events: tuple[str, ...]
    max_chars: int
