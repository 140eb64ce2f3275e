"""Make the days of a month from a seed: sessions with planted facts, rules, requests and what must not be kept.

The same seed gives the same days. Every planted value, and the number in every other planted sentence, is unique, so
that a line of memory that holds it can only come from there.
"""

from __future__ import annotations

import datetime as dt
import random
import tomllib
from calendar import month_name
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

FIRST_DAY = dt.date(2026, 2, 2)
ROUNDS = 14
LANGS = ("zh", "en")
# Of a month of thirty days; a shorter one has its share.
FACTS, ONCE, TWICE, REQUESTS, RULES, FORBIDDEN = 200, 60, 20, 40, 10, 20
_DAYS = 30
_TASTES = 14  # of each language
_UNCOVERED = "!"


class Planted(NamedTuple):
    """One fact of the month, and every value that it has in turn."""

    lang: str
    family: str  # which sentences tell it
    owner: str  # whose it is; empty for the user's
    thing: str
    values: tuple[str, ...]


class Said(NamedTuple):
    """What one sentence says: a value of a fact, or a rule, a request, something that must not be kept."""

    kind: str  # fact, rule, request, forbidden, chat
    text: str
    lang: str
    fact: Planted | None = None
    value: str = ""  # of the fact; of others the number by which they are found again
    covered: bool = False  # the form of the sentence is one that the patterns of extraction know


class Round(NamedTuple):
    """What the user says in one round, and what the assistant does about it."""

    text: str
    said: tuple[Said, ...]
    reply: str
    calls: tuple[dict[str, Any], ...] = ()
    results: tuple[dict[str, Any], ...] = ()


class Day(NamedTuple):
    """One day with its one session."""

    date: dt.date
    rounds: tuple[Round, ...]

    @property
    def said(self) -> Iterator[Said]:
        """What is said on the day, in its order."""
        return (one for each in self.rounds for one in each.said)


class Month(NamedTuple):
    """The days, and what was planted in them."""

    days: tuple[Day, ...]
    facts: tuple[Planted, ...]


@lru_cache
def _words(name: str, lang: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(f"{name}_{lang}.toml").read_text("utf-8"))


def make_month(seed: int, days: int = _DAYS) -> Month:
    """Return the month of a seed."""
    chance, share = random.Random(seed), days / _DAYS
    pool = _Values(chance)
    changes = [3] * round(TWICE * share) + [2] * round(ONCE * share)
    facts = _facts(chance, pool, round(FACTS * share), changes)
    plan: list[list[Said]] = [[] for _ in range(days)]
    for fact in facts:
        for place, day in enumerate(sorted(chance.sample(range(days), len(fact.values)))):
            plan[day].append(_fact_said(chance, fact, place))
    for kind, count in (("rule", RULES), ("request", REQUESTS), ("forbidden", FORBIDDEN)):
        texts = [(lang, text) for lang in LANGS for text in _words("talk", lang)[_LISTS[kind]]]
        chance.shuffle(texts)
        for place in range(round(count * share)):
            lang, text = texts[place % len(texts)]
            number = pool.number()
            chance.choice(plan).append(Said(kind, text.replace("{n}", number), lang, value=number))
    dates = (FIRST_DAY + dt.timedelta(days=place) for place in range(days))
    return Month(tuple(Day(date, _rounds(chance, said)) for date, said in zip(dates, plan, strict=True)), facts)


_LISTS = {"rule": "rules", "request": "requests", "forbidden": "forbidden"}


def _facts(chance: random.Random, pool: _Values, count: int, changes: list[int]) -> tuple[Planted, ...]:
    """Return facts of all families, half of them in each language; so many of them with so many values."""
    half = [[*_keys(lang)] for lang in LANGS]
    home, work = chance.sample(half, 2)  # one home and one work, told in one language each
    home.append((home[0][0], "home", "", "", "place"))
    work.append((work[0][0], "work", "", "", "firm"))
    for keys in half:
        chance.shuffle(keys)
    keys = [key for pair in zip(*half, strict=False) for key in pair][:count]
    assert len(keys) == count, "too few things to speak of"
    able = [place for place, key in enumerate(keys) if _words("sentences", key[0])[key[1]]["change"]]
    times = dict(zip(chance.sample(able, len(changes)), changes, strict=True))
    return tuple(
        Planted(lang, family, owner, thing, pool.values(lang, kind, times.get(place, 1)))
        for place, (lang, family, owner, thing, kind) in enumerate(keys)
    )


def _fact_said(chance: random.Random, fact: Planted, place: int) -> Said:
    forms = _words("sentences", fact.lang)[fact.family]["change" if place else "say"]
    form, value = chance.choice(forms), fact.values[place]
    old = fact.values[place - 1] if place else ""
    text = form.lstrip(_UNCOVERED).format(x=fact.thing, o=fact.owner, v=value, old=old)
    return Said("fact", text, fact.lang, fact, value, covered=not form.startswith(_UNCOVERED))


