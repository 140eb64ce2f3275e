"""The journey of a recall: a question, the last rounds, what was found, and the block that a recipe packs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from mdmem.core.key import entry_key
from mdmem.core.record import NamedTuple
from mdmem.core.settings.recall import RecallSettings
from mdmem.core.tokens import TokenCounter
from mdmem.core.words import parse_query
from mdmem.index import Index
from mdmem.linter.secrets import mask
from mdmem.recall import Found, Question, content, pack, rank, share_found, understand
from mdmem.workspace.candidates import Candidates, Keep
from mdmem.workspace.config import ACCESSES, Config
from mdmem.workspace.search import Filter, Hit, Near, hit, nothing


class Recalled(NamedTuple):
    """What was found again, as text within a budget."""

    text: str
    hits: tuple[Hit, ...]  # those in the text, the best first
    tokens: int
    left_out: int  # how many more were worth telling


def ask(question: str, settings: RecallSettings, today: str) -> Question:
    """Understand a question on this day."""
    triggers = {row.split()[0]: row.split()[1:] for row in settings.triggers if row.strip()}
    words, day = parse_query(content(question)).words, date.fromisoformat(today)
    return understand(question, words, today=day, recently=settings.recently_days, triggers=triggers)


def ranked(
    config: Config, index: Index, question: str, keep: Keep, near: Near = nothing, *,
    limit: int, recent: Sequence[str] = (), persona: str = "", sure: bool = False,
) -> tuple[tuple[Found, ...], Candidates]:  # fmt: skip
    """Find and order what answers a question; `sure` gives nothing where hardly a word of it is found."""
    settings, today = config.settings.recall, date.fromisoformat(config.day)
    candidates = Candidates(config, index, keep, _opened(config))
    query, asked = parse_query(content(question)), ask(question, settings, config.day)
    asked = asked._replace(weights=index.rarity(asked.words))
    lately = None
    if sure and not asked.days:
        first = date.fromordinal(max(1, today.toordinal() - settings.recent_days))
        lately = (first.isoformat(), config.day)
    rows = candidates.rows(query, asked, recent[-settings.rounds :], lately, near(question))
    found = rank(rows, asked, settings, today=today, limit=limit, persona=persona)
    if sure and not asked.days:
        share = _share(found[: settings.best], index, query.words, recent)
        found = found[: 0 if share < settings.minimum else settings.doubtful if share < settings.doubt else limit]
    return found, candidates


def _opened(config: Config) -> dict[str, int]:
    """Give how often each entry was recalled."""
    if not config.has_state(ACCESSES):
        return {}
    from mdmem.workspace.access_counts import accesses  # with all that writes safely, for what may not be there

    return {key: one.times for key, one in accesses(config).items()}


def _share(found: Sequence[Found], index: Index, words: Sequence[str], recent: Sequence[str]) -> float:
    """Give the share of the question's words, or of a round before it, that the best lines hold together."""
    best = [one.row for one in found]
    asked = [words, *(parse_query(said).words for said in recent)]
    return max(share_found(best, some, index.rarity(some)) for some in asked)


def recall(
    config: Config, index: Index, question: str, near: Near = nothing, *,
    recent: Sequence[str], budget: int | None, persona: str, agent: str | None, counter: TokenCounter,
) -> Recalled:  # fmt: skip
    """Find what a prompt needs to know; see `Workspace.recall`."""
    settings = config.settings.recall
    if not config.settings.memory.enabled:
        return Recalled("", (), 0, 0)
    index.refresh()
    keep = Filter(agent=agent).keep
    found, candidates = ranked(
        config, index, question, keep, near, limit=settings.candidates, recent=recent, persona=persona, sure=True
    )
    told = [one._replace(row=one.row._replace(text=_told(one.row.text))) for one in found]
    packed = pack(told, settings, budget=settings.budget if budget is None else budget, counter=counter)
    query = parse_query(question)
    hits = tuple(hit(candidates.indexed[one.row.path, one.row.place], query, one) for one in packed.found)
    from mdmem.workspace.access_counts import note_access

    note_access(config, (entry_key(one.text) for one in hits), config.day)
    return Recalled(packed.text, hits, packed.tokens, packed.left_out)


def _told(text: str) -> str:
    """Give a line as a prompt may hold it: on one line, what is secret masked."""
    return " ".join(mask(text).split())
