"""Finds the questions that need no answer: courtesies, suppositions, questions to the memory. Pure."""

from __future__ import annotations

from mdmem.settings.generated_tables import ScratchpadSettings
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.text.pattern import pattern
from mdmem.wording.transcript import Sentence

_CLAUSE = r"(?:\A|[,，;；:：.。—]\s*)(?:(?:and|but|so|ok|okay|well|now|just|那么?|好|嗯)[,，\s]*)*"
_NAMED = pattern(  # a question that only names something of the user: «My hobby?», 我的爱好？
    r"(?:and\s)?(?:my|our)(?:\s[\w'-]+){1,3}\s?[?？]|那?我的[^\W\d_A-Za-z吗哪谁什几多在了没到怎有还要能会去来]{2,6}[?？]",
)


class IdleQuestions:
    """Knows the words of one workspace with which a question needs no answer."""

    def __init__(self, settings: ScratchpadSettings) -> None:
        """Bind to the settings."""
        self._courtesies = any_of((*settings.courtesies, *settings.rhetorical))
        self._advice, self._asked_memory = any_of(settings.advice), any_of(settings.asked_memory)
        self._suppositions = PhrasePattern(settings.suppositions, lambda words: rf"{_CLAUSE}(?:{words})")

    def is_idle(self, asked: Sentence, before: Sentence | None) -> bool:
        """Return whether a question is a courtesy, only supposes something, or asks what the memory holds.

        Args:
            asked: the question.
            before: the sentence before it, which may suppose what the question is about.
        """
        text = _plain(asked)
        if self._courtesies.search(text) or self._supposes(asked):
            return True
        if asked.role != "user":
            return self._advice.search(text) is not None  # «Should I run the tests?»
        if before is not None and (before.role, before.number) == (asked.role, asked.number) and self._supposes(before):
            return True
        return self._asked_memory.search(text) is not None or _NAMED.fullmatch(text.strip().casefold()) is not None

    def asks_advice(self, asked: Sentence) -> bool:
        """Return whether the user asks what to do: any advice answers that, not only a name or a thing."""
        return asked.role == "user" and self._advice.search(_plain(asked)) is not None

    def _supposes(self, sentence: Sentence) -> bool:
        return self._suppositions.search(_plain(sentence)) is not None


def _plain(sentence: Sentence) -> str:
    return sentence.text.replace("’", "'")
