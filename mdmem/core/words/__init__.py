"""How a text becomes the terms it is found by, and a question becomes a query; the same for files and for questions.

`terms(text)` gives the terms of a text in order: words folded (width, case, accents, traditional characters) and
stemmed; of scripts that write no spaces every character and every pair of neighbours; names in code with their parts;
dates in one form with their parts; signs such as emoji. `parse_query(text)` reads a question: what must be there,
what must not, and the content words any of which may be. Any text is a query, none is an error.
"""

from __future__ import annotations

from mdmem.core.words.fold import fold as fold
from mdmem.core.words.mark import marks as marks
from mdmem.core.words.query import Phrase as Phrase
from mdmem.core.words.query import Query as Query
from mdmem.core.words.query import parse_query as parse_query
from mdmem.core.words.stop import is_stop as is_stop
from mdmem.core.words.terms import is_dense as is_dense
from mdmem.core.words.terms import terms as terms

__all__ = ["Phrase", "Query", "fold", "is_dense", "is_stop", "marks", "parse_query", "terms"]
