"""Recognise rules: orders, prohibitions, duties and standing wishes of the user, as opposed to statements about people.

A word alone does not decide: «turtles that always cheer him up» and «she must be tired» are statements. The position
of the word decides: an order begins its clause or addresses the agent, and the subject of a duty is not a person. The
words are settings; `…` in one of them matches any words of the same clause.
"""

from __future__ import annotations

import re
from functools import cached_property

from mdmem.sessions.confidences import confidences
from mdmem.settings.keeper_tables import KeeperSettings
from mdmem.settings.phrases import PhrasePattern, SequencePattern, any_of, source_of
from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern
from mdmem.wording.proper_names import names

_CLAUSE = pattern(r"[^，,。；;！!？?：:、（()）「」“”\"｜\n]+")
_QUOTED = pattern(
    r"(?<=[^\s])\s*(?:“[^“”]*”|\"[^\"]*\"|«[^«»]*»|「[^「」]*」)"
)  # a quotation inside a text, but not a whole text
_ENDING = pattern(r"(?:ed|ing|[^s]s)\Z")  # of a word that is not an infinitive
_NEXT = pattern(r"\s*([A-Za-z'’]+)")
_LATIN = pattern(r"[A-Za-z]")
_LATIN_WORD = pattern(r"[a-z]+(?:['-][a-z]+)*")


