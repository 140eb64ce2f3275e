"""Which sessions there were, by the names of their files alone: no file is opened, however many there are."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import suppress

from mdmem.core.pattern import pattern
from mdmem.workspace.config import Config

FOLDERS = ("sessions", ".sessions")
_NAME = pattern(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)")


def session_days(config: Config) -> tuple[dt.date, ...]:
    """Give the days on which sessions began, one for each session, sorted."""
    found = []
    for name, _ in session_names(config):
        match = _NAME.match(name)
        with suppress(ValueError):
            if match:
                found.append(dt.date(*map(int, match.groups())))
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
        with suppress(OSError), os.scandir(os.path.join(config.root, folder)) as entries:
            yield from ((one.name[:-3], folder) for one in entries if one.name.endswith(".md"))
