"""Check by rules that a new text means the same as its source (F022).

Each clause of the new text is compared with the clauses of the source that share most of its words: whether its words
are in the source, which of them are negated, whether it is certain, which persons it is about, and its numbers. A text
that is marked as unsure is not compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from mdmem.formats.joined_line import NO_ORIGINALS, Originals
from mdmem.search.words.stemming import stem
from mdmem.search.words.terms import is_stop
from mdmem.settings.phrases import any_of
from mdmem.text.inline import NOT_DENSE
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import facts
from mdmem.wording.proper_names import names

_BREAK = pattern(
    r"(?P<hard>[。；;！？!?｜\n]+|(?:(?<=[^\W\d_]{3})|(?<=[\d)]))[.](?=\s|\Z))|[，,](?!\d)|\s[–—]\s|[（）()]|但是?|\bbut\b"
)
_WORD = pattern(rf"[^{NOT_DENSE}]+|(?:(?=[{NOT_DENSE}])[^\W\d_])+(?:'[a-z]+)?")
_ROOT = 5  # letters that are compared of a word: allergic, allergy
_REACH = 2  # words after a negation that it applies to; in scripts without spaces, pairs of characters, and one more
_WIDE = "\u2e80"  # scripts from this code point on are written without spaces


class Doubt(NamedTuple):
    """A clause that is not proved, and why."""

    kind: str  # negated, certain, subject, moved, unfounded
    clause: str


class _Clause:
    """A clause, and the properties that are compared."""

    def __init__(self, text: str, lists: Lists, persons: frozenset[str]) -> None:
        self.text = text
        plain = lists.figures.sub(lambda match: " " * len(match.group()), text.replace("’", "'"))
        self.negations = [Span(*match.span()) for match in lists.negations.finditer(plain)]
        self.hedged = lists.hedges.search(plain) is not None
        masked = plain
        for span in [*self.negations, *(Span(*match.span()) for match in lists.hedges.finditer(plain))]:
            masked = masked[: span.start] + " " * (span.end - span.start) + masked[span.end :]
        self.words = list(_words(masked))
        self.named = frozenset(lists.people(text))
        self.persons = self.named or persons

    @cached_property
    def values(self) -> frozenset[str]:
        """Its numbers, times and days."""
        return frozenset(fact.value for fact in facts(self.text) if fact.kind in ("number", "date", "time"))

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of its content words."""
        return frozenset(root for root, _ in self.words)

    @cached_property
    def signs(self) -> frozenset[str]:
        """Its roots and, in scripts without spaces, their characters; used to find clauses about the same thing."""
        return self.roots | {char for root in self.roots if root[0] > _WIDE for char in root if not is_stop(char)}

    @cached_property
    def polarity(self) -> Mapping[str, bool]:
        """Whether each of its roots is negated."""
        negations = Counter(index for span in self.negations for index in self._negated_words(span))
        found: dict[str, bool] = {}
        for index, (root, _) in enumerate(self.words):
            found[root] = found.get(root, False) or negations[index] % 2 == 1
        return {root: negated for root, negated in found.items() if root not in self._name_roots}

    @cached_property
    def is_negative(self) -> bool:
        """Whether it has an odd number of negations."""
        return len(self.negations) % 2 == 1

    @cached_property
    def _name_roots(self) -> frozenset[str]:
        return frozenset(root for name in self.named for root, _ in _words(name))

    def _negated_words(self, span: Span) -> Sequence[int]:
        """Return the indices of the words that a negation applies to: the next ones, or the last ones at the end."""
        behind = [index for index, (_, at) in enumerate(self.words) if at >= span.end]
        if behind:
            reach = _REACH + (self.words[behind[0]][0][0] > _WIDE)
            return behind[:reach]
        return [index for index, (_, at) in enumerate(self.words) if at < span.start][-_REACH:]


def doubts(entries: Sequence[str], lines: Sequence[str], scorer: ImportanceScorer) -> tuple[Doubt, ...]:
    """Return the doubts about lines that were made of entries; a whole entry in a line is never doubtful."""
    whole = Originals(entries) if lines else NO_ORIGINALS
    new = [unit for line in lines for unit in whole.units(line) if unit not in whole]
    source = Meaning(entries, Lists(scorer)) if new else None
    return tuple(doubt for unit in new for doubt in source.doubts(unit)) if source else ()


