"""Finds the rounds from which no memories were taken yet, in sessions that have ended or rest (K093)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.paths import within_user
from mdmem.formats.session import FOLDERS, Turn, rounds
from mdmem.sessions.read import allow, head, is_over, last_round, paths, read_whole


@dataclass(frozen=True, slots=True)
class UnextractedRounds:
    """The rounds of a session that wait for extraction."""

    id: str  # of the session
    path: str
    extracted_through: int  # the last round that was extracted
    ended: bool  # False: it is open, and nothing was added for a while
    rounds: tuple[tuple[Turn, ...], ...]  # each with the turns of one round


def unextracted(config: WorkspaceConfig) -> Iterator[UnextractedRounds]:
    """Yield the sessions that wait, oldest first; see `Workspace.sessions.unextracted`."""
    allow(config)
    for path in reversed(list(paths(config))):
        if not within_user(path).startswith(f"{FOLDERS[0]}/"):  # older formats cannot store the mark
            continue
        found = head(config, path)
        if not is_over(config, found) or last_round(config, path) <= found.extracted_through:
            continue
        turns = read_whole(config, path).turns
        waiting = tuple(one for one in rounds(turns) if one[0].number > found.extracted_through)
        if waiting:
            yield UnextractedRounds(found.id, path, found.extracted_through, bool(found.ended), waiting)
