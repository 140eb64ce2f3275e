"""Numbers that are written as words, in Chinese and English, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
# a lone 一 is seldom a number (一起, 统一), and one that nothing is counted by is none
_CHINESE = pattern(
    r"[零〇一二两三四五六七八九十百千万亿]+(?=[个条项天周月年岁次小分秒点米克元块人位名本页行台张只件辆步组份种倍成度号楼层轮片颗粒瓶盒包杯碗盘封只头匹架顿遍趟栋间套欧元角折站场口])"
)
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_ENGLISH = pattern(r"(?i)\b(?:" + "|".join(sorted(_WORDS, key=len, reverse=True)) + r")\b")


class Numeral(NamedTuple):
    """A number in words, and its value."""

    text: str
    value: int
    start: int


def numerals(text: str) -> Iterator[Numeral]:
    """Find the numbers that are written as words; 一 and «one» alone are not counted as such."""
    for match in _CHINESE.finditer(text):
        if match.group() not in ("一", "零"):
            yield Numeral(match.group(), _chinese(match.group()), match.start())
    for match in _ENGLISH.finditer(text):
        value = _WORDS[match.group().lower()]
        if value > 1:
            yield Numeral(match.group(), value, match.start())


def _chinese(text: str) -> int:
    if all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total = part = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _TENS:
            part += (digit or 1) * _TENS[char]
            digit = 0
        else:
            total = (total + part + digit or 1) * _BIG[char]
            part = digit = 0
    return total + part + digit
