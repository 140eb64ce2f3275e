"""Answer one question: as it was asked, else with its typos corrected, else from the archive too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from mdmem.config.workspace_config import ACCESSES, WorkspaceConfig
from mdmem.search.candidates import ARCHIVE, CandidateSearch, KeepRow, Near
from mdmem.search.index import SearchIndex
from mdmem.search.question import Candidate, Query, Question, RankedHit, content, parse_query, understand
from mdmem.search.rank import rank
from mdmem.search.relevance import quoted_first
from mdmem.search.silence import is_unknown, share_held
from mdmem.search.words.related_words import Related
from mdmem.settings.tables import RecallSettings


def understood(question: str, settings: RecallSettings, today: str) -> Question:
    """Understand a question on this day."""
    triggers = {row.split()[0]: row.split()[1:] for row in settings.triggers if row.strip()}
    words, day = parse_query(content(question), settings.stop_words).words, date.fromisoformat(today)
    return understand(question, words, today=day, recently=settings.recently_days, triggers=triggers)


class Asker(NamedTuple):
    """Who asks, and for how much."""

    limit: int
    recent: tuple[str, ...] = ()  # the last rounds, oldest first
    persona: str = ""
    sure: bool = False  # for a model: quotations filter nothing, and what is not known is not answered


class Answer(NamedTuple):
    """What was found."""

    found: tuple[RankedHit, ...]
    candidates: CandidateSearch
    unknown: bool = False  # nothing is known about the question


class Asking:
    """Answers one question in one workspace."""

    def __init__(self, config: WorkspaceConfig, index: SearchIndex, question: str, near: Near, asker: Asker) -> None:
        self._config, self._index, self._asker = config, index, asker
        self._settings, self._today = config.settings.recall, date.fromisoformat(config.day)
        most = config.settings.search.query_chars
        self._question = question[:most]
        self._recent = [said[:most] for said in asker.recent[-self._settings.rounds :]]
        self._asked, self._near, self._opened = self._understood(self._question), near, _opened(config)

    def answer(self, keep: KeepRow, archived: KeepRow | None = None) -> Answer:
        """Return what answers best among the rows that `keep` passes and, where that is little, the archived ones."""
        query = parse_query(content(self._question), self._settings.stop_words)
        query = query.lenient if self._asker.sure else query
        answer = self._ranked(query, keep)
        if answer.unknown and (respelled := self._index.respelled(query)) != query:
            query, answer = respelled, self._ranked(respelled, keep)
        if archived is None or not self._index.has_folder(ARCHIVE):
            return answer
        better = self._better(query, answer, archived)
        return self._ranked(query, lambda row: keep(row) or row.id in better) if better else answer

    def _better(self, query: Query, answer: Answer, archived: KeepRow) -> frozenset[int]:
        """Return the archived rows that hold more of the question than any live row."""
        asked, most = self._weighed(self._asked._replace(words=query.words)), self._settings.judged
        live = max((share_held(one.row.text, asked) for one in answer.found[:most]), default=0.0)
        rows = self._index.match(query, most, archived) if live < 1 else ()
        return frozenset(row.id for row in rows if share_held(row.text, asked) > live)

    def _ranked(self, query: Query, keep: KeepRow) -> Answer:
        """Rank the rows that `keep` passes."""
        asked = self._weighed(self._asked._replace(words=query.words))
        settings, limit, most = self._settings, self._asker.limit, self._most()
        candidates = CandidateSearch(self._config, self._index, keep, self._opened, most)
        rows = candidates.rows(query, asked, self._recent, self._lately(), self._near(self._question))
        among, related = most if query.wishes else limit, candidates.related
        found = rank(
            rows, asked, settings, today=self._today, limit=among, persona=self._asker.persona, related=related
        )
        found = quoted_first(found, query.wishes)[:limit]
        return Answer(found, candidates, self._is_unknown(asked, [one.row for one in found], candidates.related))

    def _most(self) -> int:
        """Return how many rows are ranked; where each stands alone, one far down the order of the words never wins."""
        settings = self._settings
        if self._asker.sure or self._index.has_kinds(settings.stories):
            return settings.candidates
        return min(settings.candidates, max(settings.searched, 2 * self._asker.limit))

    def _lately(self) -> tuple[str, str] | None:
        """Return the last days, which a recall looks at without being asked."""
        if not self._asker.sure or self._asked.days:
            return None
        first = date.fromordinal(max(1, self._today.toordinal() - self._settings.recent_days))
        return first.isoformat(), self._config.day

    def _is_unknown(self, asked: Question, rows: Sequence[Candidate], related: Sequence[Related]) -> bool:
        """Return True if nothing is known about the question, nor about a round before it."""
        if not rows or not self._asker.sure:
            return not rows
        said = (asked, *(self._weighed(self._understood(one)) for one in self._recent))
        lines = self._index.lines
        return all(is_unknown(rows, one, self._index.known(one.words), lines, self._settings, related) for one in said)

    def _understood(self, question: str) -> Question:
        return understood(question, self._settings, self._config.day)

    def _weighed(self, asked: Question) -> Question:
        return asked._replace(weights=self._index.rarity(asked.words))


def _opened(config: WorkspaceConfig) -> dict[str, int]:
    """Return how often each entry was recalled."""
    if not config.has_state(ACCESSES):
        return {}
    from mdmem.search.access_counts import accesses  # with all that writes safely, for what may not be there

    return {key: one.times for key, one in accesses(config).items()}