def _rounds(chance: random.Random, said: list[Said]) -> tuple[Round, ...]:
    """Return the rounds of a day: what is planted, alone or two or three together, and chat between it."""
    chance.shuffle(said)
    alone = [[one] for one in said if one.kind != "fact"]
    facts = [one for one in said if one.kind == "fact"]
    room = max(1, ROUNDS - len(alone) - 2)
    groups: list[list[Said]] = [*alone]
    for lang in LANGS:
        own = [one for one in facts if one.lang == lang]
        size = max(1, -(-len(facts) // room))
        groups += [own[place : place + size] for place in range(0, len(own), size)]
    while len(groups) < ROUNDS:
        lang = chance.choice(LANGS)
        groups.append([Said("chat", chance.choice(_words("talk", lang)["chat"]), lang)])
    chance.shuffle(groups)
    return tuple(_round(chance, group) for group in groups)


def _round(chance: random.Random, group: list[Said]) -> Round:
    """Return one round; a fact may have a few words before and behind it, and a tool may run."""
    lang = group[0].lang
    words, joint = _words("talk", lang), "。" if lang == "zh" else ". "
    text = joint.join(one.text for one in group)
    if group[0].kind == "fact":
        before = chance.choice(words["before"])
        if before and text.startswith(("My ", "Our ", "We ", "The ")):
            text = text[0].lower() + text[1:]
        text = f"{before}{text}{chance.choice(words['after'])}"
    calls, results = _runs(chance) if group[0].kind in ("chat", "request") else ((), ())
    return Round(text, tuple(group), chance.choice(words["replies"]), calls, results)


def _runs(chance: random.Random) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...]]:
    number = chance.randrange(100, 1000)
    kind = chance.choice(("none", "none", "write", "test"))
    if kind == "none":
        return (), ()
    write = {"id": "w", "name": "write_file", "input": {"path": f"docs/step{number}.md", "content": "…"}}
    test = {"id": "t", "name": "bash", "input": {"command": f"pytest -q tests/test_{number}.py"}}
    failed = chance.random() < 0.5
    told = f"exit 1\n2 failed, {number} passed" if failed else f"{number} passed"
    if kind == "write":
        return (write,), ({"tool_use_id": "w", "content": "ok"},)
    return (test,), ({"tool_use_id": "t", "content": told, "is_error": failed},)


_SURNAMES, _GIVEN = "周林陈王赵孙何吴郑冯许秦", "明远,晓岚,思齐,若溪,启航,亦凡,沐阳,嘉言,云舟,子墨"


def _keys(lang: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield what may be spoken of in a language: family, owner, thing, and the kind of its values."""
    words = _words("things", lang)
    for thing in words["tools"]:
        yield lang, "version", "", thing, "version"
    for row in words["own"]:
        yield lang, "own", "", *_named(row)
    for owner, row in product(words["owners"], words["owned"]):
        yield lang, "owned", owner, *_named(row)
    for owner, row in product(words["relatives"], words["family"]):
        yield lang, "relative", owner, *_named(row)
    for _ in range(_TASTES):
        yield lang, "taste", "", "", "food"


def _named(row: str) -> tuple[str, str]:
    thing, _, kind = row.rpartition(" ")
    return thing, kind


class _Values:
    """Gives values that no other value of the month holds."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._used = chance, set[str]()

    def number(self) -> str:
        """Return a number of five digits."""
        return self._unused(lambda: str(self._chance.randrange(10000, 100000)))

    def values(self, lang: str, kind: str, count: int) -> tuple[str, ...]:
        """Return so many values of a kind."""
        return tuple(self._unused(lambda: self._one(lang, kind)) for _ in range(count))

    def _unused(self, make: Any) -> str:
        for _ in range(10_000):
            value: str = make()
            if value not in self._used:
                self._used.add(value)
                return value
        raise AssertionError("no value is left")

    def _one(self, lang: str, kind: str) -> str:
        chance = self._chance
        if kind in ("place", "firm", "food"):
            found: str = chance.choice(_words("things", lang)[kind])
            return found
        if kind == "name":
            return chance.choice(_SURNAMES) + chance.choice(_GIVEN.split(","))
        word = "".join(
            chance.choice(("ka", "lo", "mi", "ren", "tu", "sal", "vor", "ne", "dri", "bex")) for _ in range(3)
        )
        number = chance.randrange(1000, 10000)
        clock = f"{chance.randrange(6, 22)}:{chance.randrange(0, 60):02}"
        month, day = chance.randrange(1, 13), chance.randrange(1, 29)
        return {
            "version": f"{chance.randrange(1, 40)}.{chance.randrange(1, 40)}",
            "email": f"{word}@{word[::-1]}.example", "phone": f"138{chance.randrange(10**7, 10**8)}",
            "code": f"{chr(65 + number % 26)}{number}", "number": str(number), "time": clock,
            "seat": f"{chance.randrange(2, 30)} 楼 {chr(65 + number % 26)}{number}",
            "date": f"{month} 月 {day} 日" if lang == "zh" else f"{month_name[month]} {day}",
            "tool": word.capitalize(), "latin": word.capitalize(), "domain": f"{word}.example",
            "path": f"/srv/{word}/{number}",
        }[kind]  # fmt: skip
