"""Find the words of a question that do not say what it is about, such as «time», «live», «多少钱»."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from mdmem.core.words import is_dense, terms
from mdmem.recall.question import Question


def ordinary(question: Question, rows: Sequence[str]) -> frozenset[str]:
    """Return the terms that stand in a question only as a part of the words of these rows."""
    dense, found = _split(tuple(rows))
    if not question.text.isascii():
        rest = frozenset(terms(dense.sub(" ", question.text)))
        found = found.union(term for term in terms(question.text) if term not in rest)
    return found


@lru_cache(maxsize=4)
def _split(rows: tuple[str, ...]) -> tuple[re.Pattern[str], frozenset[str]]:
    """Return a pattern of the words that are written without spaces, and the terms of the others."""
    words = " ".join(rows).split()
    dense = sorted((word for word in words if is_dense(word[0])), key=len, reverse=True)
    found = frozenset(term for word in words if not is_dense(word[0]) for term in terms(word))
    return re.compile("|".join(map(re.escape, dense)) or "(?!)"), found
