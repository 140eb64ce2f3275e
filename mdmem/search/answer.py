"""Answers one question: as asked, else with typos corrected, else from the archive too."""

# `access_counts` is imported only if there are counts: it loads the writing half of the store.
from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from mdmem.config.workspace_config import ACCESSES, WorkspaceConfig
from mdmem.search.candidates import ARCHIVE, CandidateSearch, KeepRow, Near, word_tables
from mdmem.search.index import SearchIndex
from mdmem.search.question import Candidate, Query, Question, RankedHit, content, parse_query, understood
from mdmem.search.rank import rank
from mdmem.search.relevance import only_asks, quoted_first
from mdmem.search.silence import is_unknown, share_contained
from mdmem.search.words.related_words import Related
from mdmem.search.words.roles import asked_roles

_TRIES = 3  # a file that changes during each of them is left out


class AnswerRequest(NamedTuple):
    """The parameters of one request."""

    limit: int
    recent: tuple[str, ...] = ()  # the last rounds, oldest first
    persona: str = ""
    neighbours: bool = True  # the lines around the best lines of a story are ranked too
    sure: bool = False  # for a model: quotations do not filter, and unknown questions are not answered
    without: tuple[str, ...] = ()  # files that the caller leaves out: the index need not know their changes
    ranked: int = 0  # rows that are ranked, without those of the last days; 0 for the number of the settings


class Answer(NamedTuple):
    """The result of a question."""

    found: tuple[RankedHit, ...]
    candidates: CandidateSearch
    asked: Question
    unknown: bool = False  # nothing is known about the question


class AnswerSearch:
    """Answers one question in one workspace."""

    def __init__(
        self, config: WorkspaceConfig, index: SearchIndex, question: str, near: Near, asker: AnswerRequest
    ) -> None:
        self._config, self._index, self._asker = config, index, asker
        self._settings, self._today = config.settings.recall, config.today
        most = config.settings.search.query_chars
        self._question = question[:most]
        self._recent = [text[:most] for text in asker.recent[-self._settings.rounds :]]
        tables = word_tables(config)
        roles = asked_roles(self._question, tables.roles, tables.common)
        self._asked = self._understood(self._question)._replace(roles=roles)
        self._near, self._opened = near, _opened(config)

    def answer(self, keep: KeepRow, archived: KeepRow | None = None) -> Answer:
        """Return the best rows of the files as they are now: those `keep` accepts, and archived ones if better.

        Rows of a file that another program saves meanwhile answer nothing, so the question is asked again.
        """
        for _ in range(_TRIES):
            self._index.refresh(self._asker.without)
            answer = self._answered(keep, archived)
            if self._index.changed <= set(self._asker.without):
                break
        return answer

    def _answered(self, keep: KeepRow, archived: KeepRow | None) -> Answer:
        keep, archived = self._seen(keep), archived and self._seen(archived)
        query = parse_query(content(self._question, self._settings.old_things), self._settings.stop_words)
        query = query.lenient if self._asker.sure else query
        answer = self._ranked(query, keep)
        if answer.unknown and (respelled := self._index.respelled(query)) != query:
            query, answer = respelled, self._ranked(respelled, keep)
        if archived is None or not self._index.has_folder(ARCHIVE):
            return answer
        better = self._better(query, answer, archived)
        return self._ranked(query, lambda row: keep(row) or row.id in better) if better else answer

    def _seen(self, keep: KeepRow) -> KeepRow:
        """Return a filter that also leaves out the files of other users."""
        sees = self._config.whose.sees
        return lambda row: sees(row.path) and keep(row)

    def _better(self, query: Query, answer: Answer, archived: KeepRow) -> frozenset[int]:
        """Return the archived rows that contain more of the question than any live row."""
        asked, most = self._weighed(self._asked._replace(words=query.words)), self._settings.checked
        live = max((share_contained(one.row.text, asked) for one in answer.found[:most]), default=0.0)
        rows = self._index.match(query, most, archived) if live < 1 else ()
        return frozenset(row.id for row in rows if share_contained(row.text, asked) > live)

    def _ranked(self, query: Query, keep: KeepRow) -> Answer:
        """Rank the rows that `keep` accepts."""
        asked = self._weighed(self._asked._replace(words=query.words))
        settings, limit, most = self._settings, self._asker.limit, self._most()
        candidates = CandidateSearch(self._config, self._index, keep, self._opened, most)
        rows = candidates.rows(
            query, asked, self._recent, self._lately(), self._near(self._question), around=self._asker.neighbours
        )
        if self._asker.sure and not (asked.past or asked.days):  # a model gets only current facts
            rows = [row for row in rows if not row.old]
        among, related = most if query.wishes else limit, candidates.related
        found = rank(
            rows, asked, settings, today=self._today, limit=among, persona=self._asker.persona, related=related
        )
        found = quoted_first(found, query.wishes)[:limit]
        telling = [one.row for one in found if not (self._asker.sure and only_asks(one.row, settings))]
        unknown = self._is_unknown(asked, telling, candidates.related)
        return Answer(found, candidates, asked, unknown)

    def _most(self) -> int:
        """Return how many rows are ranked; without stories, a row far down the word order never wins."""
        settings = self._settings
        if self._asker.ranked:
            return self._asker.ranked
        if self._asker.sure or self._index.has_kinds(settings.stories):
            return settings.candidates
        return min(settings.candidates, max(settings.searched, 2 * self._asker.limit))

    def _lately(self) -> tuple[str, str] | None:
        """Return the range of recent days, which a recall includes unless the question names days."""
        if not self._asker.sure or self._asker.ranked or self._asked.days:
            return None
        first = date.fromordinal(max(1, self._today.toordinal() - self._settings.recent_days))
        return first.isoformat(), self._config.day

    def _is_unknown(self, asked: Question, rows: Sequence[Candidate], related: Sequence[Related]) -> bool:
        """Return True if nothing is known about the question, nor about the rounds before it."""
        if not rows or not self._asker.sure:
            return not rows
        questions = (asked, *(self._weighed(self._understood(one)) for one in self._recent))
        lines = self._index.lines
        return all(
            is_unknown(rows, one, self._index.known(one.words), lines, self._settings, related) for one in questions
        )

    def _understood(self, question: str) -> Question:
        return understood(question, self._settings, self._config.day)

    def _weighed(self, asked: Question) -> Question:
        return asked._replace(weights=self._index.rarity(asked.words))


def _opened(config: WorkspaceConfig) -> dict[str, int]:
    """Return how often each entry was recalled."""
    if not config.has_state(ACCESSES):
        return {}
    from mdmem.search.access_counts import accesses

    return {key: one.times for key, one in accesses(config).items()}
