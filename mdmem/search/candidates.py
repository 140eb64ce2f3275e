"""Gathers candidates: rows that the index proposes, their neighbours, and rows of the days a question names."""

# `tomllib` is imported only if the cached tables are outdated.
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.paths import within_user
from mdmem.search.index import Holding, IndexRow, SearchIndex
from mdmem.search.question import USER, Candidate, Query, Question, parse_query
from mdmem.search.silence import ordinary
from mdmem.search.words.related_words import Related, related_terms
from mdmem.search.words.terms import is_stop
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.entry import read_entry, statement_key
from mdmem.text.inline import is_dense

FACTS, ENTRY, HEADING = "facts", "entry", "heading"
RowKey = tuple[str, int]  # path, and number among the rows of its file
_ENDS = frozenset(("superseded", "superseded_by"))  # fields of what no longer holds
_DIGITS = 10  # of a count; a longer one is none
_REACH = 2  # rows on either side that a row shares its score with
KeepRow = Callable[[IndexRow], bool]


class CandidateSearch:
    """Gathers the rows for one question, each once."""

    def __init__(
        self, config: WorkspaceConfig, index: SearchIndex, keep: KeepRow, opened: Mapping[str, int], most: int
    ) -> None:
        """Bind to one question; each way of finding proposes at most `most` rows."""
        self._most, self._config = most, config
        self._settings, self._index, self._opened = config.settings.recall, index, opened
        self._tables = word_tables(config)
        self._keep: KeepRow = lambda row: row.kind != HEADING and keep(row)  # headings are no answers
        self._phrases = config.settings.search.phrases
        self._place_weight = config.settings.search.heading_weight
        self._scores: dict[RowKey, dict[str, float]] = {}
        self.indexed: dict[RowKey, IndexRow] = {}
        self.related: tuple[Related, ...] = ()

    def rows(
        self, query: Query, question: Question, recent: Sequence[str], lately: tuple[str, str] | None,
        near: Iterable[tuple[IndexRow, float]] = (), *, around: bool = True,
    ) -> list[Candidate]:  # fmt: skip
        """Return the candidates.

        `lately` is the range of days that counts without being named; `near` are the rows of a vector backend. Without
        `around`, neighbours are left out, and rows without a word of the question if their file has others.
        """
        self.related = related = self._related(query)
        for phrase in query.wishes[: self._phrases]:
            self._by_words(query._replace(must=(*query.must, phrase)), "words")
        self._by_words(query, "words", related)
        for row in _open_entries(self._config, self._index, question, self._keep, self._most):
            self.indexed[row.path, row.ordinal] = row
            self._scores.setdefault((row.path, row.ordinal), {}).setdefault("words", 1.0)
        for text in recent:
            self._by_words(parse_query(text, self._settings.stop_words), "context")
        for first, last in (*_spans(question, self._settings), *((lately,) if lately else ())):
            self._add(self._index.by_date(first, last)[: self._most])
        self._by_meaning(near)
        if around:
            self._add_neighbours()
        term_scores = self._story_terms(query, related)
        rows = [self._row(row, self._scores.get(key, {}), term_scores.get(key)) for key, row in self.indexed.items()]
        return rows if around else _with_words(rows)

    def _related(self, query: Query) -> tuple[Related, ...]:
        """Return the extra terms of a question."""
        settings, tables = self._settings, self._tables
        classes = related_terms(query.words, tables.classes, settings.class_share, settings.rarest)
        return (*classes, *related_terms(query.words, tables.forms, settings.form_share, settings.rarest))

    def _by_words(self, query: Query, way: str, related: Sequence[Related] = ()) -> None:
        for row in self._index.match(query, self._most, self._keep, related):
            key = row.path, row.ordinal
            self.indexed[key] = row
            is_story = row.file_kind in self._settings.stories  # the file and days of a story are weighed separately
            score = row.word_score + (0 if is_story else self._place_weight * row.heading_score)
            scores = self._scores.setdefault(key, {})
            scores[way] = max(score, scores.get(way, 0.0))

    def _story_terms(self, query: Query, related: Sequence[Related]) -> dict[RowKey, Holding]:
        """Return the matching terms of story rows; only these share scores with neighbours."""
        stories = {key: row.id for key, row in self.indexed.items() if row.file_kind in self._settings.stories}
        return dict(zip(stories, self._index.holding([*stories.values()], query, related), strict=True))

    def _by_meaning(self, near: Iterable[tuple[IndexRow, float]]) -> None:
        for row, share in near:
            self._add([row])
            if (key := (row.path, row.ordinal)) in self.indexed:
                self._scores.setdefault(key, {})["meaning"] = share

    def _add_neighbours(self) -> None:
        """Add the neighbours of the best story rows: the answer may be between them."""
        best = sorted(self._scores, key=lambda key: -self._scores[key].get("words", 0.0))
        wanted: dict[str, set[int]] = {}
        for path, ordinal in best[: self._settings.around]:
            if self.indexed[path, ordinal].file_kind in self._settings.stories:
                wanted.setdefault(path, set()).update(range(max(0, ordinal - _REACH), ordinal + _REACH + 1))
        for path, ordinals in wanted.items():
            missing = [ordinal for ordinal in sorted(ordinals) if (path, ordinal) not in self.indexed]
            self._add(self._index.at(path, missing) if missing else ())

    def _add(self, rows: Iterable[IndexRow]) -> None:
        for row in rows:
            if (row.path, row.ordinal) not in self.indexed and self._keep(row):
                self.indexed[row.path, row.ordinal] = row

    def _row(self, row: IndexRow, scores: Mapping[str, float], matching: Holding | None) -> Candidate:
        """Return the candidate of an indexed row; fields are parsed only if the text may have any."""
        parts = read_entry(row.text) if row.kind == ENTRY and ("::" in row.text or "#" in row.text) else None
        fields = {field.key: field.value for field in parts.fields} if parts else {}
        is_story = row.file_kind in self._settings.stories
        subject = row.path.rpartition("/")[2].removesuffix(".md").casefold() if row.file_kind == FACTS else ""
        return Candidate(
            row.path, row.line + 1, row.ordinal, row.text, row.file_kind, row.date,
            who=self._who(row.speaker or subject),
            words=sum(score for _, score in matching.terms) if matching else scores.get("words", 0.0),
            term_scores=matching.terms if matching else (),
            length=matching.length if matching else 0,
            context=scores.get("context", 0.0),
            meaning=scores.get("meaning", 0.0),
            story=is_story,
            subject=fields.get("subject", subject).casefold(),
            predicate=fields.get("predicate", ""),
            type=fields.get("type", ""),
            tags=(*(parts.tags if parts else ()), *row.tags),
            importance=_share(fields.get("importance"), self._settings.unrated_importance),
            opened=0 if is_story else _count(fields.get("accesses")) + self._recalls(row.text),
            old=not _ENDS.isdisjoint(fields) or row.title.casefold() in self._settings.superseded,
            source=fields.get("source", "") if subject else "",
        )  # fmt: skip

    def _recalls(self, text: str) -> int:
        """Return how often a text was recalled since the night last wrote the counts into the files."""
        return self._opened.get(statement_key(text), 0) if self._opened else 0

    def _who(self, name: str) -> str:
        """Return a speaker or subject; the person whose memory this is has one name in every language."""
        folded = name.casefold()
        return USER if folded in self._persons else folded

    @cached_property
    def _persons(self) -> frozenset[str]:
        template = self._config.schemas.get(FACTS)
        row = next(iter(template.parts.get("subjects", ())), "") if template else ""
        return frozenset(name.strip().casefold() for name in row.split("="))


