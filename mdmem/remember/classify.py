"""Classify a sentence as promise, rule, preference, event or fact, by the word lists in the settings."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from mdmem.settings.keeper_tables import KeeperSettings
from mdmem.settings.phrases import PhrasePattern, any_of, source_of
from mdmem.settings.tables import RememberSettings
from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern
from mdmem.wording.directive import Directives

KINDS = ("promise", "rule", "preference", "event", "fact")  # the first match counts
_STATES = pattern(r"[。！!：\n]|:(?!\d)|\.\s")  # the end of a sentence, or of a phrase such as «he asked:»
_WORD = r"(?<![A-Za-z])[A-Za-z]{2,30}"


class Classified(NamedTuple):
    """The kind of a sentence, and the words that decided; empty for a fact without signs and for some rules."""

    kind: str
    words: str = ""


class Classifier:
    """Classifies sentences by the word lists of one workspace."""

    def __init__(self, settings: RememberSettings, keeper: KeeperSettings) -> None:
        self._settings, self._keeper = settings, keeper

    def classify(self, text: str) -> Classified:
        """Return the kind of a sentence; a fact if no word list matches."""
        text = text[: self._settings.max_chars].replace("’", "'")
        parts = read_entry(text)
        if parts.done is False:  # an open checkbox
            return Classified("promise", "[ ]")
        body = text[parts.body.start :]
        if found := self._promises.search(body):
            return Classified("promise", found.group())
        if found := self._rules.search(body):
            return Classified("rule", found.group())
        if self._directives.is_rule(text) and not self._is_advice(body):
            return Classified("rule")
        if begun := self._task(body):
            return Classified("promise", begun)
        if found := self._preferences.search(body):
            return Classified("preference", found.group())
        if not self._is_advice(body) and (found := self._events.search(self._states.sub(" ", body))):
            return Classified("event", found.group())
        return Classified("fact")

    def is_question(self, text: str) -> bool:
        """Return whether a text is only a question; requests, reported questions and open tasks are not."""
        body = text[: self._settings.max_chars].strip()
        if not body.endswith(("?", "？")) or _STATES.search(body) or read_entry(body).done is False:
            return False
        return not self._requests.search(body)

    def _is_advice(self, text: str) -> bool:
        """Return whether an order only points back at what happened: «the code changed, ask Ann for it»."""
        told, comma, order = text.partition(",")
        return bool(comma) and self._happened(told) and self._back.search(order) is not None

    def _happened(self, text: str) -> bool:
        return self._events.search(self._states.sub(" ", text)) is not None

    def _task(self, text: str) -> str:
        """Return the words that begin a task: «buy milk», «周五给妈妈打电话»; an empty text if there is none."""
        found = self._tasks.match(text.strip())
        return found["task"] if found and not self._no_tasks.search(text) else ""

    @cached_property
    def _tasks(self) -> PhrasePattern:
        times = source_of(self._settings.task_times)
        return PhrasePattern(self._settings.tasks, lambda tasks: rf"(?:(?:{times}|\d|[\s,，:：、])*)(?P<task>{tasks})")

    @cached_property
    def _no_tasks(self) -> PhrasePattern:
        return any_of(self._settings.no_tasks)

    @cached_property
    def _requests(self) -> PhrasePattern:
        return any_of(self._keeper.asking)

    @cached_property
    def _promises(self) -> PhrasePattern:
        return any_of(self._settings.promises)

    @cached_property
    def _directives(self) -> Directives:
        return Directives(self._keeper)

    @cached_property
    def _rules(self) -> PhrasePattern:
        return any_of(self._settings.rules)

    @cached_property
    def _preferences(self) -> PhrasePattern:
        return any_of(self._settings.preferences)

    @cached_property
    def _states(self) -> PhrasePattern:
        return any_of(self._settings.no_events)

    @cached_property
    def _back(self) -> PhrasePattern:
        return any_of(self._settings.pointers)

    @cached_property
    def _events(self) -> re.Pattern[str]:
        """Matches the words of events, and words with the endings of a past tense."""
        endings = "|".join(map(re.escape, self._settings.event_endings))
        past = [rf"{_WORD}(?:{endings})(?![A-Za-z])"] if endings else []
        return re.compile("|".join((source_of(self._settings.events), *past)))
