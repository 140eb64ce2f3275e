"""The word index: a derived inverted index over the pieces of memory files; safe to delete at any time (law 9).

The database is `.mdmem/index.db`; if that cannot be written, it is in the user's cache folder, else in memory. Call
`refresh()` before each question; then:

- `match(query, limit, keep)` returns the best `IndexRow`s with their texts, scored by words and by headings;
- `holding(rows, query)` returns for each row the query's terms it contains, with their scores;
- `around(path, ordinal, reach)` returns a row's neighbours, `under(spots)` the rows under the same heading;
- `by_date(since, until)` returns the rows of days.

The index stores terms, not texts: a text is read from its file for each answer, and a file whose content has changed
since answers nothing.
"""

from __future__ import annotations

from mdmem.search.index.model import Holding as Holding
from mdmem.search.index.model import IndexRow as IndexRow
from mdmem.search.index.model import IndexSource as IndexSource
from mdmem.search.index.model import IndexStatus as IndexStatus
from mdmem.search.index.search_index import SearchIndex as SearchIndex

__all__ = ["Holding", "IndexRow", "IndexSource", "IndexStatus", "SearchIndex"]