def _with_words(rows: Sequence[Candidate]) -> list[Candidate]:
    """Return the rows that hold a word of the question; of a file without one, the first row."""
    found = [row for row in rows if row.words or row.meaning]
    first = {row.path: row for row in sorted(rows, key=lambda row: -row.ordinal)}
    return found + [row for path, row in first.items() if path not in {one.path for one in found}]


def _count(text: str | None) -> int:
    """Return how often an entry was recalled before the count was written into it."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < _DIGITS else 0


def _spans(question: Question, settings: RecallSettings) -> list[tuple[str, str]]:
    """Return the date ranges with a year that are short enough to add all their rows."""
    exact = [days for days in question.days if days.start[0] != "-"]
    return [
        (one.start, one.end)
        for one in exact
        if (date.fromisoformat(one.end) - date.fromisoformat(one.start)).days <= settings.read_days
    ]


def _share(text: str | None, unrated: float) -> float:
    """Parse an importance: 0 to 1, or 1 to 10 as other systems write it; `unrated` if it is not a number."""
    if text is None:
        return unrated
    try:
        value = float(text)
    except ValueError:
        return unrated
    return min(1.0, value / 10 if value > 1 else max(0.0, value))


ARCHIVE = "archive"
Near = Callable[[str], Iterable[tuple[IndexRow, float]]]  # vector results: rows with a share from 0 to 1


def is_archived(kind: str, path: str) -> bool:
    """Return True for a file of the archive."""
    return kind == ARCHIVE or within_user(path).startswith(f"{ARCHIVE}/")


def _open_entries(
    config: WorkspaceConfig, index: SearchIndex, question: Question, keep: KeepRow, most: int
) -> list[IndexRow]:
    """Return the open entries of the sections that a question asks for; none if it asks for anything else.

    A question of nothing else («todo», 还有什么没做) names no word of the entries themselves.
    The rows of `[recall] open_entries` name a section, by an alias of any template, and the words that ask for it.
    """
    rows = config.settings.recall.open_entries
    asked = frozenset(word for word in question.words if not (is_dense(word[0]) and all(map(is_stop, word))))  # 还有
    words = ordinary(question, rows)
    if asked.isdisjoint(words) or not asked <= words | ordinary(question, config.settings.recall.ordinary):
        return []
    aliases = [row.split()[0] for row in rows if row.strip()]

    def is_open(row: IndexRow) -> bool:
        template = config.schemas.get(row.file_kind)
        section = template.name(row.title) if template else None
        is_asked = template and section and any(template.name(alias) == section for alias in aliases)
        return bool(is_asked) and keep(row) and not (row.text and read_entry(row.text).done)

    return index.match(parse_query(" ".join(rows)), most, is_open)


FILE = "words.toml"


class WordTables(NamedTuple):
    """The tables of words, each a list of rows; read by `related_words` and `sure_lines`."""

    classes: tuple[str, ...]
    forms: tuple[str, ...]
    common: tuple[str, ...]
    roles: tuple[str, ...]


def word_tables(config: WorkspaceConfig) -> WordTables:
    """Return the shipped tables followed by the user's own rows."""
    own = config.settings.recall
    shipped = _shipped(config)
    return WordTables(
        shipped.classes + own.classes, shipped.forms + own.forms, shipped.common + own.common, shipped.roles
    )


@lru_cache(maxsize=1)
def _shipped(config: WorkspaceConfig) -> WordTables:
    return WordTables(*config.shipped_rows(FILE, *WordTables._fields))
