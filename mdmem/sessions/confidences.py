"""Recognises what a user says in confidence: it stays in the session, and no memory is made of it.

No fact, rule, episode, summary, scratch line or recalled line comes of it. `[session] private` says whether the session
keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, Turn
from mdmem.settings.keeper_tables import KeeperSettings
from mdmem.settings.phrases import PhrasePattern, SequencePattern, any_of
from mdmem.settings.tables import Settings
from mdmem.text.pattern import pattern

# Between clauses: marks, a dash, what joins two sentences, so that «…, and please don't tell anyone» is one, and the
# place before 这事, which stands for what precedes it
_CLAUSES = pattern(
    r"(?i)[，,。；;！!？?：:、（()）「」“”\"｜\n.]+|\s[-–—]+\s|—+|\s+(?:and|but|so|though|because)\s+"
    r"|(?<=[\u3400-\u9fff])(?=(?:[这那]件?|此)事[儿情]?(?:可|先|千万)?(?:不能|不想|不要|别)让)"
)
# Behind it stands what is said in confidence
_THAT = pattern(
    r"(?i)\s+that\s+|\s+about\s+(?=(?:my|our)\b)|\s+(?=(?:i|we)(?:['’](?:m|ve|re|d|ll))?\s)|(?<=知道)(?=.)|(?<=[人谁])(?=我)"
)
_FIRST_CLAUSE = pattern(r"[，,；;:：]|\s[-–—]\s|—|\s+that\s+")
_REMARK = pattern(r"[^，,；;:：。.!！?？]*(?:[:：]|\s+that)\s*\S")  # a sentence that announces what it says


def says_now(settings: Settings, text: str) -> bool:
    """Return whether a turn of the user may say what is written at once: what to remember, a rule, a correction.

    A session that has said so may ask to keep it quiet with the next turn.
    """
    own = settings.extract
    said = (own.said_now, own.remember, own.standing, own.withdrawals, own.mistakes)
    return any(any_of(words).may_match(text) for words in said) or confidences(settings.keeper).asks_silence(text)


class Confidences:
    """Knows the words of one workspace that ask for silence."""

    def __init__(self, settings: KeeperSettings) -> None:
        """Bind to the settings."""
        self._settings = settings

    def is_confidence(self, clause: str) -> bool:
        """Return whether a clause only asks for silence about something said: «Don't tell anyone.»"""
        clause = clause.replace("’", "'")
        if not self._asks(clause) or self._no.search(clause):
            return False
        left = self._words.sub(" ", self._asking.sub(" ", clause))
        return not any(map(str.isalnum, left))

    def asks_silence(self, text: str) -> bool:
        """Return whether one of the clauses of a text only asks for silence, or does before its «that»."""
        if not self.may_hold(text) or not self._asks(text.replace("’", "'")):
            return False
        if self._dropped.search(text):
            return False
        clauses = [clause for clause in _CLAUSES.split(text) if clause.strip()]
        return any(self.is_confidence(part) for clause in clauses for part in _heads(clause))

    def may_hold(self, text: str) -> bool:
        """Return False if a text holds none of the words; quick."""
        folded = text.replace("’", "'")
        return self._asking.may_match(folded) or self._rows.may_match(folded)

    def is_ahead(self, sentence: str) -> bool:
        """Return whether a sentence that asks for silence is about what comes behind it."""
        return self._ahead.search(sentence.replace("’", "'")) is not None

    def is_of_all(self, sentence: str) -> bool:
        """Return whether a sentence that asks for silence is about all that its turn says."""
        return self._all.search(sentence.replace("’", "'")) is not None

    def _asks(self, text: str) -> bool:
        return self._asking.search(text) is not None or self._rows.search(text) is not None

    @cached_property
    def _rows(self) -> SequencePattern:
        return SequencePattern(self._settings.confidence_rows)

    @cached_property
    def _words(self) -> PhrasePattern:
        """Matches what a clause that only asks for silence may hold: fillers, and words of the rows."""
        return any_of((*self._settings.confidence_fillers, *self._rows.words))

    @cached_property
    def _no(self) -> PhrasePattern:
        return any_of(self._settings.no_confidences)

    @cached_property
    def _dropped(self) -> PhrasePattern:
        return any_of(self._settings.confidences_dropped)

    @cached_property
    def _ahead(self) -> PhrasePattern:
        return any_of(self._settings.confidences_ahead)

    @cached_property
    def _all(self) -> PhrasePattern:
        return any_of(self._settings.confidences_all)

    @cached_property
    def _asking(self) -> PhrasePattern:
        return any_of(self._settings.confidences)


