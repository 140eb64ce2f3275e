"""The types of extraction: what was found in some rounds, and what was left out."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from mdmem.extraction.said_days import Tense
from mdmem.facts.model import Effect
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn, rounds
from mdmem.messages.catalog import say
from mdmem.settings.keeper_tables import ExtractSettings
from mdmem.text.similarity import comparison_key
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.script import ScriptedText

FactType: TypeAlias = Literal["fact", "preference", "rule", "skill", "error", "persona_trait"]
# Why a sentence or a statement is not kept.
Reason: TypeAlias = Literal[
    "question", "request", "small-talk", "transient", "doubtful", "plain", "vague", "unimportant", "too-long",
    "too-many", "malformed", "unfit", "forgotten", "refused", "deleted",
]  # fmt: skip

_NO_SUBJECT = frozenset('/\\:*?"<>|#^[]')
_SUBJECT_CHARS = 40


class FactCandidate(NamedTuple):
    """A statement that may become a fact."""

    type: FactType
    subject: str
    predicate: str
    text: str  # one line
    importance: float
    number: int  # the round that says it
    last: int = 0  # the last round, if several say it together; 0 for one
    value: str = ""  # what is said of the predicate, if a pattern tells
    old: str = ""  # the value that it replaces, if it is named
    effect: Effect = ""
    is_update: bool = False
    also: bool = False  # holds beside other statements of its predicate
    permanent: bool = False
    unsure: bool = False  # not proved by the source: a person must look at it
    by_user: bool = False  # the user said it, in these words
    by_model: bool = False  # a model states it, and no rule found it
    claims: tuple[str, ...] = ()  # words of what it takes back, or denies
    denied: tuple[str, ...] = ()  # the same of the whole sentence that corrects a part
    is_said: bool = False  # it says so, and does not only deny it
    is_deed: bool = False  # it only says that something is not done any more
    leaves: tuple[str, ...] = ()  # properties that it does not end, for it tells what happened to a thing
    is_whole: bool = False  # what it takes back may be what it states anew
    tense: Tense = ""  # of what happens at a time that it names

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two statements the same."""
        return self.subject, self.predicate, comparison_key(self.text)

    def in_script(self, script: ScriptedText) -> FactCandidate:
        """Return the statement in the characters of the text that it was read from; predicates are simplified."""
        subject, text, value, old = map(script.restored, (self.subject, self.text, self.value, self.old))
        claims, denied = (tuple(map(script.restored, some)) for some in (self.claims, self.denied))
        return self._replace(
            subject=subject, text=text, value=value, old=old, claims=claims, denied=denied,
        )  # fmt: skip


class Extraction(NamedTuple):
    """What was found in some rounds."""

    items: tuple[FactCandidate, ...]
    dropped: Counter[Reason]
    withdrawals: tuple[FactCandidate, ...] = ()  # sentences that take something back, and say nothing else


class ExtractionTask(NamedTuple):
    """All that an extraction needs to know; nothing here reads a file or a clock."""

    path: str
    turns: tuple[Turn, ...]  # of the rounds that wait, without secrets
    settings: ExtractSettings
    weigher: ImportanceScorer
    splitter: Splitter
    unfit: Callable[[str], Reason | None] = lambda _: None  # why a text may not be written, if it may not
    lang: str = "zh"
    rows: Sequence[str] = ()  # the patterns
    lists: Sequence[str] = ()  # and the words of their slots
    known: Sequence[str] = ()  # the facts that a prompt shows
    before: str = ""  # what the user said before these rounds

    @property
    def rounds(self) -> tuple[tuple[Turn, ...], ...]:
        """The turns by round."""
        return rounds(self.turns)

    @property
    def first(self) -> int:
        """The first round."""
        return self.turns[0].number

    @property
    def last(self) -> int:
        """The last round."""
        return self.turns[-1].number

    def word(self, key: str) -> str:
        """Return what a subject or a predicate that no pattern names is called in the language of the workspace."""
        return say(self.lang, f"extract.word-{key}")


def unique(items: Iterable[FactCandidate]) -> tuple[FactCandidate, ...]:
    """Return statements without those that are said again later in the same words; the newest one stays."""
    found: dict[tuple[str, str, str], FactCandidate] = {}
    for one in items:
        found.pop(one.key, None)
        found[one.key] = one
    return tuple(found.values())


def is_subject(subject: str) -> bool:
    """Return whether a subject can be the name of a file on every system; an empty one is the user."""
    signs = set(unicodedata.normalize("NFKC", subject))  # a full-width colon counts as a colon
    return len(subject) <= _SUBJECT_CHARS and not signs & _NO_SUBJECT and not subject.startswith(".") and (
        not subject or subject.isprintable())  # fmt: skip
