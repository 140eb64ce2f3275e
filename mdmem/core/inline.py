"""What stands inside a paragraph and is no plain text: code spans, and comments that a renderer hides.

Whichever begins first wins, as in CommonMark: a comment may hold a lone backtick, and a backtick that is escaped or
stands in a tag opens no code. Both readings are linear, whatever the runs of backticks or the open comments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from mdmem.core.pattern import pattern
from mdmem.core.text import Span

_TICKS = pattern(r"`+")
_SPECIAL = pattern(r"\\[\\`<]|`+|<!--|<[A-Za-z/][^<>]*>")


def mask_code(text: str) -> str:
    """Blank out code spans, keeping every offset."""
    return mask(text, (span for is_code, span in specials(text) if is_code), " ") if "`" in text else text


def mask(text: str, spans: Iterable[Span], fill: str) -> str:
    """Write a character over spans, keeping every offset."""
    done = 0
    pieces: list[str] = []
    for span in spans:
        pieces += (text[done : span.start], fill * (span.end - span.start))
        done = span.end
    return "".join(pieces) + text[done:] if pieces else text


def comments(text: str) -> list[Span]:
    """Find the comments of a paragraph; one that is not closed is text there."""
    return [span for is_code, span in specials(text) if not is_code] if "<!--" in text else []


def html_comments(text: str) -> list[Span]:
    """Find the comments of an HTML block, where backticks mean nothing; an open one hides all that follows."""
    found, at = [], text.find("<!--")
    while at >= 0:
        end = _comment_end(text, at)
        found.append(Span(at, end if end >= 0 else len(text)))
        at = text.find("<!--", end) if end >= 0 else -1
    return found


def _comment_end(text: str, start: int) -> int:
    for short in ("<!-->", "<!--->"):
        if text.startswith(short, start):
            return start + len(short)
    end = text.find("-->", start + 4)
    return end + 3 if end >= 0 else -1


def specials(text: str) -> Iterator[tuple[bool, Span]]:
    """Give code spans (True) and comments (False) in order."""
    closers = _runs(text) if "`" in text else {}
    at, closes = 0, True
    while match := _SPECIAL.search(text, at):
        at, special = match.end(), match.group()
        if special[0] == "`":
            places = closers.get(len(special), [])
            place = bisect_right(places, match.start())
            if place < len(places):
                at = places[place] + len(special)
                yield True, Span(match.start(), at)
        elif special == "<!--" and closes:
            end = _comment_end(text, match.start())
            closes = end >= 0  # where one finds no end, no later one will
            if closes:
                at = end
                yield False, Span(match.start(), end)


def _runs(text: str) -> dict[int, list[int]]:
    """Give the starts of the runs of backticks by their length."""
    runs: dict[int, list[int]] = {}
    for match in _TICKS.finditer(text):
        runs.setdefault(match.end() - match.start(), []).append(match.start())
    return runs
