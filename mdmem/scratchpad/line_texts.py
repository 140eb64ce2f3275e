"""Cut, join and choose the texts of generated lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mdmem.entries.edits.generated import GeneratedLine
from mdmem.formats.sentences import Splitter
from mdmem.text.similarity import comparison_key

_FULL_STOPS = "。！？；"


def shortened(text: str, most: int, splitter: Splitter) -> str:
    """Return as many whole sentences of a text as fit; a first sentence that is too long is cut with an ellipsis."""
    kept = ""
    for sentence in splitter.split(text) if len(text) > most else (text,):
        joint = " " if kept and kept[-1].isascii() else ""
        if kept and len(kept) + len(joint) + len(sentence) > most:
            break
        kept += joint + sentence
    return kept if len(kept) <= most else f"{kept[: most - 1].rstrip()}…"


def joined_sentences(texts: Iterable[str]) -> str:
    """Return sentences as one line; where no mark ends one, a space does."""
    line = ""
    for text in texts:
        line += (" " if line and line[-1] not in _FULL_STOPS else "") + text
    return line


def last_lines(lines: Iterator[GeneratedLine], most: int) -> tuple[GeneratedLine, ...]:
    """Return the last of the lines; of lines that say the same, the last one counts."""
    found = tuple(unique_lines(reversed(tuple(lines))))[:most]
    return tuple(reversed(found))


def unique_lines(lines: Iterator[GeneratedLine] | Sequence[GeneratedLine]) -> Iterator[GeneratedLine]:
    """Yield the first of the lines that say the same."""
    known: set[str] = set()
    for one in lines:
        key = comparison_key(one.text)
        if key and key not in known:
            known.add(key)
            yield one
