"""Compute the pending work of the keeper from the files; nothing of it is stored (DESIGN section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from mdmem.formats.limits import FileSize, Meters, SectionFill, expired, measure
from mdmem.formats.session import to_extract
from mdmem.formats.template import Template
from mdmem.keeper.condensing.tidy import repeats
from mdmem.keeper.conversation.chat_window import KIND, open_session, window
from mdmem.text.document import Document, Section
from mdmem.text.tokens import TokenCounter, count_tokens

KINDS = (
    "extract",
    "window",
    "retire",
    "merge",
    "compact",
    "return",
    "expire",
    "tidy",
    "roll",
)  # in the order in which they are done
_STAYS = ("inbox", "archive")  # kinds that the keeper does not condense


class PendingWork(NamedTuple):
    """One piece of work for the keeper."""

    path: str
    section: str  # empty for a whole file
    kind: str  # one of KINDS
    reason: Mapping[str, object]  # the facts of the message about it


def pending(
    documents: Mapping[str, Document],
    templates: Mapping[str, Template],
    today: date,
    waiting: Iterable[tuple[str, str]] = (),
    sessions: Sequence[date] = (),
    count: TokenCounter = count_tokens,
    meters: Mapping[str, Meters] = {},
    tidy_at: float = 1.0,
    idle: Collection[str] = (),
) -> tuple[PendingWork, ...]:
    """Return the pending work, file by file; a document is parsed only if its meters and its text do not decide.

    Args:
        documents: the memory files by path.
        templates: the template of each file, by path.
        today: the day of the run.
        waiting: (path, section) of each entry in the inbox that found no room.
        sessions: the days of all sessions, sorted.
        count: counts the tokens of a text.
        meters: cached measures by path; files without them are measured.
        tidy_at: share of max_chars at which a file is tidied.
        idle: the open sessions to which nobody has added a turn for a while.
    """
    found: list[PendingWork] = []
    left: dict[str, Counter[str]] = {}
    for path, section in waiting:
        left.setdefault(path, Counter())[section] += 1
    for path in sorted(documents):
        template = templates.get(path)
        if template is None or template.body != "markdown" or template.kind in _STAYS:
            continue
        document, measured = documents[path], meters.get(path) or measure(documents[path], template)
        found += _extract(path, document, template, is_idle=path in idle)
        found += _window(path, document, template, count)
        found += _retired(path, document, template)
        if merges := sum(len(one.gone) for one in repeats(document, template)):
            found.append(PendingWork(path, "", "merge", {"count": merges}))
        found += _sections(path, measured.fills, template, left.get(path, Counter()))
        found += _expired(path, document, template, today, sessions)
        found += _size(path, measured.size, template, tidy_at)
    return tuple(found)


def room(fill: SectionFill) -> int | None:
    """Return how many inbox entries a section can take without filling it again; None for no limit."""
    most = fill.spec.entries.compact_at or fill.spec.entries.max
    return None if most is None else max(0, most - 1 - fill.number)


def retired(document: Document, template: Template) -> tuple[Section, ...]:
    """Return the sections of an older format that still contain entries; they belong in the archive."""
    if not template.retired:
        return ()
    return tuple(one for one in document.sections if one.entries and template.is_retired(one.title))


def _retired(path: str, document: Document, template: Template) -> Iterator[PendingWork]:
    for section in retired(document, template):
        count = sum(not entry.depth for entry in section.entries)
        yield PendingWork(path, section.title, "retire", {"count": count})


def _extract(path: str, document: Document, template: Template, *, is_idle: bool) -> Iterator[PendingWork]:
    """Find the rounds of a session that is over, or idle, from which nothing was taken yet."""
    if template.kind != KIND:
        return
    through, last = to_extract(document.text, template, is_idle=is_idle)
    if last > through:
        yield PendingWork(path, "", "extract", {"rounds": last - through, "first": through + 1, "last": last})


def _window(path: str, document: Document, template: Template, count: TokenCounter) -> Iterator[PendingWork]:
    # a text has at most four tokens per character, so a short session need not be parsed
    if template.kind != KIND or 4 * len(document.text) < template.numbers.get("compact_at_tokens", 0):
        return
    session = open_session(document, path, template)
    chat_window = window(session, template, count) if session else None
    if chat_window and chat_window.waits:
        yield PendingWork(
            path, "", "window", {"tokens": chat_window.tokens, "max": chat_window.max, "last": chat_window.last}
        )


def _sections(
    path: str, fills: Sequence[SectionFill], template: Template, left: Mapping[str, int]
) -> Iterator[PendingWork]:
    waiting = Counter[str]()
    for section, number in left.items():
        waiting[template.name(section) or section] += number
    for fill in fills:
        waits = waiting[fill.spec.name]
        free, name = room(fill), fill.spec.name
        if fill.pending or (fill.spec.entries.compact_at and free is not None and waits > free):
            facts = {"count": fill.number, "max": fill.spec.entries.max or fill.spec.entries.compact_at}
            yield PendingWork(path, name, "compact", facts | {"waiting": waits})
        if waits and (free is None or free):
            yield PendingWork(
                path, name, "return", {"waiting": waits, "room": waits if free is None else min(free, waits)}
            )


def _expired(
    path: str, document: Document, template: Template, today: date, sessions: Sequence[date]
) -> Iterator[PendingWork]:
    gone = expired(document, template, today, sessions)
    if gone:
        yield PendingWork(path, "", "expire", {"count": len(gone)})


def _size(path: str, now: FileSize, template: Template, tidy_at: float) -> Iterator[PendingWork]:
    kind = "roll" if "milestones" in template.parts else "tidy"
    limits = template.file
    begins = (limits.warn_ratio or 1) if kind == "roll" else tidy_at
    if limits.max_chars is not None and now.chars >= limits.max_chars * begins:
        yield PendingWork(path, "", kind, {"chars": now.chars, "max": limits.max_chars})
    elif limits.max_entries is not None and now.entries > limits.max_entries:
        yield PendingWork(path, "", kind, {"entries": now.entries, "max": limits.max_entries})
