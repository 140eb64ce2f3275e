"""Links between the stretches of an episode and the facts that came of them, in both files (K017, K050)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.kind_files import files_of
from mdmem.entries.read import live_bytes
from mdmem.episodes.stretches import EpisodeStretch
from mdmem.facts.edits import with_fields
from mdmem.formats.fact_words import KIND
from mdmem.formats.session import read_rounds
from mdmem.store.transaction import DraftFiles
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry


def facts_files_of(config: WorkspaceConfig, session: str) -> list[str]:
    """Return the facts files that name a session as a source."""
    most, mark = config.settings.lint.max_bytes, f"chat:{session}#".encode()
    return [path for path in files_of(config, KIND) if mark in (live_bytes(config, path, most) or b"")]


def with_facts(
    files: DraftFiles, paths: Sequence[str], session: str, stretches: Sequence[EpisodeStretch], most: int
) -> tuple[list[EpisodeStretch], dict[str, tuple[Edit, ...]]]:
    """Return the stretches with the facts that came of them, and the edits that name the stretch in each of these.

    Args:
        files: the drafts of the change.
        paths: the facts files that name the session.
        session: its id.
        stretches: parts of its episode.
        most: the number of facts that a stretch names at most.
    """
    linked: dict[str, list[str]] = {one.rounds: [] for one in stretches}
    edits: dict[str, tuple[Edit, ...]] = {}
    for path in paths:
        own: list[Edit] = []
        for entry, stretch in _of_session(files[path], session, stretches):
            ident = read_entry(entry.text).id
            if not ident or len(linked[stretch.rounds]) >= most:
                continue
            linked[stretch.rounds].append(f"{path}#{ident}")
            if not read_entry(entry.text).field("episode"):
                new = with_fields(entry.text, {"episode": f"session:{session}#{stretch.rounds}"})
                own.append(Edit(entry.text_span, new))
        if own:
            edits[path] = tuple(own)
    return [one._replace(facts=tuple(linked[one.rounds])) for one in stretches], edits


def _of_session(
    document: Document | None, session: str, stretches: Sequence[EpisodeStretch]
) -> Iterator[tuple[Entry, EpisodeStretch]]:
    """Yield the entries whose source is a round of one of the stretches."""
    for entry in document.entries if document else ():
        field = read_entry(entry.text).field("source") if session in entry.text else None
        name, _, where = field.value.partition("#") if field else ("", "", "")
        span = read_rounds(where) if name == f"chat:{session}" else None
        if span:
            yield from ((entry, one) for one in stretches if one.first <= span[0] <= one.last)
