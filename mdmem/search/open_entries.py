"""Finds what is open: a question of nothing else («todo», 还有什么没做) names no word of the entries themselves."""

from __future__ import annotations

from collections.abc import Callable

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.search.index import IndexRow, SearchIndex
from mdmem.search.question import Question, parse_query
from mdmem.search.silence import ordinary
from mdmem.search.words.terms import is_stop
from mdmem.text.entry import read_entry
from mdmem.text.inline import is_dense


def open_entries(
    config: WorkspaceConfig, index: SearchIndex, question: Question, keep: Callable[[IndexRow], bool], most: int
) -> list[IndexRow]:
    """Return the open entries of the sections that a question asks for; none if it asks for anything else.

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
