"""Parses inline code spans and HTML comments; joins lines.

The one that begins first takes precedence, as in CommonMark: a comment may contain a single backtick, and a backtick
that is escaped or inside a tag opens no code. The time is linear for any backticks and unclosed comments.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache

from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END, Span

_TICKS = pattern(r"`+")
_SPECIAL = pattern(r"\\[\\`<]|`+|<!--|<[A-Za-z/][^<>]*>")


def mask_code(text: str) -> str:
    """Replace code spans by spaces; offsets stay valid."""
    return mask(text, (span for is_code, span in specials(text) if is_code), " ") if "`" in text else text


def mask(text: str, spans: Iterable[Span], fill: str) -> str:
    """Replace every character of the spans; offsets stay valid."""
    done = 0
    pieces: list[str] = []
    for span in spans:
        pieces += (text[done : span.start], fill * (span.end - span.start))
        done = span.end
    return "".join(pieces) + text[done:] if pieces else text


def comments(text: str) -> list[Span]:
    """Find the comments of a paragraph; an unclosed one is text."""
    return [span for is_code, span in specials(text) if not is_code] if "<!--" in text else []


def html_comments(text: str) -> list[Span]:
    """Find the comments of an HTML block, where backticks have no meaning; an unclosed one hides the rest."""
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
    """Yield code spans (True) and comments (False) in order."""
    closers = _runs(text) if "`" in text else {}
    at, closes = 0, True
    while match := _SPECIAL.search(text, at):
        at, special = match.end(), match.group()
        if special[0] == "`":
            starts = closers.get(len(special), [])
            index = bisect_right(starts, match.start())
            if index < len(starts):
                at = starts[index] + len(special)
                yield True, Span(match.start(), at)
        elif special == "<!--" and closes:
            end = _comment_end(text, match.start())
            closes = end >= 0  # if one has no end, no later one has
            if closes:
                at = end
                yield False, Span(match.start(), end)


def _runs(text: str) -> dict[int, list[int]]:
    """Return the offsets of runs of backticks by their length."""
    runs: dict[int, list[int]] = {}
    for match in _TICKS.finditer(text):
        runs.setdefault(match.end() - match.start(), []).append(match.start())
    return runs


BREAK = pattern(r"(?<![ \t])[ \t]*(\r\n|\r|\n)[ \t]*")


def join(text: str, span: Span) -> Iterator[Edit]:
    """Yield the edits that join the lines of a span into one."""
    for match in BREAK.finditer(text, span.start, span.end):
        yield Edit(Span(*match.span()), joint_at(text, *match.span()))


def one_line(text: str) -> str:
    """Return a text as one line, without blank lines and without white space at both ends of each line."""
    if "\n" not in text and "\r" not in text:
        return text.strip()
    pieces: list[str] = []
    for line in filter(None, map(str.strip, LINE_END.split(text))):
        pieces += (joint(pieces[-1][-1], line[0]), line) if pieces else (line,)
    return "".join(pieces)


def joint_at(text: str, start: int, end: int) -> str:
    """Return the text that joins two lines, by the characters around the line break between two offsets."""
    return joint(text[start - 1 : start], text[end : end + 1])


def joint(before: str, after: str) -> str:
    """Return the text that joins two lines, by the characters at their ends."""
    return "" if _spaceless(before) and _spaceless(after) else " "


def _spaceless(char: str) -> bool:
    return "\u2e80" <= char < "\uac00" or "\uf900" <= char < "\ufb00" or "\uff00" <= char < "\uffa0"


def has_chinese(text: str) -> bool:
    """Return whether a text has a Chinese character; a pattern for that would take two milliseconds to compile."""
    return not text.isascii() and any("\u3400" <= char <= "\u9fff" for char in text)


# scripts without spaces between words, in order: Thai, Lao, Burmese, Khmer, Han, kana, bopomofo, Hangul
_DENSE_RANGES = (
    ("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u3005", "\u3007"), ("\u3040", "\u312f"),
    ("\u31f0", "\u31ff"), ("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uac00", "\ud7a3"),
    ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"),
)  # fmt: skip
# All other characters, for a class of a pattern. `[^…]` of them compiles six times faster than `[…]` of the dense ones.
_AFTER = ["\0", *(chr(ord(last) + 1) for _, last in _DENSE_RANGES)]
_BEFORE = [*(chr(ord(first) - 1) for first, _ in _DENSE_RANGES), chr(sys.maxunicode)]
NOT_DENSE = "".join(f"{first}-{last}" for first, last in zip(_AFTER, _BEFORE, strict=True))


@cache
def is_dense(char: str) -> bool:
    """Return whether a character is of a script without spaces between words."""
    return any(first <= char <= last for first, last in _DENSE_RANGES)


_RESIDUE = pattern(r"[ \t]*-{2,}>[ \t]*")


def without_residue(text: str) -> str:
    """Return a text without stray ends of comments; between words they become `→`. Code does not change."""
    if "-->" not in text or text.startswith(("```", "~~~")):
        return text
    code = mask_code(text)
    out, at = "", 0
    for match in _RESIDUE.finditer(code):
        begin, end = match.span()
        before = code[:begin].rpartition("\n")[2].strip(" \t-*+>")
        after = code[end:].partition("\n")[0].strip()
        out += text[at:begin] + (" → " if before and after else "")
        at = end
    return out + text[at:]
