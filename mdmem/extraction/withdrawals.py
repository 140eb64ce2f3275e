"""Read what the user takes back or denies, and find the statements that end with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from mdmem.extraction.clauses import Clauses, normal
from mdmem.extraction.model import Extraction, FactCandidate
from mdmem.facts.claims import ClaimedStatements, S, claimed, veiled_names
from mdmem.facts.model import Fact
from mdmem.formats.fact_words import FactWords
from mdmem.search.words.terms import is_stop, terms
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.settings.phrases import PhrasePattern, any_of, source_of
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import pattern

COLON = pattern(r"(?<=[^\W\d])[:：]\s*")
_TOPIC = pattern(r"((?:\S+\s){0,3}\S+)[?？]")  # a question of a few words that only names something
_DID = pattern(r"(?i)^\W*did\b|^是")
_TRIM = " \t　,，.。:：;；!！-–—"
_OVER = "算了"
_GIVEN_UP = pattern(  # 车算了不买了: what was given up stands before it, and its verb behind
    r"(?<![\u3400-\u9fff])(?P<thing>[\u3400-\u9fffA-Za-z0-9]{1,12}?)(?:就|还是)?"
    rf"{_OVER}[吧啊]?[，,]?\s*不(?P<verb>[\u3400-\u9fff])了"
)
_BARE_VERB = pattern(r"(?:i|we) (?:don't|do not|never) \w+\W*", re.IGNORECASE)  # «I don't drink» is not about coffee
# A property, and behind a sign what it is
_RESTATED = pattern(
    r"(?:my |我的?)?(?P<name>[^:：，,]{2,30}?)[了的]?\s*[:：，,]\s*(?:应该)?(?:it's |it is |是)?"
    r"(?P<value>[^，,]{1,40})",
    re.IGNORECASE,
)
SUBJECT = pattern(r"(?i:i|we|my|our|he|she|they|his|her|their)\b|我|咱")
_RULE = "rule"  # the type of a standing rule


class Withdrawal(NamedTuple):
    """What a sentence takes back."""

    claims: tuple[str, ...]  # the words of it, clause by clause, without those that take it back
    is_said: bool  # the sentence says that something was wrong or is to be forgotten; otherwise it only denies it
    is_deed: bool = False  # it only says that something is not done any more
    is_whole: bool = False  # no clause of it takes anything back: what it states may be what is right
    leaves: tuple[str, ...] = ()  # properties that it does not end, for it tells what happened to a thing


class WithdrawalReader:
    """Knows the words of one workspace that take something back."""

    def __init__(self, settings: ExtractSettings, clauses: Clauses) -> None:
        """Bind to the settings and to what splits a sentence."""
        self._settings, self._clauses = settings, clauses
        self._deed_endings, self._rule_endings = any_of(settings.deed_endings), any_of(settings.rule_endings)
        self._told, self._withdrawals = any_of(settings.told), any_of(settings.withdrawals)
        self._mistakes, self._negations = any_of(settings.mistakes), any_of(settings.negations)
        self._past_negations, self._end_times = any_of(settings.past_negations), any_of(settings.end_times)
        self._recipients = any_of(settings.recipients)
        self._parted = tuple(map(_parted, settings.parted_endings))
        self._endings, self._fillers = any_of(settings.endings), any_of(settings.claim_fillers)
        self._reminders, self._habits = any_of(settings.reminders), any_of(settings.past_habits)
        self._verdicts, self._rule_names = any_of(settings.verdicts), any_of(settings.rule_names)
        self._rule_ends, self._stale = any_of(settings.rule_ends), any_of(settings.stale)
        self._happenings = tuple(_happening(row) for row in settings.happenings)
        self._any_happening = any_of(word for words, _ in self._happenings for word in words)

    def read(self, sentence: str) -> Withdrawal | None:
        """Return what a sentence takes back or denies; None if it does neither."""
        said = normal(sentence)
        said = _GIVEN_UP.sub(r"不\g<verb>\g<thing>了", said) if _OVER in said else said
        for parted in self._parted:
            said = parted.sub(r"\g<verb> \g<part> \g<thing>", said)
        is_said = self._mistakes.search(said) is not None
        if self._reminders.search(said) or not self.takes_back(said, is_said=is_said):
            return None
        found: list[str] = []
        parts = [part for clause in self._clauses.split(said) for part in COLON.split(clause)]
        for before, clause in zip(("", *parts), parts, strict=False):
            is_part = self.takes_back(clause, is_said=is_said) or self._mistakes.search(clause) is not None
            if is_part and not _BARE_VERB.fullmatch(clause):
                is_said = is_said or self._withdrawals.search(clause) is not None
                found += self._claim(clause, is_said=is_said) or self._pointed_at(clause, before)
        is_behind = self._withdrawals.search(said) and not self._withdrawals.search(
            parts[0]
        )  # «I speak Welsh, scratch that»
        is_whole = not found and is_said and not is_behind
        if not found and is_said:
            found = [claim for part in parts for claim in self._claim(part, is_said=is_said)]
        if not found:
            return None
        leaves = self._left(parts, is_said=is_said)
        return Withdrawal(tuple(found), is_said, self._is_deed(parts, is_said=is_said), is_whole, leaves)

    def _pointed_at(self, clause: str, before: str) -> list[str]:
        """Return what the clause before one names that ends «it»: «Jenkins is out, we got rid of it»."""
        is_over = self._endings.search(clause) is not None and self._clauses.points_back(self._bare(clause))
        return self._claim(before, is_said=False) if is_over and before else []

    def has_mistake(self, sentence: str) -> bool:
        """Return whether a sentence says that something was wrong."""
        return self._mistakes.search(normal(sentence)) is not None

    def ended_rule(self, sentence: str) -> Withdrawal | None:
        """Return what rule a sentence says to be over: «You don't have to answer in Dutch any more»."""
        said = normal(sentence).strip(_TRIM)
        ends = self._rule_ends.search(said) or self.takes_back(said, is_said=True)
        is_named = self._rule_names.search(said) is not None and ends  # «scrap the emoji rule»
        if self._reminders.search(said) or not (is_named or self._rule_endings.search(said)):
            return None
        ending = (self._rule_endings, *((self._rule_names, self._rule_ends) if is_named else ()))
        clauses = tuple(self._clauses.split(said))
        about = [clause for clause in clauses if any(words.search(clause) for words in ending)]
        claims = [claim for clause in about for claim in self._claim(_without(clause, ending))]
        return Withdrawal(tuple(claims), is_said=True, is_whole=len(clauses) == 1) if claims else None

    def verdict(self, sentence: str, before: str) -> Withdrawal | None:
        """Return what is taken back by a sentence that names nothing: the one before it was wrong, or is over.

        «I told you I have three cats. That is false.»; «The marathon? Not happening.»
        """
        said, topic = normal(sentence), _TOPIC.fullmatch(before.strip())
        is_short = self._verdicts.fullmatch(self._clauses.opened(said).strip(_TRIM)) is not None
        if topic is not None and is_short:  # «That squash rule? Drop it.»
            claims = self._claim(self._told.sub(" ", topic[1]))
            return Withdrawal(tuple(claims), is_said=True) if claims else None
        is_said = bool(self._mistakes.search(said) or self._withdrawals.search(said))
        is_over = topic is not None and self.takes_back(said, is_said=False)
        claims = self._claim(self._told.sub(" ", topic[1] if topic else normal(before)))
        clauses = list(self._clauses.split(said))
        if self._withdrawals.search(clauses[0] if clauses else ""):  # «Strike that, Securex is the insurance.»
            clauses = clauses[:1]
        is_empty = not any(map(self._claim, clauses))
        if not (is_said or is_over) or not is_empty or self._reminders.search(said):
            return None
        return Withdrawal(tuple(claims), is_said) if claims else None

    def right_value(self, sentence: str) -> str:
        """Return the value that a short sentence says to be right: «I meant Otto.»; empty for another one."""
        found = self._rights.fullmatch(self._clauses.opened(normal(sentence)))
        return found["value"].strip() if found and not self._clauses.points(found["value"]) else ""

    def asked(self, sentence: str) -> str:
        """Return what a question asks to have been said: «Did I say Zalando?»; empty for another one."""
        said = normal(sentence).strip()
        if not said.endswith(("?", "？")) or not self._told.search(said):
            return ""
        return " ".join(self._claim(_DID.sub("", self._told.sub(" ", said.rstrip("?？"))).strip(_TRIM)))

    def is_past_habit(self, text: str) -> bool:
        """Return whether a text says what was done once: «I used to live in Ghent» denies that it is so now."""
        return self._habits.search(text) is not None

    def without_deeds(self, clause: str) -> str:
        """Return a clause without the words that say that something is not done any more."""
        return self._deed_endings.sub(" ", clause)

    def _is_deed(self, clauses: Sequence[str], *, is_said: bool) -> bool:
        """Return whether clauses only say that something is not done any more."""
        others = (self._endings, self._negations, self._withdrawals)
        bare = map(self.without_deeds, clauses)
        return not is_said and not any(words.search(clause) for clause in bare for words in others)

    def _left(self, clauses: Sequence[str], *, is_said: bool) -> tuple[str, ...]:
        """Return the properties that clauses do not end, for they only tell what happened to a thing."""
        others = (self._endings, self._deed_endings, self._negations, self._withdrawals, self._habits)
        bare = [self._any_happening.sub(" ", clause) for clause in clauses]
        if is_said or any(words.search(clause) for clause in bare for words in others):
            return ()
        told = [names for words, names in self._happenings if any(map(any_of(words).search, clauses))]
        return tuple(dict.fromkeys(name for names in told for name in names))

    def begins(self, sentence: str) -> bool:
        """Return whether a sentence, or what stands behind its colon, begins with words that take something back."""
        parts = map(self._clauses.opened, (normal(sentence), *COLON.split(normal(sentence))[1:]))
        return any(words.match(part) for part in parts for words in (self._withdrawals, self._mistakes))

    def _claim(self, clause: str, *, is_said: bool = True) -> list[str]:
        """Return what a clause names, without the words that take it back.

        One that only points at something names nothing; where it `is_said` that something was wrong, what is named
        in it counts: «it is not 02:00».
        """
        rest = self._bare(clause)
        if self._clauses.points(rest) and not is_said:
            return []
        while rest and self._clauses.points(rest):
            rest = rest.partition(" ")[2] if rest[0].isascii() else rest[1:].strip(_TRIM)
        return [rest] if veiled_names(rest) or any(not is_stop(term) for term in terms(rest)) else []

    def takes_back(self, clause: str, *, is_said: bool) -> bool:
        """Return whether a clause takes something back or denies it.

        What did not happen once denies no habit, unless the sentence says that something was wrong (`is_said`); and
        «I haven't stopped» ends nothing.
        """
        if any(words.search(clause) for words in (self._withdrawals, self._negations, self._habits)):
            return True
        if self._stale.search(clause) and self._told.search(clause):  # «Python 3.9 is out of date» takes nothing back
            return True
        was_not = self._past_negations.search(clause) is not None
        ends = (self._endings, self._deed_endings, self._any_happening)
        return is_said if was_not else any(words.search(clause) for words in ends)

    def without_mistakes(self, sentence: str) -> str:
        """Return a sentence without the clauses that only say that something was wrong, and without its full stop."""
        said = self._mistakes.sub(" ", normal(sentence)).strip(_TRIM)
        return " ".join(self._clauses.opened(said).split()).strip(_TRIM)

    def restated(self, sentence: str) -> str:
        """Return, as a statement, what a sentence says anew of a property: «I mistyped my birthday: 14 March.»

        Empty for another sentence.
        """
        found = _RESTATED.fullmatch(self.without_mistakes(sentence))
        if found is None or not self.has_mistake(sentence):
            return ""
        name, value = found["name"].strip(), found["value"]
        if "是" in name or SUBJECT.match(value) or self.takes_back(value, is_said=True):
            return ""
        return f"我的{name}是{value}" if has_chinese(name) else f"my {name} is {value}"

    def _bare(self, clause: str) -> str:
        """Return a clause without the words that take something back."""
        clause, _ = self._clauses.without_since(clause)
        is_over = any(words.search(clause) for words in (self._endings, self._any_happening)) and not (
            self._negations.search(clause)
        )
        words = (
            self._withdrawals,
            self._mistakes,
            self._endings,
            self._deed_endings,
            self._any_happening,
            self._stale,
            self._negations,
            self._past_negations,
            self._habits,
            self._fillers,
        )
        if is_over:
            clause = self._recipients.sub(lambda found: " " if found.group().isascii() else "", clause)
        for one in (*words, *((self._end_times,) if is_over else ())):
            clause = one.sub(" ", clause)
        return " ".join(self._clauses.bare(clause)[0].split())

    @cached_property
    def _rights(self) -> PhrasePattern:
        ends = source_of(self._settings.right_ends)
        return PhrasePattern(
            self._settings.right_words,
            lambda words: rf"(?:{words})\s*(?P<value>[^,，。]{{1,40}}?)\s*(?:{ends})?[.。!！]?",
        )


