"""Finds again what the index proposes: a question understood, candidates weighed, the answer packed. Pure."""

from __future__ import annotations

from mdmem.recall.pack import Packed as Packed
from mdmem.recall.pack import pack as pack
from mdmem.recall.question import Question as Question
from mdmem.recall.question import content as content
from mdmem.recall.question import understand as understand
from mdmem.recall.quoted import quoted_first as quoted_first
from mdmem.recall.rank import rank as rank
from mdmem.recall.row import Found as Found
from mdmem.recall.row import Row as Row
from mdmem.recall.silence import is_unknown as is_unknown
from mdmem.recall.silence import share_held as share_held

__all__ = [
    "Found", "Packed", "Question", "Row", "content", "is_unknown", "pack", "quoted_first", "rank", "share_held",
    "understand",
]  # fmt: skip
