"""Finds the sessions of agents that still run, so that no other session recalls what is being said in them.

The hooks note in `.mdmem/agents/` which session is open and which lines it was given, and touch the note with each
event.
"""

# A hook asks this at each prompt, so what reads a session is imported only when there is one to read.
from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.store.files import digest, names_in, read_json
from mdmem.store.walk import AGENTS_FOLDER
from mdmem.text.pattern import pattern

NOTES = "sessions"  # the folder of the notes, one for each session
MOST_BYTES = 1_000_000  # of a note
_MINUTE = 60  # seconds
_CHARS = 16  # of a digest
_LEAD = pattern(r"\s*(?:[-*]\s+)?(?:\[[ xX]\]\s+)?(?:→\s*)?(?:\d{4}-\d\d-\d\d[:：]\s*)?")


def running_sessions(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the files of the sessions that are open and have said something within `[agents] idle_minutes`."""
    folder = os.path.join(config.root, AGENTS_FOLDER, NOTES)
    since = time.time() - _MINUTE * config.settings.agents.idle_minutes
    with suppress(OSError), os.scandir(folder) as entries:
        fresh = [one.name for one in entries if one.stat(follow_symlinks=False).st_mtime > since]
        return tuple(dict.fromkeys(path for note in fresh for path in _files(config.root, note)))
    return ()


def bare_line(line: str) -> str:
    """Return what a line says, without bullet and date, which a pack and a recall show differently."""
    return _LEAD.sub("", line, count=1).strip()


def line_digest(line: str) -> str:
    """Return the digest of what a line says."""
    return short_digest(bare_line(line))


def short_digest(*parts: str) -> str:
    """Return the digest of texts as a note holds it."""
    return digest(*parts)[:_CHARS]


def given_lines(config: WorkspaceConfig, session: str) -> frozenset[str] | None:
    """Return the digests of the lines that hooks gave in a session, by its file; None if no hook has recorded it."""
    for note in names_in(config.root, f"{AGENTS_FOLDER}/{NOTES}"):
        found = read_json(config.root, f"{AGENTS_FOLDER}/{NOTES}/{note}", MOST_BYTES)
        given, before = found.get("given"), found.get("before")
        if session in (found.get("path"), *(before if isinstance(before, list) else ())):
            return frozenset(map(str, given if isinstance(given, list) else ()))
    return None


def outputs_of(config: WorkspaceConfig, sessions: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of what these sessions stored apart: their pastes, and the outputs of their tools."""
    from mdmem.entries.read import read_file
    from mdmem.formats.artifact import artifacts_since

    found: list[str] = []
    for path in sessions:
        with suppress(MdmemError, OSError):
            stored = artifacts_since(read_file(config, path, "user").text, path.rpartition("/")[2])
            found += map(config.whose.place, stored)
    return tuple(found)


def _files(root: str, note: str) -> tuple[str, ...]:
    """Return the files of a session by its note; none if it is closed."""
    found = read_json(root, f"{AGENTS_FOLDER}/{NOTES}/{note}", MOST_BYTES)
    path, before = found.get("path"), found.get("before")
    if found.get("is_open") is not True or not isinstance(path, str):
        return ()
    return tuple(filter(None, (*map(str, before if isinstance(before, list) else ()), path)))
