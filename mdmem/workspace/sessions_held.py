"""Which sessions there were, by the names of their files alone: no file is opened, however many there are."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from mdmem.core.pattern import pattern
from mdmem.workspace.config import Config

FOLDERS = ("sessions", ".sessions")
_DAY = 10  # characters of a name that may say a day: 2026-02-13, or 20260213_2
_NAME = pattern(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)")


def session_days(config: Config) -> tuple[dt.date, ...]:
    """Give the days on which sessions began, one for each session, sorted."""
    found: list[dt.date] = []
    for start, count in sorted(Counter(name[:_DAY] for name, _ in session_names(config)).items()):
        match = _NAME.match(start)
        with suppress(ValueError):
            if match:
                found += [dt.date(*map(int, match.groups()))] * count
    return tuple(sorted(found))


def session_path(config: Config, id: str) -> str:  # noqa: A002 - the noun
    """Give the file of a session, by its id or as much of it as no other begins with; empty where there is none."""
    found = (
        [(name, f"{folder}/{name}.md") for name, folder in session_names(config) if name.startswith(id)] if id else []
    )
    exact = [path for name, path in found if name == id]
    return exact[0] if exact else found[0][1] if len(found) == 1 else ""


def session_names(config: Config) -> Iterator[tuple[str, str]]:
    """Give the name of each session, and the folder that it stands in."""
    for folder in FOLDERS:
        with suppress(OSError):
            yield from (
                (name[:-3], folder) for name in os.listdir(os.path.join(config.root, folder)) if name[-3:] == ".md"
            )
