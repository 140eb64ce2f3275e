"""Ends a session: what came of it, and what it took, above the turns."""

from __future__ import annotations

import datetime as dt

from mdmem.core.session import read_session, rounds
from mdmem.core.session.end import set_part, set_values
from mdmem.core.session.write import metadata, tools_of
from mdmem.errors import TargetError, UsageError
from mdmem.store.draft import Edits, Files
from mdmem.workspace.config import Config
from mdmem.workspace.session.find import template
from mdmem.workspace.session.words import tell


def end(config: Config, path: str, response: str, outcome: str, agent: str) -> int:
    """Write the end of a session as one change, and give its rounds; see `OpenSession.end`."""
    now, schema = dt.datetime.now().astimezone(), template(config)
    choices = schema.front_matter["outcome"].choices
    if outcome not in choices:
        hint = tell(config.lang, "outcome.hint", outcomes=", ".join(choices))
        raise UsageError(tell(config.lang, "outcome", outcome=outcome), hint=hint)
    count = 0

    def change(files: Files) -> Edits:
        nonlocal count
        document = files[path]
        if document is None:
            raise TargetError(tell(config.lang, "none", id=path), hint=tell(config.lang, "none.hint"))
        own = config.schemas.match(path, document) or schema
        session = read_session(document, path, own)
        count = len(rounds(session.turns))
        told = metadata(own, _minutes(session.started, now), session.turns, tools_of(session.turns))
        edits = set_values(document, {"ended": f"{now:%Y-%m-%d %H:%M}", "outcome": outcome})
        if response:
            edits += set_part(document, own, "response", response)
        return {path: (*edits, *set_part(document, own, "metadata", told))}

    config.pen().commit(change, actor=agent, reason=tell(config.lang, "reason-end"))
    return count


def _minutes(started: str, now: dt.datetime) -> int:
    """Count the minutes since a session began; 0 where its file does not say."""
    try:
        began = dt.datetime.fromisoformat(started)
    except ValueError:
        return 0
    began = began if began.tzinfo else began.astimezone()
    return max(0, round((now - began).total_seconds() / 60))
