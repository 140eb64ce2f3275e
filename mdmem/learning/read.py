"""Reads the parts of sessions in which patterns are searched for."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.extraction.job import extraction_task
from mdmem.extraction.model import FactCandidate
from mdmem.extraction.rules import extract
from mdmem.extraction.runs import tool_steps
from mdmem.extraction.withdrawals import end_statements
from mdmem.facts.read import fact_words
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session
from mdmem.learning.model import SeenSession
from mdmem.sessions.confidences import confidences, public_head
from mdmem.sessions.read import latest_sessions, read_whole
from mdmem.sessions.sanitize import remembered_turns
from mdmem.settings.phrases import PhrasePattern
from mdmem.text.inline import one_line

_RULE, _USER = "rule", "user"


def read_seen(config: WorkspaceConfig, path: str) -> SeenSession:
    """Read a session as patterns are looked for in it.

    Raises:
        TargetError: there is no such session.
    """
    session = read_whole(config, path)
    settings = config.settings
    turns = remembered_turns(config, session.turns)
    task = public_head(session, Splitter(settings.sentences), confidences(settings.keeper)).task
    most = settings.search.query_chars
    asked = {turn.number: one_line(turn.text)[:most] for turn in reversed(turns) if turn.role == _USER}
    return SeenSession(session.id, one_line(task), asked, tuple(tool_steps(turns, settings.extract)))


def earlier_sessions(config: WorkspaceConfig, session: Session) -> Iterator[SeenSession]:
    """Yield the newest sessions before one, the oldest of them first."""
    found = latest_sessions(config, limit=config.settings.learning.sessions)
    before = found[found.index(session.path) + 1 :] if session.path in found else ()
    return (read_seen(config, path) for path in reversed(before))


def said_corrections(config: WorkspaceConfig, path: str, marks: PhrasePattern) -> tuple[FactCandidate, ...]:
    """Return the orders that hold from now on, of the turns of a session in which the user corrects what was done.

    What a later turn takes back is left out, as extraction does it.
    """
    turns = [one for one in remembered_turns(config, read_whole(config, path).turns) if one.role == _USER]
    numbers = {one.number for one in turns if marks.search(one.text)}
    if not numbers:
        return ()
    heard = [one for one in turns if one.number >= min(numbers)]
    found = extract(extraction_task(config, path, heard, Gate(AccessPolicy(config, KEEPER))))
    kept = end_statements(found, (), fact_words(config), config.settings.extract).items
    return tuple(one for one in kept if one.type == _RULE and one.by_user and not one.effect and one.number in numbers)
