"""What waits for the keeper in a workspace: the memory files as they are, and the work that follows from them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from mdmem.core.document import Document, parse
from mdmem.core.meters import Meters
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.keeper.pending import KINDS, Work, pending
from mdmem.workspace.config import Config
from mdmem.workspace.inbox import inbox_path, items
from mdmem.workspace.judge import Judge
from mdmem.workspace.keeper_words import tell
from mdmem.workspace.queue import queue
from mdmem.workspace.sessions_held import session_days
from mdmem.workspace.source import memories
from mdmem.workspace.tokens import token_counter


class Found(NamedTuple):
    """The memory files of a workspace, and what each is held to."""

    documents: Mapping[str, Document]
    templates: Mapping[str, Template]
    meters: Mapping[str, Meters] = {}  # where they are known already


def look(config: Config, paths: Sequence[str] = ()) -> Found:
    """Read the memory files, or only some of them; other Markdown is left out."""
    judge = Judge(config, ((), ()))
    documents, templates = {}, {}
    for source in memories(config, paths):
        document = parse(source.seen.data)
        template = judge.template(source.path, document)
        if template is not None and source.seen.type != "missing":
            documents[source.path], templates[source.path] = document, template
    return Found(documents, templates)


def work(config: Config, found: Found) -> tuple[Work, ...]:
    """Give what waits, in the order in which it is to be done."""
    box = found.documents.get(inbox_path(config))
    dated = any(template.parts.get("ttl") for template in found.templates.values())
    sessions = session_days(config) if dated else ()
    day, count = dt.date.fromisoformat(config.day), token_counter(config.settings.tokens)
    waiting, tidy_at = overflowed(box), config.settings.keeper.tidy_at
    all_work = pending(found.documents, found.templates, day, waiting, sessions, count, found.meters, tidy_at)
    return tuple(sorted(all_work, key=lambda one: (KINDS.index(one.kind), one.path)))


def overflowed(box: Document | None) -> list[tuple[str, str]]:
    """Give where the entries of an inbox belong that found no room."""
    return [(item.path, item.section) for _, item in items(box) if not (item.by or item.change)] if box else []


def worded(config: Config, waits: Iterable[Work]) -> tuple[str, ...]:
    """Say what waits and why, a sentence for each."""
    return tuple(
        tell(config.lang, f"work-{_key(one)}", path=one.path, section=one.section, **one.reason) for one in waits
    )


def waiting(config: Config, paths: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Say of each file, or of some, what waits there."""
    return _told(config, look(config, [*paths, inbox_path(config)] if paths else ()))


def reasons(config: Config, found: Found) -> dict[str, tuple[str, ...]]:
    """Return for each file what waits there, and why it failed so far."""
    told = _told(config, found)
    for path, last in queue(config).items():
        tried = tell(config.lang, "tried", **last._asdict() | {"until": last.time})
        told[path] = (*told.get(path, ()), tried)
    return told


def _told(config: Config, found: Found) -> dict[str, tuple[str, ...]]:
    waits = sorted(work(config, found), key=lambda one: one.path)
    return {path: worded(config, group) for path, group in groupby(waits, key=lambda one: one.path)}


def _key(one: Work) -> str:
    if one.kind == "compact" and one.reason.get("waiting"):
        return "compact-waiting"
    return f"{one.kind}-entries" if "entries" in one.reason else one.kind
