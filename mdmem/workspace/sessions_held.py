"""Which sessions there were, by the names of their files alone: no file is opened, however many there are."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from contextlib import suppress

from mdmem.core.pattern import pattern
from mdmem.workspace.config import Config
from mdmem.workspace.session.find import FOLDERS

_DAY = 10  # characters of a name that may say a day: 2026-02-13, or 20260213_2
_NAME = pattern(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)")


def session_days(config: Config) -> tuple[dt.date, ...]:
    """Give the days on which sessions began, one for each session, sorted."""
    names: list[str] = []
    for folder in FOLDERS:
        with suppress(OSError):
            names += (name for name in os.listdir(os.path.join(config.root, folder)) if name.endswith(".md"))
    found: list[dt.date] = []
    for start, count in sorted(Counter(name[:_DAY] for name in names).items()):
        match = _NAME.match(start)
        with suppress(ValueError):
            if match:
                found += [dt.date(*map(int, match.groups()))] * count
    return tuple(sorted(found))
