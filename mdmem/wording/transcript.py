"""Split a conversation into sentences, and find the rules among them.

Only turns of user and assistant count (G038). Code, tables and quoted text are not speech. The user's rules and
corrections are returned word for word. A sentence that only says a masked secret is no story, and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.linter.masking import MARK
from mdmem.text.entry import bare
from mdmem.text.inline import is_dense, mask_code, one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, tokens
from mdmem.text.spans import LINE_END
from mdmem.wording.importance import ImportanceScorer

SPEAKERS = ("user", "assistant")
_FENCE = pattern(r"[ \t]*(?:`{3,}|~{3,})")
_MARKS = pattern(r"[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+\[[ xX]\][ \t]+)")
_NO_SPEECH = pattern(r"[ \t]*(?:\||<!--|[-*_=]{3,}[ \t]*\Z)")
_QUESTION = pattern(r"[?？][”」』）)\"']*\Z|[吗么嘛][。\s]*\Z")


class Sentence(NamedTuple):
    """One sentence of a conversation, on one line."""

    text: str
    role: str
    number: int  # of its round
    is_speech: bool = True  # False for a line that represents a turn without speech

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return _QUESTION.search(self.text) is not None


def counted_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return the turns of user and assistant that have a text."""
    return tuple(turn for turn in turns if turn.role in SPEAKERS and turn.text.strip())


def sentences(turns: Iterable[Turn], splitter: Splitter) -> tuple[Sentence, ...]:
    """Return the sentences of a conversation."""
    return tuple(one for turn in counted_turns(turns) for one in _sentences(turn, splitter))


def stated_rules(
    sentences: Iterable[Sentence], scorer: ImportanceScorer, unfit: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the rules and corrections of the user, word for word, each once; texts that are unfit are omitted."""
    found = {comparison_key(one.text): one.text for one in sentences if one.role == "user" and is_rule(one, scorer)}
    return tuple(text for text in found.values() if not unfit(text))


def is_rule(sentence: Sentence, scorer: ImportanceScorer) -> bool:
    """Return whether a sentence states a rule; a question does so only if it is a request."""
    return (
        sentence.is_speech and scorer.is_kept(sentence.text) and (not sentence.asks or scorer.is_request(sentence.text))
    )


def transcript(turns: Iterable[Turn]) -> str:
    """Return a conversation as a prompt shows it: a heading line for each turn, and its text below."""
    return "\n\n".join(f"#{one.number} {one.speaker or one.role} {one.time}".rstrip() + f"\n{one.text.strip()}"
                       for one in counted_turns(turns))  # fmt: skip


def chunks(text: str, most: int) -> tuple[str, ...]:
    """Split a text into pieces of at most so many characters, preferably at white space or punctuation."""
    found, text = [], text.strip()
    while len(text) > most:
        at = next((i for i in range(most, most // 2, -1) if text[i - 1] in " ，,、；;：:"), most)
        found.append(text[:at].strip())
        text = text[at:].strip()
    return (*found, text) if text else tuple(found)


def _sentences(turn: Turn, splitter: Splitter) -> tuple[Sentence, ...]:
    """Return the sentences of a turn; its first line if the turn has no speech."""
    found = tuple(one for line in _speech(turn.text) for one in splitter.split(line) if any(map(str.isalnum, one)))
    lines = (one_line(line) for line in LINE_END.split(turn.text) if not _FENCE.match(line))
    first = tuple(line for line in lines if line)[:1]
    return tuple(
        Sentence(text, turn.role, turn.number, is_speech=bool(found))
        for text in filter(None, map(_without_open_code, found or first))
        if not _is_only_secret(text, splitter.masked_words)
    )


def _without_open_code(text: str) -> str:
    """Return a text without backticks that close no code; joined with another text, they would make code of it."""
    if "`" not in text:
        return text
    kept = (" " if masked == "`" else char for char, masked in zip(text, mask_code(text), strict=True))
    return " ".join("".join(kept).split())


def _is_only_secret(text: str, most: int) -> bool:
    """Return whether a sentence says nothing but a masked secret; two characters without spaces count as a word."""
    if not MARK.search(text):
        return False
    words = tokens(MARK.sub(" ", text))
    dense = sum(is_dense(word[0]) for word in words)
    return len(words) - dense + dense // 2 <= most


def _speech(text: str) -> Iterator[str]:
    """Yield the lines of a turn that are speech, without Markdown markers."""
    fence = ""
    for line in LINE_END.split(text):
        mark = _FENCE.match(line)
        if mark:
            now = mark.group().strip()
            fence = "" if fence and now.startswith(fence) else fence or now
            continue
        if fence or _NO_SPEECH.match(line):
            continue
        speech = bare(line[mark.end() if (mark := _MARKS.match(line)) else 0 :].strip())
        if speech:
            yield one_line(speech)
