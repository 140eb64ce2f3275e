"""Lists sessions: the heads of the newest files."""

from __future__ import annotations

from mdmem.core.session import Session
from mdmem.workspace.config import Config
from mdmem.workspace.session.find import allow, head, paths


def listing(config: Config, *, agent: str | None, since: str, limit: int | None) -> tuple[Session, ...]:
    """Give the newest sessions without their turns; see `Workspace.sessions`."""
    allow(config)
    most = config.settings.session.list if limit is None else limit
    day, found = since.replace("-", ""), list[Session]()
    for path in paths(config, below=True):
        if len(found) >= most or path.rpartition("/")[2].replace("-", "")[:8] < day[:8]:
            break
        session = head(config, path)
        if agent is None or session.agent == agent:
            found.append(session)
    return tuple(found)
