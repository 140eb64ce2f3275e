"""Chooses the lines that are evidence for a prompt, which may ask the memory nothing.

Each sentence of a prompt is divided into units: words of spaced scripts, and characters of the others, which a line
holds as part of a pair. Words of common use («today», «电话») weigh little, and those by which a question only asks
nothing. A line is sure if it holds enough of a sentence and states something: a turn that only asks, or says no more
than the prompt, is no evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from math import log10
from typing import NamedTuple

from mdmem.search.excerpt import sentences
from mdmem.search.question import USER, Candidate, Question, RankedHit, content
from mdmem.search.relevance import asking, only_asks
from mdmem.search.silence import ordinary
from mdmem.search.words.related_words import Related
from mdmem.search.words.terms import fold, is_stop, line_terms, pieces, terms, without_phrases
from mdmem.search.words.word_list import WordList
from mdmem.settings.search_tables import RecallSettings
from mdmem.text.inline import is_dense
from mdmem.text.pattern import pattern
from mdmem.text.similarity import difference

_SIGNS = frozenset("年月日号")  # of dates, and parts of words
_PARTICLES = frozenset("的了着吗呢吧啊呀嘛是个些这那哪几每某之")  # no word begins with one, as a rule
_WORD = 2  # characters of a word of a dense script that is no single character
_CHARACTER = 0.5  # weight of a character of a dense script: two make a word
_NEARLY_ALL = 0.95  # share of a question about us from which its words of common use suffice
_LONG = 240  # characters of a line from which its sentences are weighed one by one
_AT_ONCE = 2  # sentences of it that count together
_LARGEST = 3.0  # words that are counted
_FOR = pattern(  # asks for a thing, a person, a place or a time
    r"(?i)\b(?:what|when|where|who|whom|whose|which|how (?:much|many|long|old|often|far))\b"
    r"|哪|谁|几|多少|何时|(?<!为)什么"
)
_US = pattern(r"(?i)\b(?:I|me|my|mine|we|us|our|ours)\b|我|咱")


class AskedUnit(NamedTuple):
    """A part of a prompt; a line holds it if it holds one of the terms."""

    terms: tuple[str, ...]
    weight: float  # where a line holds it
    missing: float  # where it does not


def units(text: str, common: WordList, left_out: Collection[str], share: float) -> list[AskedUnit]:
    """Divide a text into units; a word of common use has `share` of the weight of another one."""
    found: list[AskedUnit] = []
    names: dict[str, None] = {}
    for match in pieces(without_phrases(fold(text))):
        piece = match.group()
        if is_dense(piece[0]):
            found += _dense_units(piece, common, left_out, share)
        else:
            own = terms(piece)
            names |= dict.fromkeys([one for one in own if len(one) > 1 and one.isalnum()] or own[-1:])
    for name in names:
        if not (is_stop(name) or name in left_out):
            weight = share if common.holds(name) or name.isdecimal() else 1.0
            found.append(AskedUnit((name,), weight, weight))
    return found


def _dense_units(run: str, common: WordList, left_out: Collection[str], share: float) -> Iterator[AskedUnit]:
    """Yield the characters of a run, each with the pairs that it is part of.

    A character of common use is mostly a word of its own, so it weighs little where a line lacks its pairs, and its
    pairs with numbers, stop words and parts of common words do not count.
    """
    usual = {at for span in common.spans(run, _WORD) for at in range(*span)}
    empty = {at for at, char in enumerate(run) if is_stop(char) and char not in _SIGNS}
    weak = usual | empty | {at for at, char in enumerate(run) if char.isnumeric()}
    light = _CHARACTER * share
    for at, char in enumerate(run):
        if char in left_out or char in _PARTICLES:
            continue
        is_common = char in common.dense or char in _SIGNS
        beside = [one for one in (at - 1, at + 1) if 0 <= one < len(run) and not (is_common and one in weak)]
        beside = [one for one in beside if one > at or run[one] not in _PARTICLES]
        if at in empty:  # it may end a word
            beside = [one for one in beside if one < at and one not in weak and run[one] not in common.dense]
        pairs = [pair for one in beside if (pair := run[min(at, one)] + run[max(at, one)]) not in left_out]
        is_light = at in usual or char.isnumeric() or (is_common and len(run) == 1)
        weight = light if is_light else _CHARACTER
        held = tuple(pairs) if len(run) > 1 else (char,)
        if at not in empty:
            yield AskedUnit(held, weight if held else 0.0, light if is_common else weight)
        elif pairs:
            yield AskedUnit(held, weight, 0.0)


class Prompt(NamedTuple):
    """A prompt, and what lines are weighed by."""

    question: Question
    related: Sequence[Related]
    common: WordList
    lines: int  # of the memory: in a larger one, more words occur by chance
    terms: frozenset[str]


class Line:
    """A line that may be evidence."""

    def __init__(self, row: Candidate, prompt: Prompt, settings: RecallSettings) -> None:
        """Bind to a candidate; a long line is weighed by two of its sentences at once."""
        self.row = row
        self._prompt, self._settings = prompt, settings
        texts = [row.plain]
        if len(row.plain) > _LONG:
            parts = list(sentences(row.plain))
            texts = ["".join(parts[at : at + _AT_ONCE]) for at in range(max(1, len(parts) - _AT_ONCE + 1))]
        names = line_terms(f"{row.subject} {row.predicate}")
        self.parts = [names | line_terms(text) for text in texts]

    @cached_property
    def said(self) -> float:
        """The weight of what it says beside the prompt; 0 for a turn that only asks."""
        if not self.row.story:
            return 1.0
        if asking(self.row.text) > self._settings.sure_asks:
            return 0.0
        said = units(self.row.plain, self._prompt.common, (), self._settings.common_share)
        return sum(one.weight for one in said if one.terms and self._prompt.terms.isdisjoint(one.terms))


class Support(NamedTuple):
    """How much of a sentence of the prompt a line holds."""

    share: float  # of the weight of its units
    weight: float  # of the units that it holds


_NONE = Support(0.0, 0.0)


class AskedSentence:
    """A sentence of a prompt, for which lines are weighed."""

    def __init__(self, text: str, prompt: Prompt, settings: RecallSettings) -> None:
        """Divide the sentence into units."""
        self._settings, share = settings, settings.common_share
        question, related, common, lines, _ = prompt
        self._least = settings.sure_share + settings.sure_growth * max(0.0, log10(max(1, lines)) - 3)
        self._units = units(text, common, ordinary(question._replace(text=text), settings.ordinary), share)
        self._of_us = _US.search(text) is not None
        self._asks = _FOR.search(text) is not None
        self._is_bare = not any(unit.missing and unit.weight for unit in self._units)
        if self._is_bare:  # «where do I live»: a fact or an entry may hold these words all the same
            words = dict.fromkeys(one for one in terms(without_phrases(text)) if one.isascii() or len(one) == 1)
            self._units = [AskedUnit((one,), share, share) for one in words if not is_stop(one)]
        self._related = {one.of: one for one in related}

    def chosen(self, lines: Sequence[Line]) -> set[int]:
        """Return the numbers of the lines that are given for this sentence."""
        held = [one if (one := self._support(line)).weight and line.said else _NONE for line in lines]
        best = max((one for one, line in zip(held, lines, strict=True) if self._is_sure(one, line)), default=_NONE)
        if not best.share:
            return set()
        share, weight = (self._settings.sure_rest * most for most in best)
        found = {at for at, one in enumerate(held) if one.share >= share and one.weight >= weight}
        around: dict[str, list[int]] = {}
        for at in found:
            if lines[at].row.story and held[at].share >= _NEARLY_ALL * best.share:
                around.setdefault(lines[at].row.path, []).append(lines[at].row.ordinal)
        return found | {at for at, line in enumerate(lines) if self._belongs(line, around.get(line.row.path, ()))}

    def _support(self, line: Line) -> Support:
        return max((self._of(part) for part in line.parts), default=_NONE)

    def _of(self, terms: frozenset[str]) -> Support:
        shares = [(unit, self._held(unit, terms)) for unit in self._units]
        weight = sum(unit.weight * share for unit, share in shares)
        total = weight + sum(unit.missing * (1 - share) for unit, share in shares)
        return Support(weight / total if total else 0.0, weight)

    def _held(self, unit: AskedUnit, terms: frozenset[str]) -> float:
        if not terms.isdisjoint(unit.terms):
            return 1.0
        others = (self._related[term] for term in unit.terms if term in self._related)
        return max((one.share for one in others if one.is_in(terms)), default=0.0)

    def _is_sure(self, held: Support, line: Line) -> bool:
        settings = self._settings
        if self._is_bare:
            is_fact = line.row.who == USER and bool(line.row.predicate)
            least = settings.common_share * (1 if is_fact else 2)
            return self._of_us and not line.row.story and held.share >= _NEARLY_ALL and held.weight >= least
        if self._of_us and self._asks and held.share >= _NEARLY_ALL and held.weight >= settings.common_share:
            return True
        less = settings.sure_more * (min(held.weight, _LARGEST) - 1)
        return held.weight >= settings.sure_words and held.share >= self._least - less

    def _belongs(self, line: Line, around: Sequence[int]) -> bool:
        """Return whether a line of a conversation says something near one of the best lines."""
        before, after = self._settings.sure_before, self._settings.sure_after
        is_near = any(-before <= line.row.ordinal - at <= after for at in around)
        return is_near and line.row.story and line.said >= self._settings.sure_said


def evident(found: Sequence[RankedHit], prompt: Prompt, settings: RecallSettings) -> tuple[RankedHit, ...]:
    """Return the hits that are evidence for a prompt, and what a conversation says near the best of them."""
    hits = [hit for hit in found if hit.score >= settings.least]
    lines = [Line(hit.row, prompt, settings) for hit in hits]
    chosen: set[int] = set()
    for text in sentences(content(prompt.question.text, settings.old_things)):
        chosen |= AskedSentence(text, prompt, settings).chosen(lines)
    return tuple(hit for at, hit in enumerate(hits) if at in chosen)


def surely_meant(found: Sequence[RankedHit], question: Question, settings: RecallSettings) -> tuple[RankedHit, ...]:
    """Return the hit that answers a question in other words; empty if none does, or if there is no vector backend.

    It is the nearest in meaning, and by far: similarities are within a narrow band, in which something is always
    nearest. Lines that say the same as it do not count as the next one.
    """
    near = sorted((hit for hit in found if hit.row.meaning), key=lambda hit: -hit.row.meaning)
    is_asked = asking(question.text) > 0 or _FOR.search(question.text) is not None
    if not (is_asked and near and near[0].row.meaning >= 1) or only_asks(near[0].row, settings):
        return ()
    best = near[0]
    next_one = next((hit.row for hit in near[1:] if not _is_alike(hit.row, best.row, settings)), None)
    if next_one is None or 1 - next_one.meaning < settings.sure_meaning:
        return ()
    return (best._replace(score=max(best.score, settings.least)),)


def _is_alike(one: Candidate, other: Candidate, settings: RecallSettings) -> bool:
    return difference(one.plain, other.plain).share >= settings.sure_alike
