"""Cut what the user said into clauses, and tell which of them say nothing that will be useful in a month."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from mdmem.keeper.condensing.phrases import PhrasePattern, any_of, source_of
from mdmem.keeper.extraction.model import Reason
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END

_BREAK = pattern(
    r"[，；。！？\n]+|[,;!?](?=\s|\Z)|\s[-–—]\s|——+|\.(?=\s*\Z)|(?:(?<=\w{3})|(?<=\d))\.(?=\s+[a-z])|\s\(|\)"
)
_CONJUNCTION = pattern(
    r"\s+(?:(?:but|because|although|though|whereas|which|so that|while)\s+"
    r"|so\s+(?=(?:i|we|my|our|it|he|she|they|please)\b))",
    re.IGNORECASE,
)
_AND = pattern(r"\s+and\s+", re.IGNORECASE)
_CONTRACTIONS = ((pattern(r"\b(I)'m\b", re.IGNORECASE), r"\1 am"),
                 (pattern(r"\b(I|we|you)'ve\b", re.IGNORECASE), r"\1 have"),
                 (pattern(r"\b(we|you)'re\b", re.IGNORECASE), r"\1 are"))  # fmt: skip
_LABEL = pattern(r"\s*(?:\*\*|\[)?([^\s:：\[\]*]{1,12})(?:\*\*|\])?\s?[:：]\s*\S")
_CHINESE = pattern(r"[\u3400-\u9fff]")
_LIMIT = pattern(r"\b(?:above|below)(?=\s\d)|\blater(?=\sthan\b)", re.IGNORECASE)  # here they point at nothing
_JOINT = pattern(
    r"(?:[，,；;]|\s[-–—]\s|——)\s*(?:(?:(?:and|also|then|but)\b|另外|还有|然后|并且|而且)[,，]?\s*)*|\s+and\s+",
    re.IGNORECASE,
)
_TRIM = " \t　\"'“”‘’「」*_`~～-–—:：、"


def normal(text: str) -> str:
    """Write contractions of the first person in full."""
    text = text.replace("’", "'")
    for finder, full in _CONTRACTIONS:
        text = finder.sub(full, text)
    return text


class Clauses:
    """Knows the words of one workspace that frame a statement, or make it none."""

    def __init__(self, settings: ExtractSettings) -> None:
        self._settings = settings

    def split(self, sentence: str) -> Iterator[str]:
        """Return the clauses of a sentence, without what opens them."""
        for part in _BREAK.split(normal(sentence)):
            for clause in _CONJUNCTION.split(part):
                if opened := self.opened(clause):
                    yield opened

    def joints(self, sentence: str) -> list[int]:
        """Return where the clauses of a sentence begin, behind what joins them."""
        return [0, *(found.end() for found in _JOINT.finditer(sentence) if found.end() < len(sentence))]

    def points_back(self, text: str) -> bool:
        """Return whether a text has a word that stands for something named before it."""
        return self._pronouns.search(text) is not None

    def halves(self, clause: str) -> tuple[str, str] | None:
        """Return both sides of the last «and» of a clause; None without one."""
        found = list(_AND.finditer(clause))
        return (clause[: found[-1].start()], self.opened(clause[found[-1].end() :])) if found else None

    def opened(self, clause: str) -> str:
        """Return a clause without the words that only open it."""
        said = clause.strip(_TRIM)
        while (found := self._openers.match(said)) and found.end() < len(said):
            said = said[found.end() :].strip(_TRIM + "，,")
        return said

    def bare(self, clause: str) -> tuple[str, bool]:
        """Return a clause without adverbs of time, and whether one of them was of the past."""
        said, was_past = clause, False
        for _ in range(3):
            before = said
            for place in (self._first, self._last, self._second):
                if found := place.search(said):
                    was_past = was_past or self._past.search(found.group()) is not None
                    left, right = said[: found.start("adverb")], said[found.end("adverb") :]
                    gap = "" if _CHINESE.match(left[-1:]) and _CHINESE.match(right[:1]) else " "
                    said = f"{left.rstrip()}{gap}{right.lstrip()}".strip(_TRIM + ",，")
            if said == before:
                break
        return said, was_past

    def is_transcript(self, text: str) -> bool:
        """Return whether the lines of a turn begin with the names of several speakers."""
        labels = [found.group(1) for line in LINE_END.split(text) if (found := _LABEL.match(line))]
        return len(labels) > self._settings.speakers and len(set(labels)) >= self._settings.speakers

    def is_material(self, sentence: str) -> bool:
        """Return whether a sentence asks for something to be done with a text."""
        return self._material.search(sentence) is not None and self.is_request(self.opened(sentence))

    def gate(self, clause: str) -> Reason | None:
        """Return why a clause says nothing to be remembered, if its beginning tells so."""
        if self._small_talk.match(clause):
            return "small-talk"
        if self.is_request(clause):
            return "request"
        return "doubtful" if self._formerly.search(clause) else None

    def is_request(self, clause: str) -> bool:
        """Return whether a clause begins as a request that is done once; «Book club is …» begins with a name."""
        begins = self._requests.match(clause) is not None
        return begins and not any(found.match(clause) for found in (self._no_requests, self._named))

    def is_doubtful(self, sentence: str) -> bool:
        """Return whether a sentence is uncertain, conditional, or somebody else's word."""
        return self._doubtful.search(sentence) is not None

    def is_one_off(self, text: str, *, is_update: bool = False) -> bool:
        """Return whether a text is bound to the moment; something may change for good on a day."""
        found = {match.group().casefold() for match in self._one_off.finditer(_LIMIT.sub(" ", text))}
        return bool(found - set(self._settings.updates_on) if is_update else found)

    def is_standing(self, text: str) -> bool:
        """Return whether an order holds beyond the task at hand."""
        return self._standing.search(text) is not None and not self.is_one_off(text)

    def is_permanent(self, text: str) -> bool:
        """Return whether a rule says that it holds for ever."""
        return self._permanent.search(text) is not None

    def points(self, value: str) -> bool:
        """Return whether a value only points at something."""
        return self._pointing.match(value) is not None

    def is_private(self, text: str) -> bool:
        """Return whether a statement is about what is never extracted: secrets, identity papers, money."""
        return self._private.search(self._harmless.sub(" ", text.replace("_", " "))) is not None

    @cached_property
    def _pronouns(self) -> PhrasePattern:
        return any_of(self._settings.pronouns)

    @cached_property
    def _harmless(self) -> PhrasePattern:
        return any_of(self._settings.harmless)

    @cached_property
    def _private(self) -> PhrasePattern:
        return any_of(self._settings.private)

    @cached_property
    def _openers(self) -> PhrasePattern:
        return PhrasePattern(self._settings.openers, r"(?:{0})\s*[,，:：、]?\s*".format)

    @cached_property
    def _adverbs(self) -> tuple[str, ...]:
        return (*self._settings.adverbs, *self._settings.past_adverbs)

    @cached_property
    def _first(self) -> PhrasePattern:
        return PhrasePattern(self._adverbs, r"\A(?P<adverb>(?:(?:{0})\s*[,，]?\s*)+)(?=\S)".format)

    @cached_property
    def _second(self) -> PhrasePattern:
        source = (
            r"\A(?:我们家|我们|我家|我|咱们"
            r"|(?i:(?:i|we|it) (?:am|have|are|do)|i|we|my \w+ is|our \w+ is|my \w+|our \w+))\s*"
            r"(?P<adverb>(?:{0})\s*)"
        )
        return PhrasePattern(self._adverbs, source.format)

    @cached_property
    def _last(self) -> PhrasePattern:
        return PhrasePattern(self._adverbs, r"(?P<adverb>\s+(?:{0}))\s*\Z".format)

    @cached_property
    def _past(self) -> PhrasePattern:
        return any_of(self._settings.past_adverbs)

    @cached_property
    def _material(self) -> PhrasePattern:
        return any_of(self._settings.material)

    @cached_property
    def _requests(self) -> PhrasePattern:
        return any_of(self._settings.requests)

    @cached_property
    def _no_requests(self) -> PhrasePattern:
        return any_of(self._settings.no_requests)

    @cached_property
    def _named(self) -> PhrasePattern:
        """Matches a name of up to four words, and its verb."""

        def source(finite: str) -> str:
            return rf"[\w'-]+(?: (?!(?:{source_of(self._settings.objects)}) )[\w'-]+){{0,3}} (?:{finite})"

        return PhrasePattern(self._settings.finite, source)

    @cached_property
    def _small_talk(self) -> PhrasePattern:
        return any_of(self._settings.small_talk)

    @cached_property
    def _formerly(self) -> PhrasePattern:
        return any_of(self._settings.formerly)

    @cached_property
    def _doubtful(self) -> PhrasePattern:
        return any_of(self._settings.doubtful)

    @cached_property
    def _one_off(self) -> PhrasePattern:
        return any_of(self._settings.one_off)

    @cached_property
    def _standing(self) -> PhrasePattern:
        return any_of(self._settings.standing)

    @cached_property
    def _permanent(self) -> PhrasePattern:
        return any_of(self._settings.permanent)

    @cached_property
    def _pointing(self) -> PhrasePattern:
        return any_of(self._settings.pointing)


@lru_cache(maxsize=4)
def clauses(settings: ExtractSettings) -> Clauses:
    """Return the compiled words of some settings."""
    return Clauses(settings)
