"""Recall: ranks rows for a question and the last rounds, and packs them into a block of text."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from mdmem.config.inbox_sections import INBOX, is_proposal
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.fact_words import KIND, words_of
from mdmem.formats.paths import KNOWLEDGE
from mdmem.formats.task_plan import KIND as PLAN
from mdmem.formats.task_plan import run_of
from mdmem.linter.detect.small_talk import is_small_talk
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.search.access_counts import record_access
from mdmem.search.answer import AnswerRequest, AnswerSearch
from mdmem.search.candidates import ARCHIVE, CandidateSearch, KeepRow, Near, is_archived, word_tables
from mdmem.search.index import IndexRow, SearchIndex
from mdmem.search.question import Candidate, RankedHit, parse_query
from mdmem.search.recall_block import pack
from mdmem.search.service import SearchFilter, SearchHit, Withheld, no_vector_hits, nothing_withheld, to_search_hit
from mdmem.search.sure_lines import Prompt, evident, surely_meant
from mdmem.search.words.terms import terms
from mdmem.search.words.word_list import word_list
from mdmem.text.entry import plain, statement_key
from mdmem.text.similarity import restates, spoken
from mdmem.text.tokens import TokenCounter

Outdated = Callable[[str, str], str]  # what is told of a line of a file that no longer holds; empty if it holds


def in_force(_path: str, _text: str) -> str:
    """Return that a line holds."""
    return ""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Recalled text within a budget."""

    text: str
    hits: tuple[SearchHit, ...]  # those in the text, best first
    tokens: int
    left_out: int  # relevant hits that did not fit, or that were withheld because nothing is known
    unknown: bool = False  # nothing is known about the question


def recall(
    config: WorkspaceConfig, index: SearchIndex, question: str, near: Near = no_vector_hits, *,
    recent: Sequence[str], budget: int | None, persona: str, agent: str | None, counter: TokenCounter,
    without: Sequence[str] = (), sparing: bool = False, outdated: Outdated = in_force,
    withheld: Withheld = nothing_withheld,
) -> RecallResult:  # fmt: skip
    """Recall what a prompt needs; see `Workspace.recall`. `outdated` tells what is said beside a line.

    `withheld` tells which lines of sessions, counted from 0, are left out.
    """
    settings = config.settings.recall
    if not config.settings.memory.enabled:
        return RecallResult("", (), 0, 0)
    asker = AnswerRequest(settings.candidates, tuple(recent), persona, sure=True, without=tuple(without))
    filters = SearchFilter(agent=agent, without=tuple(without))
    keep, archive = (_in_effect(config, filters._replace(archive=one).keep) for one in (False, "only"))
    found, candidates, asked, unknown = AnswerSearch(config, index, question, near, asker).answer(keep, archive)
    if sparing:
        common = word_list(word_tables(config).common)
        prompt = Prompt(asked, candidates.related, common, index.lines, frozenset(terms(asked.text)))
        found = evident(found, prompt, settings) or surely_meant(found, asked, settings)
        unknown = not found
    if unknown:
        return RecallResult("", (), 0, len(found), unknown)
    found = _without_repeats(_telling(config, _given(found, candidates, withheld)), candidates)
    hidden = config.fields.keys() - {key.casefold() for key in settings.fields}
    labels = _Labels(config)
    shown = [one._replace(row=labels.on(one.row, _prompt_text(one.row, candidates, hidden), outdated)) for one in found]
    query = parse_query(question[: config.settings.search.query_chars], settings.stop_words)
    packed = pack(
        shown, settings, sought=query.sought, budget=settings.budget if budget is None else budget, counter=counter
    )
    hits = tuple(
        to_search_hit(config, candidates.indexed[one.row.path, one.row.ordinal], query, one) for one in packed.found
    )
    record_access(config, (statement_key(one.text) for one in hits), config.day)
    return RecallResult(packed.text, hits, packed.tokens, packed.left_out)


def _given(found: Sequence[RankedHit], candidates: CandidateSearch, withheld: Withheld) -> tuple[RankedHit, ...]:
    rows = ((hit, candidates.indexed[hit.row.path, hit.row.ordinal]) for hit in found)
    return tuple(hit for hit, row in rows if not withheld(row.path, row.line))


def _telling(config: WorkspaceConfig, found: Sequence[RankedHit]) -> tuple[RankedHit, ...]:
    """Leave out the turns that are small talk alone: «How do you do?» beside «we deploy with Jenkins»."""
    talk, beside = config.settings.lint.small_talk, config.settings.lint.fillers
    return tuple(hit for hit in found if not (hit.row.story and is_small_talk(hit.row.plain, talk, beside)))


def _without_repeats(found: Sequence[RankedHit], candidates: CandidateSearch) -> tuple[RankedHit, ...]:
    """Leave out what only says again what a turn beside it says: the request of a session, and its episodes."""
    said: dict[str, str] = {}
    for hit in found:
        if _is_turn(hit.row, candidates):
            said[hit.row.path] = said.get(hit.row.path, "") + spoken(hit.row.text)

    def is_new(row: Candidate) -> bool:
        return row.path not in said or _is_turn(row, candidates) or not restates(row.plain, said[row.path])

    return tuple(hit for hit in found if is_new(hit.row))


def _is_turn(row: Candidate, candidates: CandidateSearch) -> bool:
    return candidates.indexed[row.path, row.ordinal].kind == "turn"


def _in_effect(config: WorkspaceConfig, keep: KeepRow) -> KeepRow:
    """Return a filter that also leaves out what waits for the user's word or trust, and loose steps of knowledge.

    Of such a piece only the description is recalled; a pack shows the whole of it. The line of a plan that tells what
    it runs is for mdmem.
    """
    template, plan = config.schemas.get(INBOX), config.schemas.get(PLAN)

    def in_effect(row: IndexRow) -> bool:
        is_loose = row.file_kind == KNOWLEDGE and row.kind != "summary"
        is_loose |= row.file_kind == PLAN and plan is not None and bool(run_of(row.text, plan))
        waits = row.file_kind == INBOX and template is not None and is_proposal(template, row.title, row.text)
        return keep(row) and not (is_loose or waits or config.bundles.withholds(row.path))

    return in_effect


class _Labels:
    """Puts the predicate before the text of a fact that is a bare value."""

    def __init__(self, config: WorkspaceConfig) -> None:
        template = config.schemas.get(KIND)
        self._words = words_of(template, config.settings) if template else None
        self._colon = say(config.lang, "punctuation.colon")

    def on(self, row: Candidate, text: str, outdated: Outdated) -> Candidate:
        """Return a row with a text, behind its predicate where a reader needs it."""
        note = outdated(row.path, row.text)
        row = row._replace(text=f"{text} ({note})" if note else text)
        if not row.predicate or self._words is None:
            return row
        body = row.undated
        shown = self._words.shown(body, row.predicate, row.type, self._colon)
        return row._replace(text=f"{text.removesuffix(body)}{shown}")


def _prompt_text(row: Candidate, candidates: CandidateSearch, hidden: Container[str]) -> str:
    """Return a row's text for a prompt: one line, without metadata, secrets masked, marked if archived."""
    is_turn = _is_turn(row, candidates)
    text = mask(row.text)  # before the fields go: a predicate may be what tells a password
    text = " ".join((text if is_turn else plain(text, hidden)).split())
    return f"{text} ({ARCHIVE})" if is_archived(row.kind, row.path) else text
