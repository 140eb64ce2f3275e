"""The facts of one file by predicate and by text, so that a statement is compared with those that it may concern."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mdmem.facts.model import Fact, NewFact
from mdmem.formats.fact_words import FactWords
from mdmem.text.similarity import comparison_key, tokens


class KnownFacts:
    """The facts that a statement is compared with, in the order of their places.

    A place is a number that a fact keeps when its line is rewritten, and that another fact may take over.
    """

    def __init__(self, words: FactWords, facts: Iterable[Fact] = ()) -> None:
        """Bind to the words of the template; the facts take the first places."""
        self.words = words
        self._facts: dict[int, Fact] = {}
        self._places: dict[Fact, int] = {}
        self._live: defaultdict[str, dict[int, Fact]] = defaultdict(dict)  # by the key of the predicate
        self._past: defaultdict[str, dict[int, Fact]] = defaultdict(dict)
        self._named: defaultdict[str, set[int]] = defaultdict(set)  # live ones by id and by key
        self._texts: defaultdict[str, set[int]] = defaultdict(set)  # live ones by the key of their text
        self._stated: defaultdict[tuple[str, str, str], set[int]] = defaultdict(set)  # past ones: predicate, day, text
        self._tokens: defaultdict[str, set[int]] = defaultdict(set)  # live ones by the rarest word of the predicate
        self._marks: dict[str, dict[str, defaultdict[object, set[int]]]] = {}  # live ones by predicate and its spelling
        for place, fact in enumerate(facts):
            self.put(place, fact)

    def put(self, place: int, fact: Fact) -> None:
        """Set the fact of a place; it replaces the one that was there."""
        if before := self._facts.get(place):
            self._take(place, before)
        self._facts[place], self._places[fact] = fact, place
        key, text = self.words.predicate(fact.predicate), comparison_key(fact.text)
        if not fact.live:
            self._past[key][place] = fact
            self._stated[key, fact.date, text].add(place)
            return
        self._live[key][place] = fact
        self._texts[text].add(place)
        for name in {fact.id, fact.key}:
            self._named[name].add(place)
        if fact.predicate and not self.words.is_many(fact.predicate):
            self._tokens[self._rarest(key)].add(place)
        for name, found in self._marks.get(key, {}).items():
            for mark in self.words.marks(fact.text, name):
                found[mark].add(place)

    def _take(self, place: int, fact: Fact) -> None:
        del self._places[fact]
        key, text = self.words.predicate(fact.predicate), comparison_key(fact.text)
        if not fact.live:
            del self._past[key][place]
            self._stated[key, fact.date, text].discard(place)
            return
        del self._live[key][place]
        self._texts[text].discard(place)
        for name in {fact.id, fact.key}:
            self._named[name].discard(place)
        for word in tokens(key):
            self._tokens[word].discard(place)

    def _rarest(self, key: str) -> str:
        return min(sorted(tokens(key)), key=lambda word: len(self._tokens[word]), default="")

    def place(self, fact: Fact) -> int:
        """Return the place of a fact."""
        return self._places[fact]

    def live(self, name: str) -> list[Fact]:
        """Return the live facts of a predicate."""
        found = self._live.get(self.words.predicate(name), {})
        return [found[place] for place in sorted(found)]

    def has_live(self, name: str) -> bool:
        """Return whether a predicate has a live fact."""
        return bool(self._live.get(self.words.predicate(name)))

    def every_live(self) -> list[Fact]:
        """Return all live facts."""
        return [self._facts[place] for place in sorted(self._facts) if self._facts[place].live]

    def ended_on(self, day: str) -> list[Fact]:
        """Return the facts that ended on a day and have no successor."""
        found = (fact for fact in self._facts.values() if not fact.live and fact.superseded == day)
        return [fact for fact in found if not fact.superseded_by]

    def past(self, name: str) -> list[Fact]:
        """Return the facts of a predicate that no longer hold."""
        found = self._past.get(self.words.predicate(name), {})
        return [found[place] for place in sorted(found)]

    def named(self, name: str) -> list[Fact]:
        """Return the live facts with an id or a key."""
        return self._at(self._named.get(name, ()))

    def saying(self, text: str) -> list[Fact]:
        """Return the live facts whose text has the same words."""
        return self._at(self._texts.get(comparison_key(text), ()))

    def stated(self, new: NewFact) -> list[Fact]:
        """Return the facts of the same predicate, day and words that no longer hold."""
        asked = self.words.predicate(new.predicate), new.date, comparison_key(new.text)
        return self._at(self._stated.get(asked, ()))

    def alike(self, new: NewFact) -> list[Fact]:
        """Return the live facts of the predicate that may say the same."""
        key = self.words.predicate(new.predicate)
        own = self._live.get(key)
        if not own:
            return []
        spellings = self._marks.setdefault(key, {})
        if new.predicate not in spellings:
            found = spellings[new.predicate] = defaultdict(set)
            for place, fact in own.items():
                for mark in self.words.marks(fact.text, new.predicate):
                    found[mark].add(place)
        known = spellings[new.predicate]
        places = {place for mark in self.words.marks(new.text, new.predicate) for place in known.get(mark, ())}
        return [own[place] for place in sorted(places & own.keys())]

    def near(self, new: NewFact) -> list[Fact]:
        """Return the live facts whose predicate may be another word for that of a statement."""
        mine = self.words.predicate(new.predicate), new.text
        words = tokens(mine[0]) | tokens(new.text)
        found = self._at({place for word in words for place in self._tokens.get(word, ())})
        return [one for one in found if self.words.near(mine, (self.words.predicate(one.predicate), one.text))]

    def ending(self, changed: str) -> list[Fact]:
        """Return the live facts of the predicates that end when another one changes."""
        return self._at({place for key in self.words.endings(changed) for place in self._live.get(key, ())})

    def _at(self, places: Iterable[int]) -> list[Fact]:
        return [self._facts[place] for place in sorted(places)]
