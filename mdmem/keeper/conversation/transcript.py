"""Read a conversation sentence by sentence, and find the rules among the sentences.

Only what user and assistant said counts (G038). Of the user's sentences those that state a rule or correct something
are kept word for word; code, tables and quoted text are not speech.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.keeper.condensing.importance import ImportanceScorer
from mdmem.text.entry import bare
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import LINE_END

SPEAKERS = ("user", "assistant")
_FENCE = pattern(r"[ \t]*(?:`{3,}|~{3,})")
_MARKS = pattern(r"[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+\[[ xX]\][ \t]+)")
_NO_SPEECH = pattern(r"[ \t]*(?:\||<!--|[-*_=]{3,}[ \t]*\Z)")
_QUESTION = pattern(r"[?？][”」』）)\"']*\Z|[吗么嘛][。\s]*\Z")


class Sentence(NamedTuple):
    """One sentence of a conversation, as one line."""

    text: str
    role: str
    number: int  # of its round
    spoken: bool = True  # False for what stands for a turn without speech

    @property
    def asks(self) -> bool:
        """Return whether it is a question."""
        return _QUESTION.search(self.text) is not None


def counted_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return the turns that count: what user and assistant said."""
    return tuple(turn for turn in turns if turn.role in SPEAKERS and turn.text.strip())


def said(turns: Iterable[Turn], splitter: Splitter) -> tuple[Sentence, ...]:
    """Return what was said, sentence by sentence."""
    return tuple(one for turn in counted_turns(turns) for one in _sentences(turn, splitter))


def stated_rules(
    sentences: Iterable[Sentence], weigher: ImportanceScorer, unfit: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the rules and corrections of the user, word for word, each once; what may not be written is left out."""
    found = {comparison_key(one.text): one.text for one in sentences if one.role == "user" and is_rule(one, weigher)}
    return tuple(text for text in found.values() if not unfit(text))


def is_rule(one: Sentence, weigher: ImportanceScorer) -> bool:
    """Return whether a sentence lays down a rule; a question does so only where it asks for something to be done."""
    return one.spoken and weigher.is_said_rule(one.text) and (not one.asks or weigher.is_request(one.text))


def transcript(turns: Iterable[Turn]) -> str:
    """Write a conversation as a prompt shows it: a line for each turn's head, its text below."""
    return "\n\n".join(f"#{one.number} {one.speaker or one.role} {one.time}".rstrip() + f"\n{one.text.strip()}"
                       for one in counted_turns(turns))  # fmt: skip


def chunks(text: str, most: int) -> tuple[str, ...]:
    """Cut a text into pieces of so many characters at most, without losing one; at white space or a comma if it can."""
    found = []
    while len(text) > most:
        at = next((i for i in range(most, most // 2, -1) if text[i - 1] in " ，,、；;：:"), most)
        found.append(text[:at].strip())
        text = text[at:].strip()
    return (*found, text) if text else tuple(found)


def _sentences(turn: Turn, splitter: Splitter) -> tuple[Sentence, ...]:
    """Split a turn; one without speech is represented by its first line."""
    found = tuple(one for line in _speech(turn.text) for one in splitter.split(line) if any(map(str.isalnum, one)))
    lines = (one_line(line) for line in LINE_END.split(turn.text) if not _FENCE.match(line))
    first = tuple(line for line in lines if line)[:1]
    return tuple(Sentence(text, turn.role, turn.number, spoken=bool(found)) for text in found or first)


def _speech(text: str) -> Iterator[str]:
    """Return the lines of a turn that are speech, without Markdown's marks."""
    fence = ""
    for line in LINE_END.split(text):
        mark = _FENCE.match(line)
        if mark:
            now = mark.group().strip()
            fence = "" if fence and now.startswith(fence) else fence or now
            continue
        if fence or _NO_SPEECH.match(line):
            continue
        spoken = bare(line[mark.end() if (mark := _MARKS.match(line)) else 0 :].strip())
        if spoken:
            yield one_line(spoken)
