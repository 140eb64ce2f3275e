"""Tells in which encoding a file is that is not UTF-8."""

from __future__ import annotations

import re

_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_NULS = 8  # one in so many bytes, at least, of a text in UTF-16 without a byte order mark


def other_encoding(data: bytes) -> str:
    """Return the likely encoding of a file that as a whole is not UTF-8; empty for UTF-8, with some damage or none.

    A file with more valid characters beyond ASCII than bytes that are none is damaged UTF-8.
    """
    text = data.decode("utf-8", "surrogateescape")
    undecodable = sum("\udc80" <= char <= "\udcff" for char in text)
    if not undecodable:
        return "UTF-16" if data.count(0) * _NULS > len(data) else ""
    if sum(not char.isascii() for char in text) - undecodable >= undecodable:
        return ""
    return likely_encoding(data) or "?"


def likely_encoding(data: bytes) -> str:
    """Return the likely encoding of a file that is not UTF-8; empty if none is."""
    return _BOMS.get(data[:2]) or _guess(b" ".join(line for line in data.splitlines() if not line.isascii()))


def _guess(data: bytes) -> str:
    """Return the likely encoding; the characters of GB 2312 are the common ones of GBK, kana those of Shift-JIS."""
    if b"\0" in data:
        return ""
    if (text := _decode(data, "gb18030")) and _mostly(text.encode("gb2312", "ignore").decode("gb2312"), text):
        return "GBK"
    if (text := _decode(data, "cp932")) and re.search("[\u3041-\u30fc]", text):
        return "Shift-JIS"
    if (text := _decode(data, "cp1252")) and _mostly("".join(filter(str.isalpha, text)), text):
        return "Windows-1252 (Latin-1)"
    return ""


def _mostly(common: str, text: str) -> bool:
    """Return whether most characters beyond ASCII are common ones."""
    return 2 * sum(not char.isascii() for char in common) > sum(not char.isascii() for char in text)


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""
