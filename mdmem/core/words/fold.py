"""Folding: what is written differently and read the same becomes the same text.

Full and half width, traditional and simplified characters, typographic quotes. Case is left to who needs it: the
capitals of `getUserName` say where its words begin.
"""

from __future__ import annotations

import unicodedata
from functools import cache

_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0xAD: None, 0x200B: None, 0x200D: None, 0xFE0F: None}


def fold(text: str) -> str:
    """Fold width, traditional characters and quotes; ASCII is given back as it is."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_table())


@cache
def plain(word: str) -> str:
    """Give a word in small letters without accents: café and Cafe are one."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFD", word.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in letters if not "\u0300" <= char <= "\u036f"))


@cache
def _table() -> dict[int, str | None]:
    from mdmem.core.words.simplified import SIMPLER  # three thousand characters, which an English text never asks for

    return {**SIMPLER, **_QUOTES}
