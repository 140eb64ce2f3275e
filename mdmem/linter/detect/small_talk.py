"""What is no memory although it is well written: small talk, diary lines, and transcripts of conversations.

The words are data: `[lint] small_talk`, `fillers`, `speakers` and `diary…` in mdmem.toml.
"""

from __future__ import annotations

from functools import lru_cache

from mdmem.settings.phrases import any_of
from mdmem.settings.tables import LintSettings
from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern

_COLON = pattern(r"[ \t]{0,3}[*_]{0,2}[:：]")
_BETWEEN = pattern(r"[^\w' ]|_")  # what divides the clauses
_LETTER = pattern(r"[^\W_]")
_SPACE = " "
_PAST = pattern(r"(?i)\b[a-z]{2,}ed\b")
_LONGEST_DIARY = 200  # characters of a line about a conversation
_LONGEST = 80  # characters of a text that is looked at; small talk is short
_AROUND = 80  # more than a marker, a date and an id have beside it; fields begin with a bracket


class SmallTalk:
    """Recognizes small talk by its words.

    Args:
        words: words of small talk, of which one must be there.
        fillers: words that may stand beside them.
    """

    def __init__(self, words: tuple[str, ...], fillers: tuple[str, ...]) -> None:
        self._known = dict.fromkeys(map(str.casefold, fillers), False) | dict.fromkeys(map(str.casefold, words), True)
        self._longest = max(map(len, self._known), default=0)
        self._heads = {_head(word, first.start()) for word in self._known if (first := _LETTER.search(word))}

    def holds(self, text: str, longest: int = _LONGEST) -> bool:
        """Return True if an entry of at most so many characters, without its date and fields, is small talk alone."""
        if len(text) > longest + _AROUND and "[" not in text:
            return False
        body = read_entry(text).body.of(text)
        if len(body) > longest or not self._may_begin(folded := _folded(body)):
            return False
        found = False
        for run in _runs(folded):
            consumed = self._consumed(run)
            if consumed is None:
                return False
            found = found or consumed
        return found and not any(char.isdigit() for char in body)

    def _may_begin(self, folded: str) -> bool:
        """Return False if the first letters are not those of a known word, as in most entries."""
        if (first := _LETTER.search(folded)) is None:
            return False
        head = _head(folded, first.start())
        return head in self._heads or (head[0] in self._heads and not head[0].isascii())

    def _consumed(self, run: str) -> bool | None:
        """Return whether a clause made of known words holds one of small talk; None if it holds another word."""
        words, longest = self._known, self._longest
        reached: dict[int, bool] = {0: False}  # offset → whether a word of small talk stands before it
        furthest = 0
        for at in range(len(run)):
            if at > furthest:
                return None
            if at not in reached:
                continue
            if run[at] == _SPACE:
                reached[at + 1] = reached.get(at + 1, False) or reached[at]
                furthest = max(furthest, at + 1)
                continue
            for end in range(at + 1, min(at + longest, len(run)) + 1):
                word = run[at:end]
                if word in words and _bounded(run, at, end):
                    reached[end] = reached.get(end, False) or reached[at] or words[word]
                    furthest = max(furthest, end)
        return reached.get(len(run))


small_talk = lru_cache(maxsize=8)(SmallTalk)


def is_diary(text: str, settings: LintSettings) -> bool:
    """Return True if a text only tells that people talked, or what was done one thing after the other (P045).

    What came of it makes a memory: a decision, a reason or a rule. Steps that are to be taken are a method.
    """
    beside = (*settings.fillers, *settings.small_talk, *settings.diary_fillers)
    if small_talk(settings.diary, beside).holds(text, _LONGEST_DIARY):
        return True
    steps = any_of(settings.diary_steps)
    if not steps.may_match(text) or sum(1 for _ in steps.finditer(text)) < settings.diary_least:
        return False
    past = sum(1 for _ in any_of(settings.diary_past).finditer(text)) + len(_PAST.findall(text))
    return past >= settings.diary_least and any_of(settings.diary_ends).search(text) is None


def is_small_talk(text: str, words: tuple[str, ...], fillers: tuple[str, ...]) -> bool:
    """Return True if an entry consists of small talk: without a name, a number, and anything else."""
    return small_talk(words, fillers).holds(text)


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'")


def _head(text: str, start: int) -> str:
    """Return the first two letters of a word at an offset; of a word of one letter, also before Chinese, that one."""
    head = text[start : start + 2]
    return head if head.isalnum() and head[0].isascii() == head.isascii() else head[:1]


def _runs(folded: str) -> list[str]:
    """Return the clauses of a folded text, with one space between Latin words."""
    return [" ".join(clause.split()) for clause in _BETWEEN.split(folded) if clause.strip(" '")]


def _bounded(run: str, start: int, end: int) -> bool:
    """Return True if a Latin word begins and ends here; Chinese words need no boundary."""
    before, after = run[start - 1 : start] if start else "", run[end : end + 1]
    return not (before.isascii() and before.isalnum() and run[start].isascii()) and not (
        after.isascii() and after.isalnum() and run[end - 1].isascii()
    )


def speaker_labels(text: str, speakers: tuple[str, ...], most: int = 2) -> list[int]:
    """Return the offsets of speaker labels, such as `用户：` or `user:`, at the start of a sentence; at most `most`."""
    names = _names(speakers)
    found: list[int] = []
    for match in _COLON.finditer(text):
        begin = match.start()
        while begin and (text[begin - 1].isalnum() or text[begin - 1] in "_-*") and match.start() - begin < _LONGEST:
            begin -= 1
        if text[begin : match.start()].strip("*_").casefold() in names and (text[begin] == "*" or _starts(text, begin)):
            found.append(begin)
            if len(found) == most:
                break
    return found


@lru_cache(maxsize=8)
def _names(speakers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(str.casefold, speakers))


def _starts(text: str, at: int) -> bool:
    """Return True at the start of a text, a line or a sentence; emphasis and quotation marks may stand before."""
    before = text[:at].rstrip("*_\"'“”「」 \t") if at else ""
    return not before or before[-1] in "\n。！？.!?；;|/…：:)）]】"