class Lists:
    """The word lists of one workspace for the proof."""

    def __init__(self, scorer: ImportanceScorer) -> None:
        settings = scorer.settings
        self.negations, self.figures = any_of(settings.negations), any_of(settings.no_negations)
        self.hedges, self.unsure = any_of(settings.hedges), scorer.is_unsure
        self._persons = any_of(word for word in settings.persons if word not in settings.pronouns)
        self.founded = settings.least_supported

    def people(self, text: str) -> Iterator[str]:
        """Yield the persons that a text names, without pronouns."""
        yield from (match.group().casefold() for match in self._persons.finditer(text))
        for span in names(text):
            # titles («Dr.») and codes are not persons
            if text[span.end : span.end + 1] != "." and not any(map(str.isdigit, span.of(text))):
                yield span.of(text).casefold()


class Meaning:
    """The clauses of a source, indexed by their words."""

    def __init__(self, entries: Sequence[str], lists: Lists) -> None:
        self._lists = lists
        self._clauses = [one for text in entries for one in _clauses(text, lists, is_entry=True)]
        self._whole = {comparison_key(one.text) for one in self._clauses} | set(map(comparison_key, entries))
        self._clauses_with: defaultdict[str, list[int]] = defaultdict(list)
        for index, clause in enumerate(self._clauses):
            for sign in clause.signs:
                self._clauses_with[sign].append(index)

    def doubts(self, text: str) -> Iterator[Doubt]:
        """Yield the clauses of a new text that the source does not support."""
        if self._lists.unsure(text):
            return
        found = [(clause, self._nearest(clause)) for clause in _clauses(text, self._lists, is_entry=False)]
        hedged = {index for clause, near in found if clause.hedged for index in near}
        for clause, near in found:
            if comparison_key(clause.text) not in self._whole and (kind := self._doubt(clause, near, hedged)):
                yield Doubt(kind, clause.text.strip())

    def _doubt(self, clause: _Clause, near: Sequence[int], hedged: Collection[int]) -> str:
        """Return the kind of doubt about a clause, or empty; `hedged` are source clauses that the text calls unsure."""
        roots = clause.roots
        if sum(map(self._is_known, roots)) < self._lists.founded * len(roots):
            return "unfounded"
        nearest = [self._clauses[index] for index in near]
        if not nearest:
            return ""
        if self._is_negation_changed(clause):
            return "negated"
        if all(one.hedged != (clause.hedged or index in hedged) for one, index in zip(nearest, near, strict=True)):
            return "certain"
        if clause.persons and all(one.persons and not one.persons & clause.persons for one in nearest):
            return "subject"
        if clause.values and all(one.values and not one.values & clause.values for one in nearest):
            return "moved"
        return ""

    def _is_known(self, root: str) -> bool:
        """Return whether a word is in the source, or both of its characters are in one clause of the source."""
        if root in self._clauses_with:
            return True
        apart = [set(self._clauses_with.get(char, ())) for char in root if not is_stop(char)] if root[0] > _WIDE else []
        return bool(apart and set.intersection(*apart))

    def _nearest(self, clause: _Clause) -> list[int]:
        """Return the indices of the source clauses that share most words with a clause; persons do not count."""
        own = clause.signs - {root for name in clause.named for root, _ in _words(name)}
        counts = Counter(index for sign in own or clause.signs for index in self._clauses_with.get(sign, ()))
        most = max(counts.values(), default=0)
        return [index for index, count in counts.items() if count == most]

    def _is_negation_changed(self, clause: _Clause) -> bool:
        """Return whether a word is negated in the clause and not in the source, or the reverse."""
        for root, negated in clause.polarity.items():
            shared = {
                index: len(self._clauses[index].signs & clause.signs) for index in self._clauses_with.get(root, ())
            }
            most = max(shared.values(), default=0)
            nearest = [self._clauses[index] for index, count in shared.items() if count == most]
            if nearest and not any(
                one.polarity.get(root, negated) == negated or one.is_negative == clause.is_negative for one in nearest
            ):
                return True
        return False


def _clauses(text: str, lists: Lists, *, is_entry: bool) -> Iterator[_Clause]:
    """Yield the clauses of a text that contain a word.

    A clause without a person is about the persons of the clause before it. In a joined line, this ends with the
    sentence.
    """
    start, persons = 0, frozenset[str]()
    for match in (*_BREAK.finditer(text), None):
        end = match.end() if match else len(text)
        if any(map(str.isalnum, text[start:end])):
            clause = _Clause(text[start:end], lists, persons)
            persons = clause.persons
            yield clause
        if match and match["hard"] and not is_entry:
            persons = frozenset()
        start = end


def _words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the roots of content words and their offsets; pairs of characters in scripts without spaces."""
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        if word[0] > _WIDE:
            pairs = (word[at : at + 2] for at in range(max(1, len(word) - 1)))
            yield from ((pair, match.start() + at) for at, pair in enumerate(pairs) if not all(map(is_stop, pair)))
        elif not is_stop(stem(word.removesuffix("'s"))) and len(word) > 1:
            yield stem(word.removesuffix("'s"))[:_ROOT], match.start()
