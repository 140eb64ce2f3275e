"""Find the sentences that the user says of themselves; the others are part of a text, a story or a quotation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.keeper.extraction.clauses import Clauses
from mdmem.keeper.extraction.model import Reason
from mdmem.keeper.extraction.quotations import Quotations
from mdmem.wording.transcript import Sentence, sentences


class Voiced(NamedTuple):
    """One sentence with marks for its quotations, and why it is not the user's own, if it is not."""

    sentence: Sentence
    quotations: Quotations
    reason: Reason | None = None


def voiced(turn: Turn, splitter: Splitter, words: Clauses, most: int) -> Iterator[Voiced]:
    """Yield the sentences of a turn; what belongs to a text or a story behind one of them is left out.

    Args:
        turn: of the user.
        splitter: splits it into sentences.
        words: the words that begin a text or a story.
        most: characters of a sentence; a longer one is pasted text.
    """
    quotations = Quotations(turn.text)
    for one in sentences((replace(turn, text=quotations.text),), splitter):
        if not one.is_speech or len(one.text) > most:
            yield Voiced(one, quotations, "too-long" if one.is_speech else "plain")
            continue
        frame = words.frame(one.text)
        yield Voiced(one, quotations, frame)
        if frame and not quotations.has_speech(one.text):
            return  # without quotation marks nothing tells where the text ends


def own_sentences(turns: Iterable[Turn], splitter: Splitter, words: Clauses, most: int) -> Iterator[Sentence]:
    """Yield, word for word, what the user says of themselves in some turns, without sentences that quote speech."""
    for turn in turns:
        if turn.role == "user":
            for one, quotations, reason in voiced(turn, splitter, words, most):
                if reason in (None, "too-long") and not quotations.has_speech(one.text):
                    yield one._replace(text=quotations.whole(one.text))
