"""Find lines that say the same thing: the same facts, and nearly the same words. Pure.

Two lines say the same thing if they have the same numbers, names, negations, paths, addresses and quotations, share
most of their words, and at most one of them has words of its own beside the light ones (`[night] light`). Where both
have, or where they share less, only a model can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from mdmem.settings.keeper_tables import NightSettings
from mdmem.text.document import Entry
from mdmem.text.similarity import alike_pairs, comparison_key, difference, has_same_facts, tokens
from mdmem.wording.literals import facts

_LITERAL = ("url", "path", "code", "quote")
MOST = 5  # lines that a model is shown at once (K119)


class NightLine(NamedTuple):
    """A live line, as the night reads it."""

    key: str  # names the line: the key of its text
    group: str  # only lines of one group are compared: the type of a fact, the section of an entry
    text: str  # what is compared
    predicate: str  # its key; empty if the line has none
    date: str  # ISO; empty if it has none
    entry: Entry
    ident: str  # its ^id; empty if it has none
    fixed: bool  # a rule, permanent or pinned: it is neither removed nor rewritten
    by_hand: bool  # a person wrote it: likewise

    @property
    def may_leave(self) -> bool:
        """Whether the line may go to the archive because another one says the same."""
        return not (self.fixed or self.by_hand)


class Merge(NamedTuple):
    """Lines that say the same thing."""

    kept: NightLine
    gone: tuple[NightLine, ...]


class Cluster(NamedTuple):
    """Lines that may say the same thing."""

    lines: tuple[NightLine, ...]

    @property
    def digest(self) -> str:
        """Return a name of these lines, the same in each run."""
        said = "\n".join(sorted(f"{one.group} {one.text}" for one in self.lines))
        return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def same_things(
    lines: Sequence[NightLine], settings: NightSettings, decisive: Sequence[str] = ()
) -> tuple[Merge, ...]:  # fmt: skip
    """Return the lines that can be merged by rule, in the order of the lines that stay.

    Args:
        lines: the lines of a file.
        settings: the table `[night]`.
        decisive: words of doubt and denial; a line with one of them says something else than a line without it.
    """
    same = _Sameness(settings, decisive)
    found = []
    for group in _groups(lines):
        joined = _components(pair for pair in same.pairs(group, settings.near) if same(*pair))
        found += [merge for members in joined if (merge := _merge(members, same))]
    return tuple(sorted(found, key=lambda one: one.kept.entry.line))


def unsure_clusters(
    lines: Sequence[NightLine], settings: NightSettings, decisive: Sequence[str] = ()
) -> tuple[Cluster, ...]:  # fmt: skip
    """Return the lines of which a model may say whether they are one thing, each in one cluster of two to five."""
    same = _Sameness(settings, decisive)
    found = []
    for group in _groups(lines):
        open_pairs = [
            pair for pair in same.pairs(group, settings.unsure)
            if any(one.may_leave for one in pair) and _literals(pair[0].text) == _literals(pair[1].text)
            and not same(*pair)
        ]  # fmt: skip
        found += [Cluster(tuple(one)) for one in _components(open_pairs, MOST)]
    return tuple(sorted(found, key=lambda one: one.lines[0].entry.line))


def _groups(lines: Iterable[NightLine]) -> Iterator[list[NightLine]]:
    groups: dict[str, list[NightLine]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    yield from (group for group in groups.values() if len(group) > 1)


def _components(pairs: Iterable[tuple[NightLine, NightLine]], most: int = 0) -> list[list[NightLine]]:
    """Join pairs into groups of at most so many lines, in the order of the lines."""
    homes: dict[int, dict[int, NightLine]] = {}
    for one, other in pairs:
        mine, theirs = (homes.setdefault(line.entry.line, {line.entry.line: line}) for line in (one, other))
        if mine is theirs or (most and len(mine) + len(theirs) > most):
            continue
        if len(mine) < len(theirs):
            mine, theirs = theirs, mine
        mine.update(theirs)
        homes.update(dict.fromkeys(theirs, mine))
    found = {id(home): home for home in homes.values() if len(home) > 1}
    return [[home[line] for line in sorted(home)] for home in found.values()]


def _merge(members: Sequence[NightLine], same: _Sameness) -> Merge | None:
    kept = max(members, key=lambda one: (not one.may_leave, *worth(one)))
    gone = tuple(one for one in members if one is not kept and one.may_leave and same(kept, one))
    return Merge(kept, gone) if gone else None


def worth(line: NightLine) -> tuple[int, str, int]:
    """Return by what a line is kept: how much it says, then how new it is."""
    return len(tokens(line.text)), line.date, line.entry.line


class _Sameness:
    """Decides whether two lines say the same thing."""

    def __init__(self, settings: NightSettings, decisive: Sequence[str]) -> None:
        self._settings = settings
        self._words = _alternation(settings.light)
        light = frozenset(map(str.casefold, settings.light))
        self._decisive = _alternation(tuple(word for word in decisive if word.casefold() not in light))

    def pairs(self, lines: Sequence[NightLine], least: float) -> Iterator[tuple[NightLine, NightLine]]:
        """Yield the lines that are equal, and those that share so many words, with or without the light ones."""
        texts = [one.text for one in lines]
        plain = [self._plain(one) for one in texts]
        first: dict[str, int] = {}
        equal = ((i, j) for i, text in enumerate(texts) if (j := first.setdefault(comparison_key(text), i)) != i)
        found = dict.fromkeys(chain(equal, alike_pairs(texts, least), alike_pairs(plain, least)))
        return ((lines[i], lines[j]) for i, j in found if has_same_facts(texts[i], texts[j]))

    def __call__(self, one: NightLine, other: NightLine) -> bool:
        """Return True if two lines of one group say the same thing."""
        if one.predicate and other.predicate and one.predicate != other.predicate:
            return False
        if comparison_key(one.text) == comparison_key(other.text):
            return True
        if not has_same_facts(one.text, other.text) or _literals(one.text) != _literals(other.text):
            return False
        found, plain = difference(one.text, other.text), difference(self._plain(one.text), self._plain(other.text))
        if max(found.share, plain.share) < self._settings.near or found.common < self._settings.least_words:
            return False
        return not (plain.first and plain.second) and self._marks(one.text) == self._marks(other.text)

    def _marks(self, text: str) -> list[str]:
        """Return the words of doubt and denial of a text."""
        return sorted(self._decisive.findall(text.casefold())) if self._decisive else []

    def _plain(self, text: str) -> str:
        """Return a text without the light words."""
        if self._words is None:
            return text
        return self._words.sub(" ", text.casefold()) if text.isascii() else self._words.sub("", text.casefold())


def _literals(text: str) -> frozenset[tuple[str, str]]:
    """Return what must be equal to the letter: paths, addresses, code and quotations."""
    return frozenset((fact.kind, fact.value) for fact in facts(text) if fact.kind in _LITERAL)


@lru_cache(maxsize=8)
def _alternation(words: Sequence[str]) -> re.Pattern[str] | None:
    """Compile words into one pattern, the longest first; those of alphabetic scripts match whole words only."""
    ordered = sorted({word.casefold() for word in words if word.strip()}, key=len, reverse=True)
    found = [rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])" if word.isascii() else re.escape(word) for word in ordered]
    return re.compile("|".join(found)) if found else None
