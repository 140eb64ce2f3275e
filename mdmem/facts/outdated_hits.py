"""Tells of search results that no longer hold what holds now, and moves each behind the line that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mdmem.config.inbox_sections import INBOX
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.inbox.waiting_corrections import waiting_corrections
from mdmem.search.service import SearchHit


def newest_first(config: WorkspaceConfig, hits: Sequence[SearchHit]) -> tuple[SearchHit, ...]:
    """Return hits in their order, but a line with a waiting correction behind the line that holds now."""
    corrections = waiting_corrections(config)
    if not corrections:
        return tuple(hits)
    found: list[SearchHit] = []
    proposals: list[SearchHit] = []
    held: dict[str, list[SearchHit]] = {}  # by the name of the line that they wait for
    names = [f"{one.path}#{one.key}" for one in hits]
    for at, hit in enumerate(hits):
        known = corrections.of(hit.path, hit.text)
        shown = replace(hit, now=known.note(config.lang)) if known else hit
        if hit.kind == INBOX and not hit.key:  # the diff of a proposal says both values
            proposals.append(hit)
        elif known and known.fact in names[at + 1 :]:
            held.setdefault(known.fact, []).append(shown)
        else:
            found += [shown, *held.pop(names[at], ())]
    return (*found, *proposals)
