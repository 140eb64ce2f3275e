"""The rules of sessions in which they are no facts yet: of one that runs, or has just ended."""

# The extraction is imported for a text that may state a rule: a hook asks at each prompt, and most state none.
from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.context.model import ContentChecks
from mdmem.errors import MdmemError
from mdmem.formats.session import Session
from mdmem.sessions.read import head, head_document, last_round, latest_sessions, newest_turns
from mdmem.settings.phrases import any_of
from mdmem.text.pattern import pattern

_THROUGH = pattern(r"(?m)^extracted_through: *(\d{1,9}) *$")
_BYTES = 16_384  # that are parsed at the end of a file; of the rounds above only what the user said is read


class SaidRule(NamedTuple):
    """A rule, or the user's word that one no longer holds."""

    text: str
    path: str  # of the session
    number: int  # the round that states it
    day: str
    permanent: bool = False
    lifted: str = ""  # what it allows again


def said_rules(config: WorkspaceConfig, checks: ContentChecks) -> Iterator[SaidRule]:
    """Yield the rules in the rounds of the newest sessions that wait for extraction; nothing is written."""
    for path in latest_sessions(config, limit=config.settings.rules.sessions):
        with suppress(MdmemError, OSError):  # lint tells of a session that cannot be read
            found = _THROUGH.search(head_document(config, path).text)  # most wait for nothing, and no YAML is parsed
            if found is None or int(found[1]) < last_round(config, path):
                yield from _rules_of(config, head(config, path), checks)


def _rules_of(config: WorkspaceConfig, session: Session, checks: ContentChecks) -> Iterator[SaidRule]:
    turns, _ = newest_turns(config, session.path, config.settings.rules.rounds, enough=bool, first=_BYTES)
    own = [turn for turn in turns if turn.role == "user" and turn.number > session.extracted_through]
    lifts = any_of(config.settings.rules.lifts)
    may = [checks.is_kept(turn.text) or lifts.search(turn.text) is not None for turn in own]
    read = [turn for turn, before, here in zip(own, [False, *may], may, strict=False) if here or before]
    if not read:
        return
    from mdmem.extraction.job import ExtractionJob

    job = ExtractionJob(config, session, read)  # with what was said next, which may take it back
    for one in job.answer()[0].items:
        if one.type == "rule":
            lifted = one.old if one.effect else ""
            yield SaidRule(one.text, session.path, one.number, job.day(one.number), one.permanent, lifted)
