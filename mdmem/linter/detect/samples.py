"""Recognises sample values that manuals show instead of a secret: `StrongPass123!`, `test_pass`, `existingToken1`.

Only documents that are not memories are checked with it. In a memory such a value may be the real one.
"""

from __future__ import annotations

import base64
import re

from mdmem.linter.detect.secrets import counts_up, decode
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_WORDS = (
    "super very my your our new old current strong weak secure safe wrong right good bad valid invalid correct "
    "incorrect not in non prod production dev development local staging db database postgres mysql redis root admin "
    "user guest test tests testing demo example sample fake dummy default temp some the a is this only account login "
    "pass password passwd pass@word pwd secret key token jwt session word auth existing base64 encoded base api "
    "access refresh client app value string mock"
)
_ANY = "|".join(sorted(_WORDS.split(), key=len, reverse=True))
_WHOLE = pattern(rf"(?:(?:{_ANY})[-_. ]?(?:[!@#$]?\d{{0,3}}[!@#$]{{0,2}}))+", re.IGNORECASE)
# a word in which digits stand for letters: `s00pers3cret`, `rapunz3l`, `s1mpl3`
_SPELLED = pattern(r"(?=[a-z0-9]{5,14}\Z)[a-z]+(?:[013457]{1,2}[a-z]+){1,3}[013457]?")
# what a value calls itself before anything random: `test-key-…`, `exampleToken…`
_CALLED = pattern(
    r"(?<![a-z])(?:test|example|sample|dummy|fake|mock|demo)[-_]?(?:(?:api|auth|access|secret|private)[-_]?)?"
    r"(?:key|token|secret|password|pass|value)",
    re.IGNORECASE,
)
_CONSONANT = "[b-df-hj-np-tv-xz]"
_LONG_WORD = pattern(
    rf"(?=(?i:{_CONSONANT}{{0,3}}[aeiouy]))(?!\w?[a-z]{{0,16}}?{_CONSONANT}{{4}})(?:[A-Z][a-z]{{2,16}}|[a-z]{{3,16}})"
    r"|(?:As|At|By|Id|In|Is|My|Of|On|Or|To)(?![a-z])|[-_.]"
)
_OTHERS = 0.25  # the largest share of a value of words that is no such word
_FEW_DIGITS = 3
# digits that count up from one or are all the same, alone or after a name: `kim123`, `Owner@12345`, `888888`
_COUNTED = pattern(
    r"(?P<name>[A-Za-z]{0,24})[-_.@#]?"
    r"(?:123(?:4(?:5(?:6(?:7(?:8(?:90?)?)?)?)?)?)?|(?P<same>\d)(?P=same){2,7})[!@#$*.]{0,3}"
)
# one word or several, as source code in a manual shows: `password: 'nodejsrules'`, `'sailsRules'`, `'blue-river'`
_QUOTED_WORDS = pattern(r"(?=\S{4,40}\Z)[a-z]{2,20}(?:(?:[-_.][a-z]|[A-Z])[a-z]{2,20}){0,4}")
_YEAR = pattern(r"(?:19|20)\d\d")
_NAMED = pattern(r"pass|pwd|secret|secure|test|example|sample|demo|fake|dummy|token|key|mock", re.IGNORECASE)
_BASE32 = pattern(r"[A-Z2-7]{16,}")
# claims of a JSON web token that are about nobody
_NOBODY = pattern(
    r"\"(?:foo|bar|baz|test|example)\"|\bJ(?:ohn|ane)\s?Doe\b|\"123456(?:7890?)?\"|张三|\bexample\.(?:com|org|net)\b",
    re.IGNORECASE,
)
_TYPED = "qwerty qwerty123 letmein hunter2 foobared abc abc123 xyz 123 000 111 999 foo bar baz"
_COMMON = frozenset(_TYPED.split())
_EXAMPLE_HOST = pattern(
    r"@(?:[\w-]{1,40}\.){0,4}(?:example(?:\.(?:com|org|net|edu))?|[\w-]{1,40}\.(?:example|test|invalid))(?![\w-])"
)
_READABLE = pattern(r"[A-Z]?[a-z]{1,20}\d{0,3}")
_SPELLED_NAME = pattern(  # `0ldy3ll3r`, also with capitals behind digits
    r"(?=[A-Za-z0-9]{5,14}\Z)[013457]{0,2}[A-Z]?[a-z]+(?:[013457]{1,2}[A-Z]?[a-z]+){0,3}"
)
_LETTERS = str.maketrans("@40$", "aaos")  # signs and digits used as letters: `P@ssw0rd`
_BESIDE = 64  # characters before a value in which the name of the account is searched
_MOST = 64  # length of the longest sample


def is_sample(text: str, span: Span) -> bool:
    """Return True if the value of a span is one that only documents contain, plain or in base64."""
    value = span.of(text)
    if not value.isascii():
        return False
    decoded = decode(value).decode("ascii", "ignore")
    return (
        _YEAR.fullmatch(value) is not None
        or _counted(text, span)
        or _shown(value)
        or _shown(decoded)
        or (":" in decoded and counts_up(decoded))
        or value.endswith("..")  # cut by the author
        or _is_seed_of_text(value)
        or _CALLED.search(value) is not None
        or _is_about_nobody(value)
        or _at_example(text, span.end, value)
        or (text[span.start - 1 : span.start] in "'\"" and _is_word_of_code(value.rstrip("'\"")))
    )


def _is_about_nobody(value: str) -> bool:
    """Return True for a JSON web token with the claims of a manual."""
    _, dot, rest = value.partition(".eyJ")
    claims = decode("eyJ" + rest.partition(".")[0]).decode("utf-8", "replace") if dot else ""
    return _NOBODY.search(claims) is not None


def _is_seed_of_text(value: str) -> bool:
    """Return True for the secret of an app for one-time codes that encodes text: `GEZDGNBVGY3TQOJQ` is 1234567890."""
    if not _BASE32.fullmatch(value):
        return False
    data = base64.b32decode(value[: len(value) // 8 * 8])
    return data.isascii() and data.decode().isprintable()


def reads_as_words(value: str) -> bool:
    """Return True if most of a value are words, also in camel case: `getUserByIdOrThrow2`, `boats-of-the-river-v2`."""
    others = len(value) - sum(map(len, _LONG_WORD.findall(value)))
    return others <= _OTHERS * len(value) and sum(map(str.isdigit, value)) <= _FEW_DIGITS


def _is_word_of_code(value: str) -> bool:
    """Return True for what source code shows in quotation marks: words, also one with digits for letters."""
    return _QUOTED_WORDS.fullmatch(value) is not None or _SPELLED.fullmatch(value) is not None


def _counted(text: str, span: Span) -> bool:
    """Return True for a name that is shortly before the value, and for easily guessed digits, alone or after it."""
    match = _COUNTED.fullmatch(text, *span)
    before = text[max(0, span.start - _BESIDE) : span.start].casefold()
    return (match["name"] if match else span.of(text)).casefold() in before


def _at_example(text: str, end: int, value: str) -> bool:
    """Return True if a value that was not drawn is before an address in a domain for examples (RFC 2606)."""
    is_plain = _READABLE.fullmatch(value) is not None or _SPELLED_NAME.fullmatch(value) is not None
    return is_plain and _EXAMPLE_HOST.match(text, end) is not None


def _shown(value: str) -> bool:
    if len(value) > _MOST:
        return False
    if value.casefold() in _COMMON:
        return True
    spelled = (value, value.translate(_LETTERS))
    return any(_WHOLE.fullmatch(one) and _NAMED.search(one) for one in spelled)
