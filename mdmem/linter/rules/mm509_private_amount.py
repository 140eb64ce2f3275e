"""MM509: what somebody earns, owns or owes, with the amount (P025)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.views.decoded_views import DecodedView, Needles, lower
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

_DIGIT = pattern(r"\d")
# What may stand between the word and its amount: «是», «现在有», «is about», «of», a colon.
_CHINESE = r"[ \t:：=为是有约大概差不多还剩共总计达到了每月的现在目前已只]{0,12}"
_ENGLISH = (
    r"(?:[ ](?:is|was|of|about|around|now|currently|at|over|roughly|per|month|year|a|has|grew|to|in|my|the|account))"
    r"{1,5}[ ]"
    r"|[ ]?[:=][ ]?"
)
_MONEY = (
    r"(?:[$€£¥￥]|(?:rmb|cny|usd|eur|gbp|hkd|jpy)[ ]?)?(?P<amount>\d[\d,，.]{0,18}\d|\d)[ ]?"
    r"(?P<unit>万|千|百|亿|k\b|元|块|美元|欧元|港币|rmb|cny|usd|eur|dollars|euros|pounds|yuan)?"
)


@lru_cache(maxsize=64)
def _sought(words: tuple[str, ...]) -> tuple[Needles[str], Pattern]:
    """Return the words as needles, and the pattern that begins with one of them."""
    # an option of a command, `--income 40000`, is an example
    latin = [re.escape(word) for word in words if word.isascii()]
    other = [re.escape(word) for word in words if not word.isascii()]
    named = "|".join([*(rf"(?<!--)\b{word}\b" for word in latin), *other])
    shape = pattern(rf"(?:{named})(?:{_ENGLISH}|{_CHINESE})(?P<money>{_MONEY})", re.IGNORECASE)
    folded = [lower(word) for word in words]
    return Needles(zip(folded, folded, strict=True), inside=[word for word in folded if not word.isascii()]), shape


def find_balances(view: DecodedView, words: tuple[str, ...]) -> Iterator[Span]:
    """Yield the amounts that stand behind one of the words: three digits at least, or a unit of money."""
    if not _DIGIT.search(view.text):
        return
    for match in view.matches(*_sought(words)):
        digits = [char for char in match["amount"] if char.isdigit()]
        if match["unit"] or match["money"][:1] in "$€£¥￥" or len(digits) > 2:
            yield Span(*match.span("money"))


def check(subject: Subject) -> Iterator[Finding]:
    """Find balances, savings, salaries and debts in memory files; prices and budgets are no such thing."""
    if subject.memory is None:
        return
    for span in find_balances(subject.view, subject.settings.balances):
        yield Finding(span)


RULE = Rule(
    "MM509",
    "private-amount",
    "warning",
    check,
    secret=True,
)