@lru_cache(maxsize=4)
def withdrawal_reader(settings: ExtractSettings, clauses: Clauses) -> WithdrawalReader:
    """Return the compiled words of some settings."""
    return WithdrawalReader(settings, clauses)


def _happening(row: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a row about what happens to a thing, and the properties that they do not end."""
    words, _, names = (tuple(filter(None, map(str.strip, part.split(",")))) for part in row.partition(" : "))
    return words, names


def _parted(row: str) -> PhrasePattern:
    """Return the pattern of a row of verbs and of what may stand behind their object: «gave the kayak away»."""
    verbs, _, parts = row.partition(" : ")
    behind = source_of(map(str.strip, parts.split(",")))
    return PhrasePattern(
        map(str.strip, verbs.split(",")),
        lambda words: rf"(?P<verb>{words})\s+(?P<thing>(?:\S+\s+){{1,4}}?)(?P<part>{behind})",
    )


def _without(text: str, found: Sequence[PhrasePattern]) -> str:
    """Return a text with a space for each match of some patterns."""
    for words in found:
        text = words.sub(" ", text)
    return text


class Ending(NamedTuple):
    """A statement of the user that ends a fact, or may end it."""

    said: FactCandidate
    fact: Fact
    is_sure: bool


class EndedStatements(NamedTuple):
    """What is left of some statements after those that take something back, and the facts that end."""

    items: tuple[FactCandidate, ...]
    endings: tuple[Ending, ...]


def end_statements(
    found: Extraction, facts: Sequence[Fact], words: FactWords, settings: ExtractSettings
) -> EndedStatements:
    """Find what each sentence that takes something back is about: a statement before it, or a live fact.

    A statement before it is dropped, for it was never written. Where several facts fit as well, each of them may end.
    """
    kept, endings, settled = list(found.items), list[Ending](), set[str]()
    for one in _with_denials(found.withdrawals):
        if one.text in settled:
            continue
        if one.is_whole and not _is_restated(one, kept, facts, words):
            continue
        before = [other for other in kept if not other.claims and other.number <= one.number]
        said = _about(one, before, words, settings)
        known = _about(one, facts, words, settings)
        cover = max(said.cover, known.cover)
        ended = (*(said.found if said.cover == cover else ()), *(known.found if known.cover == cover else ()))
        least = settings.said_cover if one.is_said else settings.unsure_cover
        if cover < (settings.denied_cover if one.old else least):  # «not 18 degrees, 20 degrees» is about no version 18
            continue
        is_sure = len(ended) == 1 and (one.is_said or cover >= settings.denied_cover)
        endings += [Ending(one, fact, is_sure) for fact in ended if isinstance(fact, Fact)]
        if is_sure:
            settled |= {one.text} if one.old else set()
            kept = [other for other in kept if other.claims != one.claims and other not in ended]
    return EndedStatements(tuple(kept), tuple(endings))


def not_taken_back(
    stated: Sequence[FactCandidate], sentences: Sequence[str], words: FactWords, settings: ExtractSettings,
    reader: WithdrawalReader,
) -> tuple[FactCandidate, ...]:  # fmt: skip
    """Return the statements that no later sentence takes back; the number of each is that of its sentence."""
    withdrawals: list[FactCandidate] = []
    for number, (before, text) in enumerate(zip(("", *sentences), sentences, strict=False)):
        if taken := (reader.verdict(text, before) if before else None) or reader.read(text):
            one = FactCandidate("fact", "", "", text, 1.0, number - 1, claims=taken.claims, is_said=taken.is_said)
            withdrawals.append(one._replace(is_deed=taken.is_deed, is_whole=taken.is_whole, leaves=taken.leaves))
    return end_statements(Extraction(tuple(stated), Counter(), tuple(withdrawals)), (), words, settings).items


def _is_restated(one: FactCandidate, kept: Sequence[FactCandidate], facts: Sequence[Fact], words: FactWords) -> bool:
    """Return whether what a sentence takes back is what it states, and not another value: «My name is Al, I lied»."""
    own = [other for other in kept if other.claims == one.claims]
    known = [*(other.text for other in kept if other not in own), *(fact.text for fact in facts)]
    return not own or any(words.same(text, said.text, said.predicate) for said in own for text in known)


def _with_denials(withdrawals: Sequence[FactCandidate]) -> Iterator[FactCandidate]:
    """Yield each correction of a part, and behind it what its sentence denies: that counts where no part is found."""
    for one in withdrawals:
        yield one
        if one.denied:
            yield one._replace(old="", value="", claims=one.denied, is_said=False)


def _about(
    one: FactCandidate, statements: Sequence[S], words: FactWords, settings: ExtractSettings
) -> ClaimedStatements[S]:
    """Return the statements that all claims of a sentence are about together, or else one of them alone.

    A denial ends no rule («don't use tables» denies no rule about tables) and nothing that lasts, such as a birthplace;
    the user must say that it was wrong. What ends a rule ends nothing else. What happens to a thing ends no property
    that outlasts it: «the tea is finished» ends no habit.
    """
    asked = dict.fromkeys((" ".join(one.claims), *one.claims))
    held = [
        other
        for other in statements
        if (other.type == _RULE or one.type != _RULE)
        and not (one.is_deed and words.names_person(other.predicate))
        and not words.belongs(other.predicate, one.leaves)
        and (one.is_said or (other.type != _RULE and not words.outlasts(other.predicate, "")))
    ]
    every = (claimed(claim, held, words, settings.claim_share) for claim in asked)
    return max(every, key=lambda found: found.cover)


def corrected_text(text: str, old: str, value: str) -> str:
    """Return a statement with another value for a part of it; empty if it does not hold the part.

    Words before the value that stand before the part already are left out: «Lotte lives in Leiden» adds «Leiden».
    """
    at = text.casefold().find(old.casefold()) if old and value else -1
    if at < 0:
        return ""
    words, before = value.split(), text[:at].casefold().split()
    sizes = range(min(len(words) - 1, len(before)), 0, -1)
    same = next((size for size in sizes if before[-size:] == [word.casefold() for word in words[:size]]), 0)
    return f"{text[:at]}{' '.join(words[same:])}{text[at + len(old) :]}"
