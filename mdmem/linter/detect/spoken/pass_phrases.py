"""Finds secrets of several words: recovery phrases of wallets, passphrases, and words that a person says at a door.

A recovery phrase (BIP 39) needs no word before it: its words are of one list, and its last bits are a checksum
of the others.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache

from mdmem.linter.detect.secrets import Secret
from mdmem.linter.detect.spoken.bip39_words import ENGLISH
from mdmem.linter.detect.spoken.password_values import FINAL, is_ordinary
from mdmem.text.pattern import pattern

_NUMBER = r"(?:\d{1,2}[.):]?[ \t]{0,3})?"
_WORDS = pattern(  # a whole run of short words, so that each word is looked at once
    rf"(?<![\w-]){_NUMBER}[a-z]{{3,8}}(?:[ \t]{{0,3}}[\s,|][ \t]{{0,3}}{_NUMBER}[a-z]{{3,8}}(?![a-z]))*+"
)
_WORD = pattern(r"[a-z]{3,8}")
_LENGTHS = (24, 21, 18, 15, 12)
_LEAST_CHARS = 47  # twelve words of three letters, and what is between them
_BITS = 11  # bits that one word stands for

_PASSPHRASE = pattern(
    r"(?:pass[ -]?phrase|secret phrase)(?P<bare>s?)(?:\s(?:for|to|of|on)\s[^\n.;:：=?!]{1,40}?)?"
    r"(?:\s?(?:[:=：]|->)\s{0,3}|\s(?:is|was)(?:\snow)?:?\s{1,3}|\s(?:(?:has\sbeen|was|is)\s)?(?:set|changed)\sto:?\s{1,3}"
    r"|(?P<blank>\s{1,3}))[\"'`“«]?(?P<value>[a-z]{3,12}(?:[ -][a-z]{3,12}){2,11}+)"
)
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
    r"[：: \t]{0,3}(?<=[是为成了叫：: \t])[\"'`“「『《]?"
    r"(?P<value>[\u3400-\u9fff]{4,12})"
)
# characters of sentences about such words
_ABOUT = frozenset("的了要在过请没有会需被用和或是都已更重设置定期位存放忘错误正确度安全我你他它这那吗什么怎如何多少")
_CHINESE_NEEDLES = ("口令", "密语", "密語", "暗语", "暗語", "接头", "暗号")


def find_pass_phrases(text: str, lower: str) -> Iterator[Secret]:
    """Yield the recovery phrases, passphrases and spoken passwords of a text; `lower` is the text in lower case."""
    for match in _WORDS.finditer(lower):
        if match.end() - match.start() >= _LEAST_CHARS:
            yield from (("recovery phrase", *span) for span in _recovery_phrases(match))
    if "phrase" in lower:
        for match in _PASSPHRASE.finditer(lower):
            if _is_passphrase(match, text):
                yield "password", *match.span("value")
    if any(needle in text for needle in _CHINESE_NEEDLES):
        for match in _CHINESE.finditer(text):
            if not _ABOUT.intersection(match["value"]) and FINAL.match(text, match.end()):
                yield "password", *match.span("value")


@cache
def _numbers() -> dict[str, int]:
    return {word: number for number, word in enumerate(ENGLISH.split())}


def _recovery_phrases(run: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of words in a run of words that are one phrase with a valid checksum."""
    numbers = _numbers()
    words = [(word.group(), *word.span()) for word in _WORD.finditer(run.string, *run.span())]
    known = [numbers.get(word, -1) for word, _, _ in words]
    first = 0
    while first + _LENGTHS[-1] <= len(words):
        length = next((one for one in _LENGTHS if _is_valid(known[first : first + one], one)), 0)
        if length:
            yield words[first][1], words[first + length - 1][2]
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
    words = re.split(r"[ -]", match["value"])
    if match["bare"] or _FUNCTION_WORDS.intersection(words) or any(map(is_ordinary, words)):
        return False
    if match["blank"] and len(words) < _LEAST_BARE:
        return False
    return FINAL.match(text, match.end()) is not None
