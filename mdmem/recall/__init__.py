"""Finds again what the index proposes: a question understood, candidates weighed, the answer packed. Pure."""

from __future__ import annotations

from mdmem.recall.pack import Packed as Packed
from mdmem.recall.pack import pack as pack
from mdmem.recall.question import Question as Question
from mdmem.recall.question import understand as understand
from mdmem.recall.rank import rank as rank
from mdmem.recall.rank import share_found as share_found
from mdmem.recall.row import Found as Found
from mdmem.recall.row import Row as Row

__all__ = ["Found", "Packed", "Question", "Row", "pack", "rank", "share_found", "understand"]
