"""The derived index: which pieces of the memory files hold which words; safe to delete at any time (law 9).

`Index(places, source, settings)` lies in `.mdmem/index.db` (where nothing can be written, in the user's cache folder,
else in memory). `refresh()` brings it up to what the files are; call it before each question. Then:

- `match(query, limit, keep)` gives the best `Row`s with their texts, their scores by words (`row.words`) and by place
  (`row.place`: heading, file name, date), ordered by both;
- `holding(rows, query)` gives for each row which terms of the query it holds, and their scores;
- `around(path, ordinal, reach)` gives the rows before and behind one, `under(spots)` those under the same heading;
- `by_date(since, until)` gives the rows of days; `status()`, `rebuild()`, `forget()` do what they say.

The words are in the index, the texts are in the files: each is read when it is answered, and a file whose content is
not the one indexed answers nothing.
"""

from __future__ import annotations

from mdmem.search.index.model import Holding as Holding
from mdmem.search.index.model import IndexRow as IndexRow
from mdmem.search.index.model import IndexSource as IndexSource
from mdmem.search.index.model import IndexStatus as IndexStatus
from mdmem.search.index.search_index import SearchIndex as SearchIndex

__all__ = ["Holding", "Index", "Row", "Source", "Status"]