class Directives:
    """Recognises rules by the words of one workspace's settings."""

    def __init__(self, settings: KeeperSettings) -> None:
        self._settings, self._confidences = settings, confidences(settings)
        self._marks, self._exceptions = any_of((*settings.rules, *settings.corrections)), any_of(settings.no_rules)
        self._wishes, self._imperatives = any_of(settings.wishes), any_of(settings.imperatives)
        self._order_words, self._bans = any_of((*settings.orders, *settings.bans)), any_of(settings.bans)
        self._duties, self._lasting = any_of(settings.duties), any_of(settings.lasting)
        self._general, self._reported = any_of(settings.general), any_of(settings.narrative)
        self._adverbial = any_of(settings.adverbials)

    def is_rule(self, text: str) -> bool:
        """Return whether a text contains a rule: a rule marker, or a clause that is a rule."""
        text = text.replace("’", "'")
        if not self._may_hold(text):
            return False
        if self._marks.search(self._exceptions.sub(self._without_exception, text)) or self._conditions.search(text):
            return True
        body = self._exceptions.sub(self._without_exception, _QUOTED.sub(" ", text[read_entry(text).body.start :]))
        clauses = [match.group() for match in _CLAUSE.finditer(body)]
        return any(
            self._is_rule(clause) and not self._is_anothers(before, clause)
            for before, clause in zip(("", *clauses), clauses, strict=False)
        )

    def _is_rule(self, clause: str) -> bool:
        if not self._may_hold(clause) or self._reported.search(clause) or self._confidences.is_confidence(clause):
            return False
        if self._wishes.search(clause):
            return True
        clause = self._leads.sub("", clause).strip()
        return (
            self.lasts(clause)
            or self._is_imperative(clause)
            or any(self._orders(clause, match) for match in self._order_words.finditer(clause))
            or any(self._binds(clause, match) for match in self._duties.finditer(clause))
        )

    def _is_anothers(self, before: str, clause: str) -> bool:
        """Return whether a ban belongs to the wish of a person before it: «客户要…，不要…»."""
        return self._duties.match(clause.strip()) is not None and self._wanting.search(before) is not None

    def lasts(self, clause: str) -> bool:
        """Return whether a clause says from the beginning that it holds from now on, and for every case."""
        found = self._lasting.match(clause)
        every = self._general.search(clause, found.end()) if found else None
        return every is not None and not self._persons.search(clause[: every.start()])

    def begins_lasting(self, text: str) -> bool:
        """Return whether a text begins with words that say that it holds from now on."""
        return self._lasting.match(text) is not None

    def is_conditional(self, clause: str) -> bool:
        """Return whether a clause begins with an adverbial, which says when another clause holds."""
        return self._adverbial.match(clause) is not None

    def _without_exception(self, match: re.Match[str]) -> str:
        """Return a blank for a phrase that only looks like a rule, or another pronoun if the phrase is a pronoun."""
        own = self._settings
        if match.group() not in own.pronouns:
            return " "
        return next((one for one in reversed(own.pronouns) if one not in own.no_rules), " ")

    def _is_imperative(self, clause: str) -> bool:
        """Return whether a clause begins with an imperative, or has one after an adverbial."""
        found = self._imperatives.search(clause)
        before = clause[: found.start()] if found else ""
        return found is not None and (not before or self._is_adverbial(before))

    def _is_adverbial(self, before: str) -> bool:
        return self._adverbial.match(before) is not None and not self._persons.search(before)

    def _orders(self, clause: str, match: re.Match[str]) -> bool:
        """Return whether an order is at the beginning of its clause, or after the agent or an adverbial."""
        before = clause[: match.start()].strip()
        if before and not (self._is_adverbial(before) or self._addressed.search(before)):
            return False
        following = _NEXT.match(clause, match.end())
        word = following.group(1).lower() if following else ""
        if self._bans.fullmatch(match.group()):
            return word.endswith("ing")
        return word not in ("", *self._settings.no_verbs) and _ENDING.search(word) is None

    def _binds(self, clause: str, match: re.Match[str]) -> bool:
        """Return whether a duty is not that of a person: its subject is the agent, a thing, or omitted.

        In English the verb decides about things: «tests must be run» is a rule, «couriers must use the other door» is
        not.
        """
        before = clause[: match.start()].rstrip()
        if self._addressed.search(before) or not before:
            return True
        if self._persons.search(before):
            return False
        if any(span.end == len(before) and span.of(before).isalpha() for span in names(before)):
            return False
        return not (_LATIN.match(match.group()) and self._acts(clause[match.end() :]))

    def _acts(self, behind: str) -> bool:
        following = _NEXT.match(behind)
        return following is not None and following.group(1).lower() not in self._settings.states

    def _may_hold(self, text: str) -> bool:
        """Return False for a text without any of the words; most clauses need no further check."""
        folded = text.casefold()
        latin, dense = self._prefilter
        return not (latin.isdisjoint(_LATIN_WORD.findall(folded)) and dense.isdisjoint(folded))

    @cached_property
    def _prefilter(self) -> tuple[frozenset[str], frozenset[str]]:
        """The longest word of each Latin phrase, and the first character of each other phrase."""
        own = self._settings
        lists = (
            own.rules, own.corrections, own.wishes, own.imperatives, own.orders, own.bans, own.duties, own.lasting,
            [word for row in own.conditions for word in row.partition(" : ")[0].split(", ")],
        )  # fmt: skip
        found = [(phrase.casefold(), _LATIN_WORD.findall(phrase.casefold())) for some in lists for phrase in some]
        latin = frozenset(max(words, key=len) for _, words in found if words)
        return latin, frozenset(phrase.strip("#…")[:1] for phrase, words in found if not words)

    @cached_property
    def _conditions(self) -> PhrasePattern:
        return SequencePattern(self._settings.conditions)

    @cached_property
    def _wanting(self) -> PhrasePattern:
        own = self._settings
        others = (one for one in own.persons if one != "我" and not _LATIN.match(one))
        return any_of(f"{person}{verb}" for person in others for verb in own.wants)

    @cached_property
    def _leads(self) -> PhrasePattern:
        return PhrasePattern(self._settings.openers, r"\A\s*(?:(?:{0})\s*)+".format)

    @cached_property
    def _addressed(self) -> PhrasePattern:
        return PhrasePattern(self._settings.addressees, r"(?:{0})\s*\Z".format)

    @cached_property
    def _persons(self) -> re.Pattern[str]:
        """Matches a person as the subject: the last word before adverbs, or a Latin word at any position."""
        persons = (*self._settings.persons, *self._settings.things)
        latin = [word for word in persons if _LATIN.match(word)]
        dense = "|".join(re.escape(word) for word in persons if not _LATIN.match(word))
        adverbs = "|".join(map(re.escape, self._settings.adverbs))
        return re.compile(rf"(?:{dense})(?:{adverbs})*\Z|{source_of(latin)}")
