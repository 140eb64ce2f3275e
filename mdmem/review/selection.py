"""Choose the sentences of a session that belong in MEMORY.md: what the user stated, and what came of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mdmem.extraction.clauses import Clauses
from mdmem.remember.classify import Classifier
from mdmem.settings.phrases import any_of
from mdmem.settings.tables import MemorySettings, RememberSettings
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, is_near_duplicate_of_any, tokens
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.transcript import Sentence, is_rule

_STATED = ("rule", "preference")  # kinds that count by what they are, and only if the user says so
_MASKED = pattern(r"\[[a-z][a-z0-9 _-]{2,40}\](?!\()")  # what stands for a secret in a recorded turn
_COMMENT = pattern("<!--|-->")
_OTHER = "preference"  # where a rule goes whose own file is another one


class ReviewLine(NamedTuple):
    """A sentence of a session that belongs in MEMORY.md."""

    text: str  # word for word
    section: str  # an alias of the section where it belongs
    source: str  # chat:SESSION#round
    importance: float


class ReviewedText(NamedTuple):
    """One session, as a review reads it."""

    id: str
    sentences: Sequence[Sentence]  # of what the user said of themselves
    conclusion: Sequence[Sentence]  # of the response
    written: Sequence[str] = ()  # facts that were taken from it, and lines from it that somebody deleted by hand


class ReviewRules:
    """Chooses sentences by the word lists of one workspace."""

    def __init__(
        self, memory: MemorySettings, remember: RememberSettings, scorer: ImportanceScorer, words: Clauses, kind: str
    ) -> None:
        """Bind to the settings; `kind` is the kind of file that is written."""
        self._memory, self._remember, self._scorer = memory, remember, scorer
        self._words, self._kind = words, kind
        self._classifier = Classifier(remember, scorer.settings)
        self._one_off, self._private = any_of(memory.review_requests), any_of(memory.review_private)
        self._promised = any_of(memory.review_promises)

    def lines(self, session: ReviewedText, known: Sequence[str], near: float) -> tuple[ReviewLine, ...]:
        """Return the most important sentences, in their order; those of them that are known already are left out.

        A sentence is known too if a fact that was taken from the session has no word that is not in it.
        """
        written = [tokens(text) for text in session.written]
        found = {
            comparison_key(one.text): one
            for one in self._candidates(session)
            if not any(words <= tokens(one.text) for words in written)
        }
        best = sorted(found.values(), key=lambda one: -one.importance)[: self._memory.review_lines]
        chosen = (one for one in found.values() if one in best)
        return tuple(one for one in chosen if not is_near_duplicate_of_any(one.text, known, near))

    def _candidates(self, session: ReviewedText) -> Iterator[ReviewLine]:
        for one, is_stated in (*_marked(session.sentences, stated=True), *_marked(session.conclusion, stated=False)):
            if not one.is_speech or not self._fits(one.text):
                continue
            kind, worth = self._judged(one, is_stated=is_stated)
            if worth > self._scorer.settings.keep_importance:
                source = f"chat:{session.id}" + (f"#{one.number}" if one.number else "")
                yield ReviewLine(one.text, self._section(kind), source, worth)

    def _fits(self, text: str) -> bool:
        """Return whether a sentence is short enough for a memory, not private, and says enough without its session."""
        if len(text) > self._memory.review_chars or any(
            found.search(text) for found in (_MASKED, _COMMENT, self._private)
        ):
            return False
        return len(tokens(text)) >= self._memory.review_words

    def _judged(self, one: Sentence, *, is_stated: bool) -> tuple[str, float]:
        """Return the kind of a sentence, and its importance; 0 for a question or a request that is done once."""
        lasts = self._words.is_standing(one.text)
        asks = one.asks and not self._scorer.is_request(one.text)
        if is_stated and not lasts and not asks and self._promised.search(one.text):
            return "promise", 1.0
        is_request = self._words.is_request(self._words.opened(one.text)) and not lasts
        if is_rule(one, self._scorer) and not is_request:
            return "rule", 1.0 if is_stated else 0.0
        if is_request or one.asks or self._scorer.is_request(one.text) or self._one_off.search(one.text):
            return "", 0.0
        kind = self._classifier.classify(one.text).kind
        if kind in _STATED:
            return kind, 1.0 if is_stated else 0.0
        if is_stated and self._words.is_one_off(one.text):
            return "", 0.0
        return kind, self._scorer.importance(one.text)

    def _section(self, kind: str) -> str:
        """Return the section of a kind of sentence, by `[remember]`."""
        file, _, section = str(getattr(self._remember, kind)).partition("#")
        if file == self._kind:
            return section
        return str(getattr(self._remember, _OTHER)).partition("#")[2]


def _marked(sentences: Iterable[Sentence], *, stated: bool) -> list[tuple[Sentence, bool]]:
    return [(one, stated) for one in sentences]
