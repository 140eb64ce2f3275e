"""What may answer a question: the rows that the index proposes, those beside them and those of the days it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from mdmem.core.entry import read_entry
from mdmem.core.settings import RecallSettings
from mdmem.core.words import Query, parse_query
from mdmem.index import Index
from mdmem.index import Row as Indexed
from mdmem.recall import Question, Row
from mdmem.workspace.config import Config

FACTS, ENTRY, HEADING = "facts", "entry", "heading"
_REACH = 2  # rows on either side that a row lends to
Keep = Callable[[Indexed], bool]


class Candidates:
    """Gathers the rows for one question, each once, by its place."""

    def __init__(self, config: Config, index: Index, keep: Keep, opened: Mapping[str, int]) -> None:
        self._settings, self._index, self._keep, self._opened = config.settings.recall, index, keep, opened
        self._place_weight = config.settings.search.place_weight
        self._found: dict[tuple[str, int], Row] = {}
        self.indexed: dict[tuple[str, int], Indexed] = {}

    def rows(
        self, query: Query, question: Question, recent: Sequence[str], lately: tuple[str, str] | None
    ) -> list[Row]:
        """Gather; `lately` are first and last of the days that count without being named."""
        self._by_words(query, "words")
        for said in recent:
            self._by_words(parse_query(said), "context")
        for first, last in (*_spans(question, self._settings), *((lately,) if lately else ())):
            for row in self._index.by_date(first, last)[: self._settings.candidates]:
                self._add(row)
        self._beside()
        return list(self._found.values())

    def _by_words(self, query: Query, way: str) -> None:
        for row in self._index.match(query, self._settings.candidates, self._keep):
            known = self._add(row)
            score = row.words + self._place_weight * row.place
            if known:
                self._found[row.path, row.ordinal] = known._replace(**{way: max(score, getattr(known, way))})

    def _beside(self) -> None:
        """Add the neighbours of the best rows of stories; what stands in between may be the answer."""
        best = sorted((row for row in self._found.values() if row.story), key=lambda row: -row.words)
        for row in best[: self._settings.around]:
            wanted = range(max(0, row.place - _REACH), row.place + _REACH + 1)
            if any((row.path, place) not in self._found for place in wanted):
                for other in self._index.around(row.path, row.place, _REACH):
                    self._add(other)

    def _add(self, row: Indexed) -> Row | None:
        place = row.path, row.ordinal
        if place not in self._found:
            if row.kind == HEADING or not self._keep(row):
                return None
            self._found[place] = self._row(row)
            self.indexed[place] = row
        return self._found[place]

    def _row(self, row: Indexed) -> Row:
        """Say of an indexed row what ranking asks; fields are looked at where there may be any."""
        parts = read_entry(row.text) if row.kind == ENTRY and ("::" in row.text or "#" in row.text) else None
        fields = {field.key: field.value for field in parts.fields} if parts else {}
        subject = row.path.rpartition("/")[2].removesuffix(".md").casefold() if row.file_kind == FACTS else ""
        return Row(
            row.path, row.line + 1, row.ordinal, row.text, row.file_kind, row.date,
            who=(row.speaker or subject).casefold(),
            story=row.file_kind in self._settings.stories,
            subject=fields.get("subject", subject),
            predicate=fields.get("predicate", ""),
            type=fields.get("type", ""),
            tags=parts.tags if parts else (),
            importance=_share(fields.get("importance", "")),
            opened=self._opened.get(row_key(row.text), 0) if self._opened else 0,
            old="superseded_by" in fields or row.title.casefold() in self._settings.superseded,
        )  # fmt: skip


def row_key(text: str) -> str:
    """Name a text, as the pen names an entry that has no id of its own."""
    from mdmem.core.intent import entry_key

    return entry_key(text)


def _spans(question: Question, settings: RecallSettings) -> list[tuple[str, str]]:
    """Give the ranges that a question names with their year, if they are short enough to be read through."""
    exact = [days for days in question.days if days.start[0] != "-"]
    longest = timedelta(days=settings.read_days)
    return [
        (one.start, one.end) for one in exact if date.fromisoformat(one.end) - date.fromisoformat(one.start) <= longest
    ]


def _share(said: str) -> float:
    """Read an importance: 0 to 1, or 1 to 10 as others write it."""
    try:
        value = float(said)
    except ValueError:
        return 0.5
    return min(1.0, value / 10 if value > 1 else max(0.0, value))
