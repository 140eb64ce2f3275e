"""Which sessions may have a chat window at its limit: an open conversation is among the newest."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.workspace.config import Config
from mdmem.workspace.session.find import latest
from mdmem.workspace.session.names import FOLDERS


def chats(config: Config, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """Give the sessions among some paths; without any, the newest of the workspace."""
    if not paths:
        return latest(config, limit=config.settings.session.open_among)
    return tuple(path for path in paths if path.partition("/")[0] in FOLDERS)
