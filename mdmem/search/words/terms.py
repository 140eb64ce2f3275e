"""Splits text into search terms: folded words, stems, parts of names, pairs of dense characters, and dates.

A date in any notation yields the same terms: the day, its month, its year, and the day of any year.
"""

# `simplified` is imported for the first text that is not ASCII: it has 3,000 characters.
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from operator import add

from mdmem.search.words.stemming import stem
from mdmem.text.inline import NOT_DENSE, is_dense
from mdmem.text.pattern import Pattern, pattern

_SIGNS = frozenset("年月日号")  # a search for one of these finds dates written with it
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d)"
_ANY_MONTH = pattern("|".join(_MONTHS))
# The first character precedes each look-behind, so that a search skips characters that cannot begin a date.
_ISO = pattern(
    r"(?P<y>[12](?<![A-Za-z\d_.-][12])[09]\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?:(?P=sep)(?P<d>\d{1,2}))?(?![\d-]|[./]\d)"
)
_CHINESE_DIGIT = pattern(r"(?:(?P<y>\d{4}) ?年 ?)?(?P<m>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?[日号])?")
_DAY_FIRST = pattern(
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_DATE_NAME})(?:,? {_YEAR})?(?![a-z\d])", re.IGNORECASE
)
_MONTH_FIRST = pattern(
    rf"(?<![a-z\d])(?P<m>{_DATE_NAME})"
    rf"(?: (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? {_YEAR})?|,? (?P<y2>(?:19|20)\d\d))(?![a-z\d])",
    re.IGNORECASE,
)


def without_days(text: str, found: list[str]) -> str:
    """Remove the dates from a folded text with digits, and append their terms to `found`."""
    spans = [(*match.span(), _ISO) for match in _ISO.finditer(text)]
    if not text.isascii() and "月" in text:
        spans += [(*match.span(), _CHINESE_DIGIT) for match in _CHINESE_DIGIT.finditer(text)]
    if _ANY_MONTH.search(text.lower()):
        spans += [(*match.span(), one) for one in (_DAY_FIRST, _MONTH_FIRST) for match in one.finditer(text)]
    if len(spans) > 1:
        spans.sort(key=_position)
    pieces, last = [], 0
    for start, end, form in spans:
        terms = _read(text[start:end], form) if start >= last else ()
        if terms:
            pieces.append(text[last:start])
            found += terms
            last = end
    return " ".join((*pieces, text[last:])) if last else text


def _position(span: tuple[int, int, Pattern]) -> tuple[int, int]:
    return span[0], -span[1]


@lru_cache(maxsize=20_000)
def _read(text: str, form: Pattern) -> tuple[str, ...]:
    """Return the terms of a date in one notation; none if it is invalid."""
    match = form.fullmatch(text)
    if match is None:
        return ()
    found = match.groupdict()
    month, day = _month(found["m"]), found["d"]
    if not month or (day is not None and not 1 <= int(day) <= 31):
        return ()
    if day is None and found.get("sep") == ".":
        return ()  # 2026.1 is a version
    signs = [char for char in text if char in _SIGNS]
    return (*signs, *_day_terms(found["y"] or found.get("y2"), month, day))


def _month(text: str) -> int:
    number = int(text) if text.isdecimal() else _MONTHS.index(text[:3].lower()) + 1
    return number if 1 <= number <= 12 else 0


def _day_terms(year: str | None, month: int, day: str | None) -> list[str]:
    found = [f"month-{month:02}"]
    if year:
        found += [year, f"{year}-{month:02}"]
    if day:
        found.append(f"{month:02}-{int(day):02}")
    if year and day:
        found.append(f"{year}-{month:02}-{int(day):02}")
    return found


_QUOTES = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0xAD: None, 0x200B: None, 0x200D: None, 0xFE0F: None}


def fold(text: str) -> str:
    """Fold width, traditional characters and quotes; ASCII is returned unchanged."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_table())


def fold_case_and_accents(text: str) -> str:
    """Return a text in lower case without accents: café and Cafe are equal."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFD", text.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in letters if not "\u0300" <= char <= "\u036f"))


@cache
def _table() -> dict[int, str | None]:
    from mdmem.search.words.simplified import SIMPLER

    return {**SIMPLER, **_QUOTES}


