"""Read which earlier value a question asks for: «where did I live before?», and put the values that held in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.search.words.terms import is_stop, line_terms, terms
from mdmem.text.pattern import Pattern, pattern

_EARLIER = (
    r"(?i)\b(?:used to|(?<=did I )use to|(?<=did we )use to|original(?:ly)?|initial(?:ly)?|former(?:ly)?"
    r"|previous(?:ly)?|at first|earlier|in the past|at one time|last time"
    r"|(?:the|my|his|her|their) (?:first|old)|back then|no longer"
    r"|before(?: (?:this|that|the (?:present|current|new))(?: one)?(?=\W*$)|(?= I )|(?: (?-i:[A-Z])\w+)?(?=\W*$))?)\b"
    r"|以前|之前|从前|原来|原先|本来|最初|最早|起初|当初|曾经|过去|早先|先前|早前|旧的|前任|上一[个任份家台辆间位支部座双套款次]"
    r"|上次|前一[任份家台个次]|(?<=[换改搬转])[^，。？\s]{0,2}前(?=[在是用看穿住去我的])"
)
_NEAREST = pattern(r"(?i)\b(?:previous(?:ly)?|before|last time)\b|之前|前任|上一|上次"
                   r"|前一|[换改搬转][^，。？\s]{0,2}前")  # fmt: skip
# What took the place of the value that is asked for: «before Hetzner», 部署到华为云之前
_UNTIL = pattern(
    r"(?i)\bbefore (?:(?:the|my|our|I|we) )?(?:(?:had|got|used|moved to|switched to) )?"
    r"(?P<name>(?!this\b|that\b|the\b|I\b|we\b)[\w.+#-]+(?: [\w.+#-]+){0,2})\W*$"
    r"|(?:[到成用去跟找为]|(?:\A|[，\s]))(?P<thing>[^，。？\s我你他她到成用去跟找为]{2,10}?)(?:之前|以前)"
)


@lru_cache(maxsize=4)
def earlier_words(old_things: tuple[str, ...]) -> Pattern:
    """Return the pattern of what asks for a former state; `old_things` are words that 旧 makes former ones: 旧手机."""
    things = "|".join(map(re.escape, filter(None, old_things)))
    return pattern(f"{_EARLIER}|旧(?={things})" if things else _EARLIER)


class Earlier(NamedTuple):
    """Which of the values that held once a question asks for: the oldest, unless it says which."""

    until: frozenset[str] = frozenset()  # terms of what took the place of the one that is asked for
    is_nearest: bool = False  # the newest of them


def read_earlier(text: str) -> Earlier:
    """Return which earlier value a question asks for."""
    found = _UNTIL.search(text)
    name = (found["name"] or found["thing"]) if found else ""
    until = frozenset(term for term in terms(name) if not is_stop(term) and len(term) > 1)
    return Earlier(until, _NEAREST.search(text) is not None)


class ValueLine(NamedTuple):
    """A line that states a value."""

    text: str
    date: str
    is_old: bool  # it is marked as superseded


def earlier_first(lines: Sequence[ValueLine], earlier: Earlier) -> list[int]:
    """Return the numbers of lines about one thing: those that held first, and among these the one asked for."""
    named = {at for at, one in enumerate(lines) if earlier.until and earlier.until <= line_terms(one.text)}
    named = named if len(named) < len(lines) else set()
    is_nearest = earlier.is_nearest or bool(named)
    dates = {lines[at].date for at in named} or {max(one.date for one in lines)}
    end = min(dates) if is_nearest else ""

    def rank(at: int) -> tuple[bool, bool, bool]:
        return at in named, bool(end) and lines[at].date >= end, not lines[at].is_old

    dated = sorted(range(len(lines)), key=lambda at: lines[at].date, reverse=is_nearest)
    return sorted(dated, key=rank)
