"""Find what the user asks to be reminded of, and the day from which its «tomorrow» counts. Pure."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from mdmem.extraction.said_days import said_days
from mdmem.messages.catalog import say
from mdmem.scratchpad.model import CHAT
from mdmem.search.words.date_phrases import stated_days
from mdmem.settings.generated_tables import ScratchpadSettings
from mdmem.settings.phrases import any_of
from mdmem.text.pattern import pattern
from mdmem.wording.transcript import Sentence

_BREAK = pattern(r"(?:[，,；;。!！?？—]|[:：.](?!\d))+\s*")
_BETWEEN = pattern(r"[\W_]+")
_NUMBER = pattern(
    r"\d+(?:[:：]\d\d)?(?:\s?[ap]\.?m\b\.?|\s?[点号日月时分半]+)?|[零一二两三四五六七八九十]+[点号日月时分半]*",
    re.IGNORECASE,
)
_DAY_DIGITS = 8  # with which the id of a session begins
_JOINTS = " \t　,，:：、"  # between the request and what it is about


class Reminders:
    """The words of one workspace with which somebody asks to be reminded, and with which it is answered."""

    def __init__(self, settings: ScratchpadSettings, words: Callable[[str], frozenset[str]]) -> None:
        """Bind to the settings; `words` returns the words of a text that say something."""
        self._asked, self._answered = any_of(settings.reminders), any_of(settings.reminded)
        self._inquires, self._polite = any_of(settings.reminder_inquiries), any_of(settings.courtesies)
        self._openers = any_of(settings.reminder_openers)
        self._when = any_of((*settings.times, *settings.postponed, *settings.roughly))
        self._words = words

    def asked(self, sentence: Sentence) -> str:
        """Return the part of the user's sentence that asks to be reminded, with its time; empty if none does.

        «Remind me what the felt cost» asks for an answer, and a question is a request only where it is polite.
        """
        text = sentence.text
        if sentence.role != "user" or not sentence.is_speech:
            return ""
        begin = 0
        for clause in _BREAK.split(text):
            begin = text.index(clause, begin)
            found = self._asked.search(clause)
            before = clause[: found.start()] if found else ""
            bare = _BETWEEN.sub("", self._openers.sub(" ", self._timeless(before)))
            is_polite = self._polite.search(clause) is not None or self._openers.search(before) is not None
            if found and not bare and (is_polite or not sentence.asks):
                when = self._when.search(before) or _NUMBER.search(before)
                rest = text[begin + found.end() :].lstrip(_JOINTS)
                is_told = self._inquires.match(rest) is None and self._words(self._timeless(rest))
                return text[begin + (when or found).start() :].strip() if is_told else ""
            begin += len(clause)
        return ""

    def matter(self, step: str) -> str:
        """Return what a reminder is about: without its time, and without the words that ask for it."""
        return self._timeless(self._asked.sub(" ", step))

    def repeats(self, text: str) -> bool:
        """Return whether a sentence only says that somebody will be reminded; it tells nothing as done."""
        return self._answered.search(text) is not None

    def _timeless(self, text: str) -> str:
        return _NUMBER.sub(" ", self._when.sub(" ", text))


def day_of(source: str) -> str:
    """Return the day of the session that a source names, as 2026-02-13."""
    digits = source.removeprefix(CHAT)[:_DAY_DIGITS]
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def dated(text: str, source: str, lang: str) -> str:
    """Return a text behind the day on which it was said, if it names a day that counts from there: «tomorrow», 周三."""
    try:
        day = dt.date.fromisoformat(day_of(source))
    except ValueError:
        return text
    counts = bool(stated_days(text, day)) or said_days(text, day, "coming") != ""
    return f"{day.isoformat()}{say(lang, 'punctuation.colon')}{text}" if counts else text