_ENGLISH = """
a about above after again all also am an and any are aren as at be because been before being below between both but by
can cannot could couldn d did didn do does doesn doing don done down during each either else ever every few for from
further get gets getting got had hadn has hasn have haven having he her here hers herself him himself his how however
i if in into is isn it its itself just let ll m many may maybe me might mine more most much must my myself no nor not of
off on once one only or other our ours ourselves out over own per please quite rather re really s said same say says
she should shouldn so some such t tell than that the their theirs them themselves then there these they this those
through to too under until up upon us ve very was wasn way we well were weren what when where whether which while who
whom whose why will with within without won would wouldn yes yet you your yours yourself yourselves
dont doesnt didnt isnt arent wasnt werent wont cant couldnt wouldnt shouldnt hasnt havent hadnt im ive id youre youve
hes shes theyre theyve thats whats whos lets
"""
_CHINESE = """
的 了 吗 呢 吧 啊 呀 嘛 哦 么 着 过 地 得 之 其 所 以 是 在 有 和 与 及 或 而 且 但 也 都 就 还 又 很 更 最
把 被 给 让 对 向 从 到 于 为 因 由
我 你 他 她 它 您 咱 们 这 那 哪 谁 几 某 每 个 些 请 问 能 会 要 可
什么 怎么 怎样 怎么样 如何 为什么 为何 哪里 哪儿 哪个 哪些
多少 谁的 是谁 是否 是不是 有没有 请问 告诉 可以 能否 以及 因为 所以 但是 而且
或者 如果 那么
这个 那个 这些 那些 我们 你们 他们 她们 它们 自己 一个 一下 一些 什么时候 关于
年 月 日 号
"""
_JAPANESE = """
は が を に の と も で へ や か ね よ な だ です ます した して する いる ある こと もの これ それ あれ
どの どこ いつ 何 から まで たい ない
"""
_KOREAN = "은 는 이 가 을 를 에 의 도 와 과 로 으로 에서 하고 무엇 언제 어디 누구 어떤"


def by_beginning(words: Iterable[str]) -> dict[str, list[str]]:
    """Return ASCII words by their first two letters, which no stem loses; so few are stemmed to find a term."""
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(beginning(word), []).append(word)
    return found


def beginning(term: str) -> str:
    """Return the first two letters of a word or its stem."""
    return term[:2]


_STEMMED = by_beginning(_ENGLISH.split())
_STOP = frozenset([*_ENGLISH.split(), *_CHINESE.split(), *_JAPANESE.split(), *_KOREAN.split()])
_PHRASES = pattern("|".join(sorted((one for one in _CHINESE.split() if len(one) > 1), key=len, reverse=True)))


def without_phrases(text: str) -> str:
    """Remove the phrases of a Chinese question that would leave pairs without content."""
    return text if text.isascii() else _PHRASES.sub(" ", text)


@lru_cache(maxsize=10_000)
def is_stop(term: str) -> bool:
    """Return whether a term (folded, stemmed) has no content."""
    return term in _STOP or any(stem(word) == term for word in _STEMMED.get(beginning(term), ()))


_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"  # vowel signs and accents inside words
_SIGN = "\u00a9\u00ae\u203c-\u2049\u2100-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff"


_DENSE = pattern(f"[^{NOT_DENSE}]+")
_SPACED = pattern(  # a name or a symbol in a text without dense characters
    rf"\w[^\W{_MARKS}]*(?:(?:[{_MARKS}]|[-.:/@]+(?=\w))\w*)*(?:\+\+|#(?!\w)|'[A-Za-z]+)?|[{_SIGN}]"
)
_ASCII = pattern(r"[A-Za-z0-9_]+(?:[-.:/@]+[A-Za-z0-9_]+)*(?:\+\+|#(?!\w)|'[A-Za-z]+)?")  # the same for ASCII
_DIGIT = pattern(r"\d")
_SEGMENT = pattern(r"[/:@]+")
_PART = pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z][^\W\d_]*")
_CONTRACTED = ("", "s", "d", "ll", "m", "re", "ve")  # parts after an apostrophe without content
_LONGEST = 64  # characters of a term; longer words are found by their parts


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions."""
    text = fold(text)
    found: list[str] = []
    if _DIGIT.search(text):
        text = without_days(text, found)
    for piece in _ASCII.findall(text) if text.isascii() else [match.group() for match in pieces(text)]:
        if is_dense(piece[0]):
            found += piece
            found += map(add, piece, piece[1:])
        else:
            found += _name(piece)
    return found


@lru_cache(maxsize=256)
def line_terms(line: str) -> frozenset[str]:
    """Return the different terms of a line; a search weighs the same lines several times."""
    return frozenset(terms(line))


def pieces(text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of words, names, runs of dense scripts and symbols in a text."""
    if text.isascii():
        yield from _ASCII.finditer(text)
        return
    at = 0
    for run in _DENSE.finditer(text):
        yield from _SPACED.finditer(text, at, run.start())
        yield run
        at = run.end()
    yield from _SPACED.finditer(text, at)


@lru_cache(maxsize=50_000)
def _name(name: str) -> tuple[str, ...]:
    """Return the terms of a word, a name in code, a number, a path, a version or an address: its parts, and itself."""
    name, _, ending = name.partition("'")
    if ending.lower() not in _CONTRACTED:  # don't, o'clock
        name += ending
    small = fold_case_and_accents(name)
    if not (small[:1].isalnum() or "_" in small):
        return (small,)  # a symbol
    if small.isalpha() and (not name.isascii() or len(_PART.findall(name)) == 1):
        return (stem(small)[:_LONGEST],)
    segments = [one for one in _SEGMENT.split(name) if one]
    parts = [fold_case_and_accents(part) for segment in segments for part in _PART.findall(segment)]
    known = set(parts)
    wholes = dict.fromkeys(one for one in (*map(fold_case_and_accents, segments), small) if one not in known)
    return (*(stem(part)[:_LONGEST] for part in parts), *(stem(one) for one in wholes if len(one) <= _LONGEST))
