"""Finds the codes of locks, doors and alarms, PINs named before what they open, and lists of backup codes.

«Code» alone is no secret: there are error codes, postcodes, country codes and source code. A number counts only if the
thing that it opens is beside the word: «the garage code is 7731», «门锁密码 550213», `PIN 4821 for the bike lock`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.secrets import Secret
from mdmem.linter.detect.spoken.password_values import COUNT, FINAL, has_digit
from mdmem.linter.views.decoded_views import DecodedView, needles
from mdmem.text.pattern import pattern

_LOCKS = (
    "access door doors gate garage entry entrance alarm lock locks padlock lockbox keybox keysafe safe locker keypad "
    "intercom elevator lift suitcase luggage bike vault shed house apartment flat"
)
_LOCK = rf"(?:{'|'.join(_LOCKS.split())}|key\s(?:box|safe))"
_OF_LOCK = rf"\b{_LOCK}(?:['’]s)?(?:\s(?:lock|door|entry|access|unlock|pin|security))?"
_LOCK_BEFORE = pattern(rf"{_OF_LOCK}[\s-]\Z", re.IGNORECASE)
_LOCK_AFTER = pattern(rf"\b{_LOCK}\b", re.IGNORECASE)
_OWNER_BEFORE = pattern(
    rf"\b(?:my|our|his|her|their|card|phone|bank|sim|{_LOCK})(?:['’]s)?\s(?:\w{{1,16}}\s)?\Z", re.IGNORECASE
)
_OTHER_BEFORE = pattern(  # «the postal code for the house»
    r"\b(?:post|postal|zip|area|country|dial(?:l?ing)?|error|status|exit|product|promo|discount|source|qr)[\s-]\Z",
    re.IGNORECASE,
)
_OPEN = r"[\"'`“*_]{0,3}"
_DIGITS = r"(?P<value>[#*]?\d{3,8}[A-D]?[#*]?|\d{1,2}(?:[-–]\d{1,2}){2,3})(?![\w%°/]|[.,:-]\d)"
_LATIN_CODE = pattern(
    r"(?:code|combination|pin)s?(?P<of>\s(?:for|to|of|on)\s[^\n.;:=?!]{1,40}?)?"
    r"(?:\s?[:=]\s{0,3}|\s(?:is|was|are)(?:\s(?:now|currently|still))?:?\s|['’]s\s|\s(?:(?:has\sbeen|was|is)\s)?(?:changed|set)\sto\s"
    rf"|(?P<bare>\s)){_OPEN}{_DIGITS}",
    re.IGNORECASE,
)
_PIN_FOR = pattern(r"pin\s(?:code\s)?(?P<value>\d{4,8})\sfor\s(?:the|my|our|his|her|their)\b", re.IGNORECASE)
_CHINESE_BEFORE = pattern(
    r"(?:(?:门锁|门禁|大门|房门|(?<![热专部])门|车库|保险柜|锁|柜子?|(?<!邮)箱子?|闸机|报警器|防盗)(?:的)?(?:密|口令|数字密)"
    r"|门禁|解锁|开锁|开门)\Z"
)
_CHINESE_CODE = pattern(
    r"码(?:(?:已经?|也|就|仍|还|都)?(?:是|为|改成|改为|换成|设成|设为)了?|\s?[:：]|(?P<bare>))\s{0,3}[\"'`“「]?"
    r"(?P<value>[#*]?\d{3,12}[#*]?)(?![\w.%-])"
)
_FOLLOWING = " \t\ns:='’"  # what may follow such a word
_LOCK_NEEDLES = needles("code", "combination", "pin")
BEFORE = 48  # characters before a word in which is searched what it belongs to
_TAIL = 16  # characters behind a value that tell what it counts

_BACKUP_WORDS = (
    "backup",
    "back-up",
    "recovery",
    "scratch",
    "emergency",
    "2fa",
    "two-factor",
    "备用",
    "备份",
    "恢复",
    "应急",
)
_CODE = needles("code")  # follows such a word
_BACKUP_NEEDLES = needles(*_BACKUP_WORDS, inside=True)
_BULLET = r"(?:[-*+•]\s{1,3}|\d{1,2}[.)]\s{1,3})?"
_BACKUP = pattern(
    rf"(?:(?:{'|'.join(filter(str.isascii, _BACKUP_WORDS))})\s(?:\w{{1,12}}\s)?codes?\b"
    r"|[备恢应][用份复急](?:验证|登录|代)?码)[^\n:：=]{0,40}?(?:[:：=]|\bare\b|\bis\b|是|为|\s)"
    rf"\s{{0,3}}{_BULLET}(?=[A-Za-z0-9-]{{0,11}}\d)",
    re.IGNORECASE,
)
# One code, whose parts may be joined by hyphens or blanks, and what separates it from the next, also in a list.
_BACKUP_CODE = pattern(
    r"[\"'`]?(?P<value>[A-Za-z0-9]{3,5}(?:[ ](?=[A-Za-z0-9]*\d)[A-Za-z0-9]{3,5}){1,3}(?![\w-])"
    r"|[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,8}){0,3})(?![\w.%/-])[\"'`]?"
)
_BETWEEN = pattern(rf"\s{{0,3}}[,，、;；|/]?\s{{0,3}}(?:and\s|和)?{_BULLET}")
_MOST_CODES = 40
_LEAST_CODE = 6  # signs of the shortest backup code
_DAY = pattern(r"(?:19|20)\d\d[- ]?\d{2}[- ]?\d{2}\Z")


def find_lock_codes(view: DecodedView) -> Iterator[Secret]:
    """Yield the codes of locks and the backup codes of a text."""
    text, lower = view.text, view.lower
    for needle in _LOCK_NEEDLES.held_by(view):
        for at in _each(needle, lower):
            if lower[at + len(needle) : at + len(needle) + 1] in _FOLLOWING and (
                found := _latin_code(text, at, needle)
            ):
                yield "PIN" if needle == "pin" else "lock code", *found
    if "码" in lower:
        for at in _each("码", lower):
            match = _CHINESE_CODE.match(text, at)
            if match and _CHINESE_BEFORE.search(text, max(0, at - BEFORE), at) and _ends(match):
                yield "lock code", *match.span("value")
    elif not _CODE.held_by(view):
        return
    for needle in _BACKUP_NEEDLES.held_by(view):
        for at in _each(needle, lower):
            if match := _BACKUP.match(text, at):
                yield from (("backup code", *span) for span in _backup_codes(text, match.end()))


def _each(needle: str, lower: str) -> Iterator[int]:
    """Yield each offset of a word; looking for its first character is faster than for the word."""
    at = lower.find(needle) if needle[0] in lower else -1
    while at >= 0:
        yield at
        at = lower.find(needle, at + len(needle))


def _latin_code(text: str, start: int, needle: str) -> tuple[int, int] | None:
    """Return the span of the code after a word, if something that it opens is named."""
    if text[start - 1 : start].isalpha() and text[start - 1 : start].isascii():
        return None
    if needle == "pin" and (match := _PIN_FOR.match(text, start)):
        return match.span("value")
    match = _LATIN_CODE.match(text, start)
    if match is None or not _ends(match):
        return None
    before = max(0, start - BEFORE), start
    if _LOCK_BEFORE.search(text, *before) or _is_for_lock(match, before):
        return match.span("value")
    is_owned = needle == "pin" and match["bare"] and len(match["value"]) >= 4
    return match.span("value") if is_owned and _OWNER_BEFORE.search(text, *before) else None


def _is_for_lock(match: re.Match[str], before: tuple[int, int]) -> bool:
    """Return whether the word goes on with «for the door», and is not the code of something else."""
    named = match["of"] is not None and _LOCK_AFTER.search(match["of"]) is not None
    return named and not _OTHER_BEFORE.search(match.string, *before)


def _ends(match: re.Match[str]) -> bool:
    """Return whether a number counts nothing, and without a link ends its clause or has the sign of a keypad."""
    tail = match.string[match.end("value") : match.end("value") + _TAIL]
    if COUNT.match(tail):
        return False
    return match["bare"] is None or not match["value"].isdigit() or FINAL.match(tail) is not None


def _backup_codes(text: str, start: int) -> list[tuple[int, int]]:
    """Return the spans of the codes from an offset on: two at least, or one of two parts."""
    spans: list[tuple[int, int]] = []
    while len(spans) < _MOST_CODES and (match := _BACKUP_CODE.match(text, start)):
        value = match["value"]
        if not has_digit(value) or len(value) < _LEAST_CODE or _DAY.match(value):
            break
        spans.append(match.span("value"))
        between = _BETWEEN.match(text, match.end())
        start = between.end() if between else match.end()
    return spans if len(spans) > 1 or (spans and not text[slice(*spans[0])].isalnum()) else []
