"""Know what a user said in confidence: it stays in the session, and nothing is made of it.

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
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.settings.tables import Settings
from mdmem.text.pattern import pattern

_CLAUSE = pattern(r"[^，,。；;！!？?：:、（()）「」“”\"｜\n]+")
_THAT = pattern(r"(?i)\s+that\s+|(?<=知道)(?=.)")  # behind it stands what is said in confidence
_FIRST_CLAUSE = pattern(r"[，,；;:：]|\s[-–—]\s|——|\s+that\s+")
_REMARK = pattern(r"[^，,；;:：。.!！?？]*(?:[:：]|\s+that)\s*\S")  # a sentence that announces what it says


def says_now(settings: Settings, text: str) -> bool:
    """Return whether a turn of the user may say what is written at once: what to remember, a rule, a correction.

    A session that has said so may ask to keep it quiet with the next turn.
    """
    own = settings.extract
    said = (own.said_now, own.remember, own.standing, own.withdrawals, own.mistakes, settings.keeper.confidences)
    return any(any_of(words).may_match(text) for words in said)


class Confidences:
    """Knows the words of one workspace that ask for silence."""

    def __init__(self, settings: KeeperSettings) -> None:
        """Bind to the settings."""
        self._settings = settings

    def is_confidence(self, clause: str) -> bool:
        """Return whether a clause only asks for silence about something said: «Don't tell anyone.»"""
        clause = clause.replace("’", "'")
        if not self._asking.search(clause):
            return False
        return not any(map(str.isalnum, self._fillers.sub(" ", self._asking.sub(" ", clause))))

    def asks_silence(self, text: str) -> bool:
        """Return whether one of the clauses of a text only asks for silence, or does before its «that»."""
        if not self._asking.search(text.replace("’", "'")):
            return False
        clauses = (match.group() for match in _CLAUSE.finditer(text))
        return any(self.is_confidence(_THAT.split(clause, maxsplit=1)[0]) for clause in clauses)

    def may_hold(self, text: str) -> bool:
        """Return False if a text holds none of the words; quick."""
        return self._asking.may_match(text.replace("’", "'"))

    @cached_property
    def _asking(self) -> PhrasePattern:
        return any_of(self._settings.confidences)

    @cached_property
    def _fillers(self) -> PhrasePattern:
        return any_of(self._settings.confidence_fillers)


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
        said = splitter.split(turn.text)
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
        if not words.is_confidence(_FIRST_CLAUSE.split(said[at], maxsplit=1)[0]) or _REMARK.match(said[at]):
            continue  # it says itself what is private
        private.add(at - 1 if at else min(1, len(said) - 1))
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
