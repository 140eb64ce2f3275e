"""Choose the facts that the portrait shows, and put them into its sections. Pure.

The text of a line is the fact's own, behind its predicate where it is a bare value, so that nothing can be invented.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

from mdmem.entries.edits.generated import GeneratedLine, entry_text
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import FactWords
from mdmem.messages.catalog import say
from mdmem.portrait.model import FIELD, NOTES, OTHERS, PREFERENCES, SPECS, TRAITS, PortraitTarget
from mdmem.settings.generated_tables import PortraitSettings

_RULE, _TRAIT, _PREFERENCE, _TRANSIENT = "rule", "persona_trait", "preference", "transient"
_OF_USER = ("fact", _PREFERENCE)  # types that USER.md shows (K133)
_BULLET = len("- \n")

PortraitLines = dict[str, tuple[GeneratedLine, ...]]


class PortraitRules:
    """Chooses by the numbers and words of one workspace."""

    def __init__(
        self, settings: PortraitSettings, words: FactWords, recency: Callable[[date | None], float], lang: str
    ) -> None:
        """Bind to the settings; `recency` is 1 for today and falls with the age of a day."""
        self._settings, self._words, self._recency = settings, words, recency
        self._colon = say(lang, "punctuation.colon")

    def lines(self, target: PortraitTarget, facts: Sequence[Fact], names: frozenset[str]) -> PortraitLines:
        """Return the lines of one file by section; `names` are the keys of the person's names."""
        live = [one for one in facts if one.live and one.text and one.priority != _TRANSIENT]
        if target == "memory":
            return {NOTES: tuple(self._memory(live))}
        if target == "persona":
            return {TRAITS: tuple(self._traits(live))}
        return self._user([one for one in live if self._words.subject(one.subject) in names])

    def shown(self, fact: Fact) -> str:
        """Return what a line says of a fact, without its date."""
        return self._words.shown(fact.text, fact.predicate, fact.type, self._colon)

    def stated(self, facts: Iterable[Fact]) -> frozenset[str]:
        """Return all lines that may be generated from some facts, now or before they ended, as texts of entries."""
        found = (GeneratedLine(text, _name(one)) for one in facts if one.id for text in self._forms(one))
        return frozenset(entry_text(line, FIELD) for line in found)

    def _forms(self, fact: Fact) -> Iterator[str]:
        """Yield the texts of a fact in the files that show it."""
        shown = self.shown(fact)
        yield shown
        yield f"{fact.date}{self._colon}{shown}"
        yield f"{fact.predicate}{self._colon}{fact.text}"

    def _memory(self, facts: Iterable[Fact]) -> Iterator[GeneratedLine]:
        """Yield rules first, then by importance and recency, until the room of a type or of the file is full (K149)."""
        room, counts = self._settings.memory_chars, Counter[str]()
        skip = set(map(self._words.predicate, self._settings.skip))
        for fact in self._best(one for one in facts if one.type != _TRAIT):
            if self._words.predicate(fact.predicate) in skip:
                continue
            text = self.shown(fact)
            line = GeneratedLine(f"{fact.date}{self._colon}{text}" if fact.date else text, _name(fact))
            chars = len(entry_text(line, SPECS["memory"].blocks.field)) + _BULLET
            if counts[fact.type] < self._settings.per_type and chars <= room:
                counts[fact.type] += 1
                room -= chars
                yield line

    def _user(self, facts: Iterable[Fact]) -> PortraitLines:
        """Return the best facts about the person by category (K133, K134)."""
        best = [one for one in self._best(facts) if one.type in _OF_USER][: self._settings.user_facts]
        found: dict[str, list[GeneratedLine]] = {}
        for fact in best:
            found.setdefault(self._category(fact), []).append(GeneratedLine(self.shown(fact), _name(fact)))
        return {section: tuple(lines) for section, lines in found.items()}

    def _category(self, fact: Fact) -> str:
        """Return the section of a fact about the person, by the words of its predicate."""
        wanted = self._words.predicate(fact.predicate)
        for row in self._settings.categories:
            section, *predicates = (name.strip() for name in row.split("="))
            if wanted and wanted in map(self._words.predicate, predicates):
                return section
        return PREFERENCES if fact.type == _PREFERENCE else OTHERS

    def _traits(self, facts: Iterable[Fact]) -> Iterator[GeneratedLine]:
        """Yield the traits that are sure enough (K151)."""
        for fact in sorted(facts, key=lambda one: (one.predicate, one.date, one.text)):
            if fact.type == _TRAIT and fact.confidence >= self._settings.persona_confidence:
                yield GeneratedLine(f"{fact.predicate}{self._colon}{fact.text}", _name(fact))

    def _best(self, facts: Iterable[Fact]) -> list[Fact]:
        return sorted(facts, key=lambda one: (one.type != _RULE, -self._worth(one), one.path, one.line))

    def _worth(self, fact: Fact) -> float:
        return fact.importance * self._recency(date.fromisoformat(fact.date) if fact.date else None)


def _name(fact: Fact) -> str:
    """Return what a line names its fact by: file and id; empty for a fact without an id."""
    return f"{fact.path}#{fact.id}" if fact.id else ""
