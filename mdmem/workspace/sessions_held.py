"""Which sessions there were, by the names of their files alone: no file is opened, however many there are."""

from __future__ import annotations

import datetime as dt

from mdmem.workspace.config import Config
from mdmem.workspace.session.names import session_names


def session_days(config: Config) -> tuple[dt.date, ...]:
    """Return the days on which sessions began, one for each session, sorted."""
    days = [names.days for names in session_names(config.root) if names.days]
    return days[0] if len(days) == 1 else tuple(sorted(day for some in days for day in some))
