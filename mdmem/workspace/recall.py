"""Recall: a question, the last rounds, what was found, and the block that a recipe packs."""

from __future__ import annotations

from collections.abc import Container, Sequence

from mdmem.core.entry import plain
from mdmem.core.key import entry_key
from mdmem.core.record import NamedTuple
from mdmem.core.tokens import TokenCounter
from mdmem.core.words import parse_query
from mdmem.index import Index
from mdmem.linter.secrets import mask
from mdmem.recall import Found, Row, pack
from mdmem.workspace.asking import Asker, Asking
from mdmem.workspace.candidates import Candidates, Keep
from mdmem.workspace.config import Config
from mdmem.workspace.search import ARCHIVE, Filter, Hit, Near, hit, is_archived, nothing


class Recalled(NamedTuple):
    """What was found again, as text within a budget."""

    text: str
    hits: tuple[Hit, ...]  # those in the text, the best first
    tokens: int
    left_out: int  # how many more were worth telling, or were withheld because nothing is known about the question
    unknown: bool = False  # nothing is known about the question


def ranked(
    config: Config, index: Index, question: str, keep: Keep, near: Near = nothing, *,
    limit: int, recent: Sequence[str] = (), sure: bool = False,
) -> tuple[tuple[Found, ...], Candidates]:  # fmt: skip
    """Find and order what answers a question; `sure` gives nothing if nothing is known about it."""
    answer = Asking(config, index, question, near, Asker(limit, tuple(recent), sure=sure)).answer(keep)
    return () if sure and answer.unknown else answer.found, answer.candidates


def recall(
    config: Config, index: Index, question: str, near: Near = nothing, *,
    recent: Sequence[str], budget: int | None, persona: str, agent: str | None, counter: TokenCounter,
) -> Recalled:  # fmt: skip
    """Find what a prompt needs to know; see `Workspace.recall`."""
    settings = config.settings.recall
    if not config.settings.memory.enabled:
        return Recalled("", (), 0, 0)
    index.refresh()
    asker = Asker(settings.candidates, tuple(recent), persona, sure=True)
    keep, archive = Filter(agent=agent).keep, Filter(agent=agent, archive="only").keep
    found, candidates, unknown = Asking(config, index, question, near, asker).answer(keep, archive)
    if unknown:
        return Recalled("", (), 0, len(found), unknown)
    hidden = config.fields.keys() - {key.casefold() for key in settings.fields}
    told = [one._replace(row=one.row._replace(text=_told(one.row, candidates, hidden))) for one in found]
    query = parse_query(question[: config.settings.search.query_chars])
    packed = pack(
        told, settings, sought=query.sought, budget=settings.budget if budget is None else budget, counter=counter
    )
    hits = tuple(hit(config, candidates.indexed[one.row.path, one.row.place], query, one) for one in packed.found)
    from mdmem.workspace.access_counts import note_access

    note_access(config, (entry_key(one.text) for one in hits), config.day)
    return Recalled(packed.text, hits, packed.tokens, packed.left_out)


def _told(row: Row, candidates: Candidates, hidden: Container[str]) -> str:
    """Return a line as a prompt may hold it: on one line, without data about it, secrets masked, marked if archived."""
    is_turn = candidates.indexed[row.path, row.place].kind == "turn"
    text = " ".join(mask(row.text if is_turn else plain(row.text, hidden)).split())
    return f"{text} ({ARCHIVE})" if is_archived(row.kind, row.path) else text
