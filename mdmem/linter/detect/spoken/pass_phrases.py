"""Finds secrets of several words: recovery phrases of wallets, passphrases, and words that a person says at a door.

A recovery phrase (BIP 39) needs no word before it: its words are of one list, and its last bits are a checksum
of the others.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache

from mdmem.linter.detect.secrets import Secret
from mdmem.linter.detect.spoken.bip39_words import ENGLISH
from mdmem.linter.detect.spoken.password_values import FINAL, is_ordinary
from mdmem.linter.views.decoded_views import DecodedView, needles
from mdmem.text.pattern import pattern

# What may be between the words of a phrase is a blank here, small letters are themselves, and all else ends it.
_BETWEEN = b" \t\r\n,|.):0123456789"
_SHAPE = bytes(byte if 97 <= byte <= 122 else 32 if byte in _BETWEEN else 0 for byte in range(256))
_WORD = pattern(r"[a-z]+")
_LENGTHS = (24, 21, 18, 15, 12)
_TWELVE = bytes([True]) * _LENGTHS[-1]  # as many words of the list in a row
_SIX = bytes([True]) * (_LENGTHS[-1] // 2)  # of every second word
_LEAST_CHARS = 47  # twelve words of three letters, and what is between them
_BITS = 11  # bits that one word stands for

_PASSPHRASE = pattern(
    r"(?:pass[ -]?phrase|secret phrase)(?P<bare>s?)(?:\s(?:for|to|of|on)\s[^\n.;:：=?!]{1,40}?)?"
    r"(?:\s?(?:[:=：]|->)\s{0,3}|\s(?:is|was)(?:\snow)?:?\s{1,3}|\s(?:(?:has\sbeen|was|is)\s)?(?:set|changed)\sto:?\s{1,3}"
    r"|(?P<blank>\s{1,3}))(?:[\"`“«](?P<quoted>[a-z]{2,12}(?:[ -][a-z]{2,12}){3,11}+(?: \d{1,4})?)(?=[\"`”»])"
    r"|'?(?P<value>[a-z]{3,12}(?:[ .-][a-z]{3,12}){2,11}+(?:[ -]\d{1,4})?))"
)
_PASSPHRASE_NEEDLES = needles("passphrase", "pass phrase", "pass-phrase", "secret phrase", inside=True)
_LEAST_BARE = 4  # fewest words that follow «passphrase» after a blank only
_OF_SENTENCES = (
    "the and for from was are not but has had our its your were with been they would must should can may will who that "
    "this these those which when where than then into only also use used uses have does did after before until because "
    "while about each any all every some more most least per via once nor yet let you their his her she him them out "
    "over under characters words letters"
)
_FUNCTION_WORDS = frozenset(_OF_SENTENCES.split())
_CHINESE = pattern(
    r"(?:口令|密语|密語|暗语|暗語|接头语|接头暗号|暗号)(?:是|为|就是|改成了?|改为|叫)?"
    r"[：: \t]{0,3}(?<=[是为成了叫：: \t])"
    r"(?:[\"“「『《](?P<quoted>[\u3400-\u9fff]{4,12}\d{0,6})[\"”」』》]|(?P<value>[\u3400-\u9fff]{4,12}(?P<digits>-?\d{1,6})?))"
)
# characters of sentences about such words
_ABOUT = frozenset("的了要在过请没有会需被用和或是都已更重设置定期位存放忘错误正确度安全我你他它这那吗什么怎如何多少")
_CHINESE_NEEDLES = ("口令", "密语", "密語", "暗语", "暗語", "接头", "暗号")


def find_pass_phrases(view: DecodedView) -> Iterator[Secret]:
    """Yield the recovery phrases, passphrases and spoken passwords of a text."""
    text, lower = view.text, view.lower
    if _may_hold_phrase(view.words):
        yield from (("recovery phrase", *span) for span in _recovery_phrases(lower))
    if any(needle in lower for needle in _PASSPHRASE_NEEDLES.held_by(view)):
        for match in _PASSPHRASE.finditer(lower):
            if match["quoted"]:
                yield "password", *match.span("quoted")
            elif _is_passphrase(match, text):
                yield "password", *match.span("value")
    if any(needle in text for needle in _CHINESE_NEEDLES):
        for match in _CHINESE.finditer(text):
            name = "quoted" if match["quoted"] else "value"
            is_said = name == "quoted" or match["digits"] or not _ABOUT.intersection(match["value"])
            if is_said and FINAL.match(text, match.end()):
                yield "password", *match.span(name)


@cache
def _numbers() -> dict[bytes, int]:
    return {word.encode(): number for number, word in enumerate(ENGLISH.split())}


def _may_hold_phrase(words: Sequence[bytes]) -> bool:
    """Return False if no twelve words in a row are of the list, whatever is between them; few texts have as many."""
    is_known = _numbers().__contains__
    return _SIX in bytes(map(is_known, words[::2])) and _TWELVE in bytes(map(is_known, words))


def _recovery_phrases(lower: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of words that are one phrase with a valid checksum.

    A text is divided where no phrase goes on, and most parts have no twelve words of the list in a row.
    """
    is_known = _numbers().__contains__
    commas = lower if lower.isascii() else lower.replace("，", ",").replace("、", ",")  # `translate` is slow here
    start = 0
    for part in commas.encode("ascii", "replace").translate(_SHAPE).split(b"\0"):
        if len(part) >= _LEAST_CHARS and _TWELVE in bytes(map(is_known, part.split())):
            yield from _phrases_of(part.decode(), start)
        start += len(part) + 1


def _phrases_of(part: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the phrases in a part of a text that begins at an offset."""
    numbers = _numbers()
    words = list(_WORD.finditer(part))
    known = [numbers.get(word.group().encode(), -1) for word in words]
    first = 0
    while first + _LENGTHS[-1] <= len(words):
        length = next((one for one in _LENGTHS if _is_valid(known[first : first + one], one)), 0)
        if length:
            yield start + words[first].start(), start + words[first + length - 1].end()
        first += length or 1


def _is_valid(numbers: list[int], length: int) -> bool:
    """Return whether the last bits are the first bits of the SHA-256 of the others (BIP 39)."""
    if len(numbers) != length or -1 in numbers or len(set(numbers)) <= length // 2:
        return False
    value = 0
    for number in numbers:
        value = value << _BITS | number
    check_bits = length // 3
    entropy = (value >> check_bits).to_bytes(check_bits * 4, "big")
    return value & ((1 << check_bits) - 1) == hashlib.sha256(entropy).digest()[0] >> (8 - check_bits)


def _is_passphrase(match: re.Match[str], text: str) -> bool:
    """Return whether the words after «passphrase» are drawn words, and no sentence about one."""
    words = re.split(r"[ .-]", match["value"])
    if match["bare"] or _FUNCTION_WORDS.intersection(words) or any(map(is_ordinary, words)):
        return False
    if match["blank"] and len(words) < _LEAST_BARE:
        return False
    return FINAL.match(text, match.end()) is not None