def _heads(clause: str) -> tuple[str, ...]:
    """Return a clause, and what it says before its «that», «about my» or its own subject."""
    found = next((match for match in _THAT.finditer(clause) if match.start()), None)
    return (clause, clause[: found.start()]) if found else (clause,)


@lru_cache(maxsize=4)
def confidences(settings: KeeperSettings) -> Confidences:
    """Return the compiled words of some settings."""
    return Confidences(settings)


def public_turns(turns: Sequence[Turn], splitter: Splitter, words: Confidences) -> tuple[Turn, ...]:
    """Return turns without what the user asked to keep quiet, the asking, and the answers to it.

    «I am leaving. Don't tell anyone.» is about the sentence before; «Between us: …» is about itself; where a turn
    begins with the asking, the sentence behind it is private, and so is the last one that the user said before.
    """
    found = list(turns)
    before: int | None = None
    quiet: set[int] = set()  # rounds
    for at, turn in enumerate(turns):
        if turn.role != "user" or not turn.text.strip():
            continue
        said = splitter.split(turn.text) if words.may_hold(turn.text) else ()
        if any(map(words.asks_silence, said)):
            private, reaches_back = _private(said, words)
            found[at] = replace(turn, text=_without(turn.text, said, private))
            quiet.add(turn.number)
            if reaches_back and before is not None:
                earlier = splitter.split(found[before].text)
                text = _without(found[before].text, earlier, {len(earlier) - 1})
                found[before] = replace(found[before], text=text)
                quiet.add(found[before].number)
        before = at
    return tuple(replace(one, text="") if one.role != "user" and one.number in quiet else one for one in found)


def without_private(text: str, splitter: Splitter, words: Confidences) -> str:
    """Return a text of the user without what it asks to keep quiet, and without the asking."""
    said = splitter.split(text)
    if not any(map(words.asks_silence, said)):
        return text
    return _without(text, said, _private(said, words)[0])


def _private(said: Sequence[str], words: Confidences) -> tuple[set[int], bool]:
    """Return which sentences of a turn are private, and whether the one before the turn is, too."""
    asking = {at for at, text in enumerate(said) if words.asks_silence(text)}
    private = set(asking)
    for at in asking:
        if words.is_of_all(said[at]):
            private.update(range(len(said)))
        if not words.is_confidence(said[at]) and (
            _REMARK.match(said[at]) or not words.is_confidence(_FIRST_CLAUSE.split(said[at], maxsplit=1)[0])
        ):
            continue  # it says itself what is private
        is_behind = at == 0 or words.is_ahead(said[at])
        private.add(min(at + 1, len(said) - 1) if is_behind else at - 1)
    is_first = 0 in asking and words.is_confidence(said[0])
    return private, is_first


def _without(text: str, said: Sequence[str], private: set[int]) -> str:
    """Return a text without the sentences of these numbers; `said` are all its sentences, in order."""
    kept, start = "", 0
    for at, sentence in enumerate(said):
        found = text.find(sentence, start)
        end = found + len(sentence)
        kept += text[start:found] if at in private else text[start:end]
        start = end
    return kept + text[start:]


def public_head(session: Session, splitter: Splitter, words: Confidences) -> Session:
    """Return a session without what its task and its request say in confidence."""
    task, request = (without_private(text, splitter, words) for text in (session.task, session.request))
    if (task, request) == (session.task, session.request):
        return session
    return replace(session, task=task, request=request)
