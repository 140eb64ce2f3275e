"""Tombstones: what was forgotten is known again when it comes back, and cannot be read from what is kept of it.

`archive/forgotten.md` holds a date and a salted, slow digest for each, no content (DESIGN section 3, law 12).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from mdmem.core.document import Document
from mdmem.core.similarity import essence

PATH = "archive/forgotten.md"
_FIELD = "forgotten"
# RFC 7914's parameters for interactive use: 16 MB and some 50 ms a digest
_COST, _BLOCK, _LANES = 1 << 14, 8, 1


class Tombstones:
    """The tombstones of one workspace; all have one salt, so that a text is digested once to be looked up."""

    def __init__(self, document: Document | None) -> None:
        fields = [entry.parts.field(_FIELD) for entry in document.entries] if document else []
        values = [field.value.split(":") for field in fields if field]
        pairs = [value for value in values if len(value) == 2]
        self._salt = bytes.fromhex(pairs[0][0]) if pairs else os.urandom(16)
        self._digests = {digest for _, digest in pairs}

    def holds(self, text: str) -> bool:
        """Tell whether a text was forgotten; width, case, spaces and punctuation do not matter."""
        return bool(self._digests) and self._digest(text) in self._digests

    def lines(self, texts: Iterable[str], day: str) -> list[str]:
        """Give the entries that mark these texts as forgotten, each once, without those that are marked already."""
        found = {self._digest(text): None for text in texts}
        return [f"- {day} [{_FIELD}:: {self._salt.hex()}:{digest}]" for digest in found if digest not in self._digests]

    def _digest(self, text: str) -> str:
        said = essence(text).encode("utf-8", "surrogateescape")
        return hashlib.scrypt(said, salt=self._salt, n=_COST, r=_BLOCK, p=_LANES, dklen=16).hex()
