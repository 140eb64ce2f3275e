"""Find names and spelled-out numbers in a text, by form and without a dictionary.

Latin names: a capital inside a sentence, letters mixed with digits or signs, a lone Latin word in Chinese text. Chinese
names: a surname with a given name next to words about persons, and a list of cities.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_WORD = pattern(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ0-9_+#]*(?:[.'’-][A-Za-zÀ-ɏ0-9_+#]+)*")
_ODD = pattern(r"[a-z].*[A-Z]|[A-Z].*[A-Z]|.*[\d_#+]")
_START = pattern(r"(?:[.!?:：。！？；;｜\]]\s*|^[-*]?\s*)\Z")
# a word at the start of a sentence is a name if one of these verbs follows
_VERB = pattern(
    r"(?:'s|’s)\b|\s+(?:is|was|has|had|will|can|said|says|likes?|wants?|asked|asks|told|works?|lives?|prefers?|lost|left|met|"
    r"moved|owns?|uses?|bought|gave|sent|wrote|called|married|died|joined|and\s+[A-Z])\b"
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡"
    "余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯"
    "龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
_PERSON = (
    "(?:说|讲|问|告诉|提到|建议|认为|觉得|要求|希望|负责"
    "|先生|女士|老师|同学|经理|医生|主任|博士|教授|师傅|总监|阿姨|叔叔)"
)
_GIVEN = r"[\u4e00-\u9fff]{1,2}"
_CHINESE = pattern(
    rf"[老小阿][{_SURNAMES}](?![\u4e00-\u9fff]?[时候])"
    rf"|(?:欧阳|司马|上官|诸葛|[{_SURNAMES}]){_GIVEN}?(?={_PERSON})"
    rf"|(?<=[叫和跟给找由让请见约问陪识系事友子夫儿板户])[{_SURNAMES}]{_GIVEN}(?=[，。；、 ]|{_PERSON}|$)"
)
_PLACE = pattern(
    r"北京|上海|广州|深圳|杭州|南京|苏州|成都|重庆|武汉|西安|天津|青岛|厦门|长沙|郑州|东京|大阪|京都|首尔|纽约|伦敦|巴黎|柏林|"
    r"香港|台北|澳门|新加坡|悉尼|旧金山|洛杉矶|阿姆斯特丹"
)


def names(text: str) -> Iterator[Span]:
    """Yield the spans of the names in a text; they do not overlap."""
    for match in _WORD.finditer(text):
        if _is_name(text, match.start(), match.end()):
            yield Span(*match.span())
    taken: list[Span] = []
    for finder in () if text.isascii() else (_PLACE, _CHINESE):
        for match in finder.finditer(text):
            span = Span(*match.span())
            if not any(span.overlaps(other) for other in taken):
                taken.append(span)
                yield span


def _is_name(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    if _ODD.match(word):
        return True
    before, behind = text[max(0, start - 4) : start], text[end : end + 4]
    if word[0].isupper():
        opens = not before or _START.search(before) is not None
        return len(word) > 1 and (not opens or _is_chinese(behind.lstrip()[:1]) or _VERB.match(text, end) is not None)
    around = before.rstrip()[-1:], behind.lstrip()[:1]
    return len(word) > 1 and _is_chinese(around[0]) and (_is_chinese(around[1]) or not around[1])


def _is_chinese(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or (bool(char) and char in "，。；：、！？（）「」《》“”")


_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
# a numeral counts only before a measure word; a lone 一 is seldom a number (一起, 统一)
_CHINESE_NUMERAL = pattern(
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
_ENGLISH = pattern(r"(?i)\b(?=[efnostz])(?:" + "|".join(sorted(_WORDS, key=len, reverse=True)) + r")\b")


class Numeral(NamedTuple):
    """A number written as words, and its value."""

    text: str
    value: int
    start: int


def numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers that are written as words, except a lone 一 or «one»."""
    for match in _CHINESE_NUMERAL.finditer(text):
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
