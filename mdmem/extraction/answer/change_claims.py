"""Hold what a model says of a change to what was said: a fact ends only where a sentence touches it.

A model names the line that a statement replaces, or the property of a statement, which replaces the value of that
property. Either may be wrong, and a weak model names everything alike, «fact». Nothing that the conversation does not
speak of is ended by such a word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain

from mdmem.extraction.model import ExtractionTask, FactCandidate
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import FactWords, any_word
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.text.inline import one_line
from mdmem.text.similarity import tokens
from mdmem.text.spans import LINE_END

_LETTERS = 3  # of a word of letters; a shorter one says little by itself


class ChangeClaims:
    """The rounds of a task, and the live facts that their statements may end."""

    def __init__(self, task: ExtractionTask, words: FactWords, live: Callable[[str], Sequence[Fact]]) -> None:
        """Bind to a task; `live` gives the live facts about a subject."""
        self._task, self._words, self._live = task, words, live
        self._stated: list[FactCandidate] = []  # by the answer so far

    def checked(self, one: FactCandidate) -> FactCandidate:
        """Return a statement of a model with no more of its claims than the sentences that it rests on bear out.

        A claim about a line of another property is dropped. Where the statement would end the value of its own
        property, and no sentence speaks of that, a person must look at it; under a name that is no property, and
        beside what the same answer states, both hold.
        """
        found = one if one.also else self._checked(one)
        self._stated.append(found)
        return found

    def _checked(self, one: FactCandidate) -> FactCandidate:
        said = self._said(one)
        facts = self._live(one.subject)
        named = next((fact for fact in facts if one.old and fact.key == one.old), None)
        if named and not self._is_own(named, one) and not self._touches(said, named):
            one = one._replace(old="", is_update=False)
        ended = [fact for fact in facts if self._is_own(fact, one) or fact.key == one.old]
        own = [] if self._words.is_many(one.predicate) else [fact for fact in ended if not self._says_same(fact, one)]
        if not all(self._ends(said, fact) for fact in own):
            is_property = self._words.knows(one.predicate)
            return one._replace(old="", is_update=False, unsure=is_property, also=not is_property)
        others = [it for it in self._stated if it.subject == one.subject and self._is_own(it, one)]
        if all(self._says_same(it, one) or self._ends(said, it) for it in others):
            return one
        return one._replace(old="", is_update=False, also=True)

    def _ends(self, said: str, stated: Fact | FactCandidate) -> bool:
        """Return whether sentences may end what was stated: they speak of it, or of a change of that property."""
        is_changed = self._words.knows(stated.predicate) and self._changes.search(said)
        return bool(is_changed) or self._touches(said, stated)

    def _is_own(self, stated: Fact | FactCandidate, one: FactCandidate) -> bool:
        return self._words.predicate(stated.predicate) == self._words.predicate(one.predicate)

    def _says_same(self, fact: Fact | FactCandidate, one: FactCandidate) -> bool:
        return self._words.same(fact.text, one.text, one.predicate) or self._words.says(fact.text, one.text)

    def _touches(self, said: str, fact: Fact | FactCandidate) -> bool:
        """Return whether sentences speak of a fact: with a word of it, or a name of its property."""
        names = tuple(name for name in self._words.predicate_names(fact.predicate) if name)
        if names and any_word(names).search(said.casefold()):
            return True
        common = (tokens(fact.text) - tokens(fact.subject)) & tokens(said)
        return any(self._says_something(word) for word in common)

    def _says_something(self, word: str) -> bool:
        return (not word.isascii() or len(word) >= _LETTERS or word.isdigit()) and not self._fillers.fullmatch(word)

    def _said(self, one: FactCandidate) -> str:
        """Return the sentences of its rounds that share a word with a statement; all of them if none does."""
        last = one.last or one.number
        turns = (turn for turn in self._task.turns if one.number <= turn.number <= last)
        lines = (one_line(line) for turn in turns for line in LINE_END.split(turn.text))
        sentences = list(chain.from_iterable(self._task.splitter.split(line) for line in lines if line))
        words = {word for word in tokens(one.text) if self._says_something(word)}
        return "\n".join([one for one in sentences if words & tokens(one)] or sentences)

    @cached_property
    def _fillers(self) -> PhrasePattern:
        return any_of(self._task.settings.claim_fillers)

    @cached_property
    def _changes(self) -> PhrasePattern:
        return any_of(self._task.settings.change_signs)
