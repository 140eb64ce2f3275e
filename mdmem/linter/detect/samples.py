"""Values that manuals and tests show where a password would be: `StrongPass123!`, `test_pass`, `…@example.com`.

Only documents that are no memory are judged with it. In a memory such a value may be the real one.
"""

from __future__ import annotations

import re

from mdmem.linter.detect.secrets import decode
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_WORDS = (
    "super very my your our new old current strong weak secure safe wrong right good bad valid invalid correct "
    "incorrect not in non prod production dev development local staging db database postgres mysql redis root admin "
    "user guest test tests testing demo example sample fake dummy default temp some the a is this only "
    "pass password passwd passw0rd p4ssw0rd pwd secret key token jwt session word"
)
_ANY = "|".join(sorted(_WORDS.split(), key=len, reverse=True))
_WHOLE = pattern(rf"(?:(?:{_ANY})[-_. ]?)+[!@#$]?\d{{0,3}}[!@#$]{{0,2}}", re.IGNORECASE)
_NAMED = pattern(r"pass|pwd|secret|secure|test|example|sample|demo|fake|dummy", re.IGNORECASE)
_TYPED = "qwerty qwerty123 letmein hunter2 abc abc123 xyz 123 000 111 999 foo bar baz"
_COMMON = frozenset(_TYPED.split())
_EXAMPLE_HOST = pattern(
    r"@(?:[\w-]{1,40}\.){0,4}(?:example(?:\.(?:com|org|net|edu))?|[\w-]{1,40}\.(?:example|test|invalid))(?![\w-])"
)
_READABLE = pattern(r"[A-Z]?[a-z]{1,20}\d{0,3}")
_MOST = 64  # characters: a longer value is no sample


def is_sample(text: str, span: Span) -> bool:
    """Return True if the value at a place is one that only documents hold, plain or in base64."""
    value = span.of(text)
    if not value.isascii():
        return False
    return _shown(value) or _shown(decode(value).decode("ascii", "ignore")) or _at_example(text, span.end, value)


def _at_example(text: str, end: int, value: str) -> bool:
    """Return True if a readable value stands before an address that RFC 2606 keeps for examples."""
    return bool(_READABLE.fullmatch(value) and _EXAMPLE_HOST.match(text, end))


def _shown(value: str) -> bool:
    if len(value) > _MOST:
        return False
    return value.casefold() in _COMMON or bool(_WHOLE.fullmatch(value) and _NAMED.search(value))
