"""What stands inside a paragraph and is no plain text: code spans, and comments that a renderer hides.

Whichever begins first wins, as in CommonMark: a comment may hold a lone backtick, and a backtick that is escaped or
stands in a tag opens no code. Both readings are linear, whatever the runs of backticks or the open comments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache

from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END, Span

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


BREAK = pattern(r"(?<![ \t])[ \t]*(\r\n|\r|\n)[ \t]*")


def join(text: str, span: Span) -> Iterator[Edit]:
    """Join the lines of a span into one."""
    for match in BREAK.finditer(text, span.start, span.end):
        yield Edit(Span(*match.span()), joint_at(text, *match.span()))


def one_line(text: str) -> str:
    """Give a text as one line, blank lines and the white space at both ends of each line left out."""
    pieces: list[str] = []
    for line in filter(None, map(str.strip, LINE_END.split(text))):
        pieces += (joint(pieces[-1][-1], line[0]), line) if pieces else (line,)
    return "".join(pieces)


def joint_at(text: str, start: int, end: int) -> str:
    """Choose what joins two lines by the characters around the break between two offsets."""
    return joint(text[start - 1 : start], text[end : end + 1])


def joint(before: str, after: str) -> str:
    """Choose what joins two lines by the characters at their ends."""
    return "" if _spaceless(before) and _spaceless(after) else " "


def _spaceless(char: str) -> bool:
    return "\u2e80" <= char < "\uac00" or "\uf900" <= char < "\ufb00" or "\uff00" <= char < "\uffa0"


# scripts whose words no spaces part: Han, kana, Hangul, bopomofo, Thai, Lao, Burmese, Khmer
DENSE = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
_DENSE = pattern(rf"[{DENSE}]")


@cache
def is_dense(char: str) -> bool:
    """Tell whether a character is of a script whose words no spaces part."""
    return _DENSE.match(char) is not None
