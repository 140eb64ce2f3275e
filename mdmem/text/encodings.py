"""Tells in which encoding a file is that is not UTF-8, and converts it where the encoding is certain."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from mdmem.errors import UnreadableFileError

_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CODECS = {"GBK": "gb18030", "Windows-1252 (Latin-1)": "cp1252"}  # where a name is not that of its codec
_NULS = 8  # one in so many bytes, at least, of a text in UTF-16 without a byte order mark
_MOST = 0.9  # share of the characters beyond ASCII that are common ones, in a text whose encoding is certain
_FEW = 0.6  # the same share in a text that is hardly in this encoding
_NO_TEXT = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd-\uffff]")


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
    if data[:2] in _BOMS or (b"\0" in data and _certain_codec(data)):
        return "UTF-16"
    return _guess(b" ".join(line for line in data.splitlines() if not line.isascii()))


def sent_text(data: bytes, codec: str) -> str:
    """Return the text that another program sent in an encoding that is not UTF-8.

    The likely encoding counts first, then `codec`, that of the stream; what neither reads is replaced.
    """
    likely = likely_encoding(data)
    for one in (_CODECS.get(likely, likely), codec):
        try:
            return data.decode(one)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("utf-8", "replace")


def as_utf8(data: bytes) -> bytes | None:
    """Return a file in UTF-8 if its encoding is another one beyond doubt; else None.

    Windows-1252 is never beyond doubt: each text in another encoding of one byte a letter is also valid in it.
    """
    codec = _certain_codec(data) if other_encoding(data) else ""
    if not codec:
        return None
    body = data.removeprefix(codecs.BOM_UTF16_LE if codec == "utf-16-le" else codecs.BOM_UTF16_BE)
    text = _decode(body, codec)
    is_whole = text.encode(codec, "replace") == body
    return text.encode() if text and is_whole and not _NO_TEXT.search(text) else None


def refusal(path: str, data: bytes) -> UnreadableFileError | None:
    """Return the error for a file that cannot be extended because it is no UTF-8 text; None if it is one."""
    name = other_encoding(data)
    if not name:
        return None
    if as_utf8(data) is not None:
        message, hint = "is not UTF-8 but {name}; nothing was written", "convert it: `mdmem lint --fix {path}`"
    elif name == "?":
        message, hint = (
            "is not UTF-8, and its encoding cannot be told; nothing was written",
            "open it in an editor, choose the encoding in which it reads well, and save it as UTF-8",
        )
    else:
        message, hint = (
            "is not UTF-8, but probably {name}; nothing was written",
            "open it in an editor as {name}, check that it reads well, and save it as UTF-8",
        )
    return UnreadableFileError(message, path=path, hint=hint, facts={"name": name, "path": path})


def _certain_codec(data: bytes) -> str:
    """Return the codec of a text in UTF-16 with a byte order mark, or of one that is plausible in no other encoding."""
    if data[:2] in _BOMS:
        return "utf-16-le" if data[:2] == codecs.BOM_UTF16_LE else "utf-16-be"
    if b"\0" in data:
        return next((name for name in ("utf-16-le", "utf-16-be") if _is_plain(_decode(data, name))), "")
    scores = {"gb18030": _share(data, "gb18030", _is_gb), "big5": _share(data, "big5", _is_big5)}
    best = max(scores, key=scores.__getitem__)
    if scores[best] > _MOST and min(scores.values()) < _FEW and not _is_japanese(data):
        return "" if _is_korean(data) or _is_japanese(data, "euc-jp") else best
    return "cp932" if _is_japanese(data) and max(scores.values()) < _FEW else ""


def _is_plain(text: str) -> bool:
    """Return whether most characters are ASCII or common Chinese, and lines end as in a text."""
    common = sum(char.isascii() or "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" for char in text)
    return "\n" in text and bool(text) and common > _MOST * len(text) and not _NO_TEXT.search(text)


def _is_gb(code: bytes) -> bool:
    """Return whether a character is punctuation or one of the 3,755 common ones of GB 2312."""
    return len(code) == 2 and (0xB0 <= code[0] <= 0xD7 or code[0] in (0xA1, 0xA3)) and code[1] >= 0xA1


def _is_big5(code: bytes) -> bool:
    """Return whether a character is punctuation or one of the 5,401 common ones of Big5."""
    return 0xA4 <= code[0] <= 0xC6 or code[0] == 0xA1


def _share(data: bytes, codec: str, is_common: Callable[[bytes], bool]) -> float:
    """Return the share of common characters beyond ASCII; 0 if the codec does not read the text."""
    wide = [char.encode(codec) for char in _decode(data, codec) if not char.isascii()]
    return sum(map(is_common, wide)) / len(wide) if wide else 0


def _is_japanese(data: bytes, codec: str = "cp932") -> bool:
    """Return whether a quarter of the characters beyond ASCII are kana, read with a codec of Japanese."""
    wide = [char for char in _decode(data, codec) if not char.isascii()]
    return 4 * sum("\u3041" <= char <= "\u30fc" for char in wide) > len(wide)


def _is_korean(data: bytes) -> bool:
    """Return whether nearly all characters beyond ASCII are Hangul, read as EUC-KR."""
    wide = [char for char in _decode(data, "euc-kr") if not char.isascii()]
    return sum("\uac00" <= char <= "\ud7a3" for char in wide) > _MOST * len(wide)


def _guess(data: bytes) -> str:
    """Return the likely encoding; the characters of GB 2312 are the common ones of GBK, kana those of Shift-JIS."""
    if b"\0" in data:
        return ""
    if data and _is_korean(data):
        return "EUC-KR"
    if _is_japanese(data, "euc-jp"):
        return "EUC-JP"
    if _is_japanese(data):
        return "Shift-JIS"
    gbk, big5 = _share(data, "gb18030", _is_gb), _share(data, "big5", _is_big5)
    if max(gbk, big5) > _FEW:
        return "Big5" if big5 > gbk else "GBK"
    if (text := _decode(data, "gb18030")) and _mostly(text.encode("gb2312", "ignore").decode("gb2312"), text):
        return "GBK"
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
