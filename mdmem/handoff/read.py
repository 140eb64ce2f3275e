"""Find the handoffs that wait for an agent, and the agents that are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from mdmem.config.agent_folders import AGENT_FOLDERS, agents_with_folders
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import live_bytes
from mdmem.errors import UnreadableFileError
from mdmem.formats.paths import is_owner_name
from mdmem.formats.template import Template
from mdmem.handoff.model import FOLDER, KIND, TAKEN
from mdmem.sessions.read import agent_and_end, paths
from mdmem.store.files import names_in
from mdmem.text.document import Document, Entry, parse


def handoff_paths(config: WorkspaceConfig, agent: str) -> tuple[str, ...]:
    """Return the handoffs to an agent, oldest first."""
    if not is_owner_name(agent):
        return ()
    folders = (config.whose.place(f"{folder}/{agent}/{FOLDER}") for folder in AGENT_FOLDERS)
    found = (f"{folder}/{name}" for folder in folders for name in names_in(config.root, folder))
    return tuple(sorted((one for one in found if config.schemas.kind(one) == KIND), key=_name))


class WaitingHandoff(NamedTuple):
    """A handoff that was not taken over."""

    path: str
    mark: str  # the entry that is ticked then


def waiting_handoffs(config: WorkspaceConfig, agent: str) -> Iterator[WaitingHandoff]:
    """Yield the handoffs to an agent that were not taken over, oldest first; one that cannot be read is passed over."""
    for path in handoff_paths(config, agent):
        with suppress(UnreadableFileError):
            document = parse(live_bytes(config, path, config.settings.lint.max_bytes) or b"")
            template = config.schemas.match(path, document)
            if template and (mark := open_mark(document, template)):
                yield WaitingHandoff(path, mark.text)


def open_mark(document: Document, template: Template) -> Entry | None:
    """Return the entry that is ticked when a handoff is taken over; None if it is ticked, or not there."""
    name = template.name(TAKEN)
    sections = (one for one in document.sections if name and template.name(one.title) == name)
    entries = (entry for section in sections for entry in section.entries if not entry.depth)
    return next((entry for entry in entries if not entry.parts.done), None)


def known_agents(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the agents that have a folder or one of the newest sessions, sorted."""
    newest = islice(paths(config), config.settings.session.open_among)
    named = {agent_and_end(config, path)[0] for path in newest}
    return tuple(sorted({*agents_with_folders(config), *filter(is_owner_name, named)}))


def _name(path: str) -> str:
    return path.rpartition("/")[2]
