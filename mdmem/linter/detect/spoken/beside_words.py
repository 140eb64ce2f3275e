"""Finds passwords without «is» or a colon after their word: beside a user name, before the word, between other words.

Only what no word of a sentence looks like counts here: letters and digits, and a sign in it or letters of both cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.secrets import Secret
from mdmem.linter.detect.spoken.password_values import TRAIL, is_password
from mdmem.linter.views.decoded_views import DecodedView, Needles, needles
from mdmem.text.pattern import Pattern, pattern

_ASCII = r"[\x21-\x7e]"
_ODD = (
    rf"(?=[\"'`]?{_ASCII}{{0,62}}[A-Za-z])(?=[\"'`]?{_ASCII}{{0,62}}\d)"
    rf"(?=[\"'`]?{_ASCII}{{0,62}}?(?:[!@#$%^&*+~=?]|[a-z]{_ASCII}{{0,40}}?[A-Z]|[A-Z]{_ASCII}{{0,40}}?[a-z]))"
    rf"[\"'`]?(?P<value>{_ASCII}{{6,64}})"
)


def _shape(words: str, before: str) -> list[tuple[str, tuple[str, Pattern]]]:
    """Return each word at which a form is tried, with the pattern that must match there."""
    shape = pattern(f"(?i:{before}){_ODD}")
    return [(word, (word, shape)) for word in words.split("|")]


_FORMS = Needles(
    (
        # «Pass for the printer: x», «root pw on the old box = x»
        *_shape(
            "pass for|pwd for|pw for|pw on",
            r"(?:pass|pwd|pw)\s(?:for|on)\s(?:the|my|our|his|her)\s[^\n.:;=]{1,40}?(?:\s?[:=]\s?|\s)",
        ),
        # «login: mara / x», «Credentials for staging: deploy / x», «登录：tester / x»
        *_shape(
            "login|credential|creds|account|登录|账号|帐号|账户",
            r"(?:login|credentials?|creds|account|登录|账号|帐号|账户)[^\n|/]{0,40}?(?:[:：=]|\bis\b|\bare\b|是|为)\s{0,2}[\w.@+-]{2,60}\s/\s",
        ),
        # «with user guest and pass x»
        *_shape("and pass |and pw ", r"and\s(?:pass|pw)\s"),
        # «change the password from x to y»
        *_shape("password from", r"password\sfrom\s"),
        *_shape("password from", r"password\sfrom\s\S{4,64}\sto\s"),
        # «密码Jump!7Qx», «密码还是以前那个 lan&hua1987»
        *_shape("密码", r"密码(?:还是|仍是|就是)?[\u3400-\u9fff]{0,6}(?:[ ](?!@))?"),
    )
)
# «I use x as the password for …»: searched before the word
_REVERSED_WORDS = needles("password", "passphrase")
_REVERSED = pattern(
    rf"\b(?i:used?|set|chose|picked|have)\s{_ODD}(?<=\S)\sas\s(?:the|my|our|his|her|their|a)\s(?:\w{{1,12}}\s){{0,2}}\Z"
)
_BEFORE = 120  # characters before that word
# «邮箱授权码 qhzvmxwkpljtbead», «会议密码 593 771», «支付密码六位：771204», «SIM 卡 PIN 码 5573»
_NUMBERS = pattern(
    r"授权码(?:是|为)?[：: ]{0,3}(?P<letters>[a-z]{16})(?![a-z])"
    r"|密码(?:是|为)?[：: ]{1,3}(?P<groups>\d{3} \d{3}(?: \d{3})?)(?![ \d])"
    r"|密码(?:是)?[四六八]位(?:数字?)?[：: ]{1,3}(?P<digits>\d{4,8})(?!\d)"
    r"|[Pp][Ii][Nn] 码(?:是|为)?[：: ]{0,3}(?P<pin>\d{4,8})(?!\d)"
    r"|(?:保险[箱柜]|密码锁)的?密码(?:是|为)?[：: ]{0,3}(?P<turns>(?:[左右]\d{1,3}){2,4})"
)
# «admin / Kz8river77»: the name of an account, and behind a slash between blanks a word with letters and digits
_ACCOUNTS = ("admin", "administrator", "root", "superuser", "postgres", "guest", "ubuntu", "管理员")
_PAIR = pattern(
    rf"(?<![\w/.-])(?i:{'|'.join(_ACCOUNTS)}) / "
    r"(?P<value>(?!v\d)(?=[^\s/]*\d)(?=[^\s/]*[A-Za-z])[\x21-\x2e\x30-\x7e]{6,63}[A-Za-z0-9!?$#])(?=[\s,.;，；。]|\Z)"
)
_SIGN = "码"  # of all of these


def find_beside_words(view: DecodedView) -> Iterator[Secret]:
    """Yield such passwords and numbers of a text."""
    text, lower = view.text, view.lower
    for needle, shape in _FORMS.held_by(view):
        at = lower.find(needle)
        while at >= 0:
            match = None if _is_inside(text, at) else shape.match(text, at)
            if match and (length := _length(match)):
                yield "password", match.start("value"), match.start("value") + length
            at = lower.find(needle, at + len(needle))
    for word in _REVERSED_WORDS.held_by(view):
        at = lower.find(word)
        while at >= 0:
            is_after = lower.rfind(" as ", max(0, at - 40), at) >= 0
            match = _REVERSED.search(text, max(0, at - _BEFORE), at) if is_after else None
            if match and (length := _length(match)):
                yield "password", match.start("value"), match.start("value") + length
            at = lower.find(word, at + 1)
    yield from (("password", *match.span("value")) for match in _pairs(text, lower))
    if _SIGN in text:
        for match in _NUMBERS.finditer(text):
            yield "PIN" if match["pin"] else "password", *match.span(match.lastgroup or 0)


def _pairs(text: str, lower: str) -> Iterator[re.Match[str]]:
    """Yield such pairs; of the slashes between blanks, few are behind the name of an account."""
    at = text.find(" / ")
    while at >= 0:
        end = at + 1
        if lower.endswith(_ACCOUNTS, 0, at):
            name = next(name for name in _ACCOUNTS if lower.endswith(name, 0, at))
            if match := _PAIR.match(text, at - len(name)):
                yield match
                end = match.end()
        at = text.find(" / ", end)


def _is_inside(text: str, start: int) -> bool:
    """Return whether an offset is inside a Latin word."""
    before = text[start - 1 : start] if start else ""
    return before.isascii() and before.isalnum() and text[start].isascii()


def _length(match: re.Match[str]) -> int:
    """Return the length of a value without the marks around it; 0 if it is code, a path or a stand-in."""
    value = match["value"].rstrip(TRAIL)
    end = match.start("value") + len(value)
    return len(value) if is_password(value, match.string[end : end + 16], quoted=False) else 0
