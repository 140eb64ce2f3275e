"""MM105: invisible characters, except where a script or an emoji needs them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.views.hidden_characters import HIDDEN, by_line, cover, names, unneeded_hidden
from mdmem.text.edit import Edit, Severity
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_PRIVATE = pattern("[\ue000-\uf8ff\U000f0000-\U0010ffff]+")
_MARKS = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MARK, _STACKED = pattern(_MARKS), pattern(f"{_MARKS}{{4,}}")
_ZERO_WIDTH_SPACE = "\u200b"
_NEAR = 60  # characters of a word that are examined
_LATIN = "A-Za-z\u00c0-\u024f"
# text without blanks that reads as prose, before and after the character
_PROSE_BEFORE = pattern(rf"(?<!\S)[(\[\"'\u2018\u201c]*(?:[{_LATIN}'\u2019-]*[.,;:!?)\"'\u2019\u201d]*)\Z")
_PROSE_AFTER = pattern(rf"[(\"'\u2018\u201c]*[{_LATIN}'\u2019-]*[.,;:!?)\"'\u2019\u201d]*(?:(?!\S)|(?=\]\())")
_WORD_BEFORE = pattern(rf"(?<![^\s(\"'])[{_LATIN}]{{2,}}[.,;:!?)]?\Z")
_WORD_AFTER = pattern(rf"[{_LATIN}]{{2,}}")
_LETTER = pattern(r"[!-~\u00c0-\u024f]")
_EMOJI_FORM, _EMOJI_JOINER = "\ufe0f", "\u200d"  # are left over where an emoji was deleted or copied in part
_MOST_LEFT_OVER = 4  # of one character; more, or different ones, may carry text
_SOFT_HYPHEN = "\u00ad"  # comes with text from web pages and books, and hides no text


def check(subject: Subject) -> Iterator[Finding]:
    """Find invisible characters, grouped by line."""
    text = subject.document.text
    yield from _unusual(subject)
    if not HIDDEN.search(subject.uncommon):
        return
    for _, spans in by_line(subject.document.lines, unneeded_hidden(text)):
        hidden = "".join(span.of(text) for span in spans)
        facts = {"count": len(hidden), "chars": names(hidden)}
        severity: Severity | None = "warning" if set(hidden) == {_SOFT_HYPHEN} else None
        if set(hidden) == {_ZERO_WIDTH_SPACE} and (
            _is_clipping(text, spans) or (subject.template is None and _is_apart(text, spans))
        ):
            severity = "note"
        if len(hidden) <= _MOST_LEFT_OVER and _is_left_over(text, hidden, spans):
            severity = "note"
        yield Finding(cover(spans), facts, tuple(_fix(text, span) for span in spans), severity, "hidden")


def _unusual(subject: Subject) -> Iterator[Finding]:
    """Find what programs show differently: characters of private use, and marks stacked on one letter."""
    text, lines = subject.document.text, subject.document.lines
    for variant, char, shape in (("private", _PRIVATE, _PRIVATE), ("stacked", _MARK, _STACKED)):
        if not char.search(subject.uncommon):
            continue
        for _, spans in by_line(lines, (Span(*match.span()) for match in shape.finditer(text))):
            characters = "".join(span.of(text) for span in spans)
            facts = {"count": len(characters), "chars": names(characters)}
            # icon fonts and the citations of chat programs use private characters, which hide nothing; nor do the marks
            # that a document shows
            is_note = variant == "private" or subject.template is None
            yield Finding(cover(spans), facts, severity="note" if is_note else "warning", variant=variant)


def _is_clipping(text: str, spans: list[Span]) -> bool:
    """Return True if zero-width spaces are where web pages leave them: in Latin prose, at most one in a word."""
    starts = {_PROSE_BEFORE.search(text, max(0, span.start - _NEAR), span.start) for span in spans}
    begins = [match.start() for match in starts if match]
    return (
        len(begins) == len(spans)
        and len(set(begins)) == len(spans)
        and all(_PROSE_AFTER.match(text, span.end, span.end + _NEAR) for span in spans)
    )


def _is_apart(text: str, spans: list[Span]) -> bool:
    """Return True if no letter or digit of a path, a command or a Latin word touches a zero-width space.

    Behind `@` or `#` it keeps a name from being called, as logs of changes do it.
    """
    return not any(
        _LETTER.search(text[max(0, span.start - 1) : span.end + 1])
        and text[span.start - 1 : span.start] not in ("@", "#")
        for span in spans
    )


def _is_left_over(text: str, hidden: str, spans: list[Span]) -> bool:
    """Return True for what is left of emoji: their form, or a joiner behind one that joins nothing."""
    if set(hidden) == {_EMOJI_FORM}:
        return not _splits_word(text, spans)
    return set(hidden) <= {_EMOJI_FORM, _EMOJI_JOINER} and all(
        unicodedata.category(text[span.start - 1 : span.start] or " ") == "So" for span in spans
    )


def _splits_word(text: str, spans: list[Span]) -> bool:
    """Return True if a hidden character is between two letters or digits, where it may hide a word from a search."""
    return any(
        text[span.start - 1 : span.start].isalnum() and text[span.end : span.end + 1].isalnum() for span in spans
    )


def _fix(text: str, span: Span) -> Edit:
    """Delete hidden characters; insert a blank if only a zero-width space separates two words."""
    separates = span.of(text) == _ZERO_WIDTH_SPACE
    if (
        separates
        and _WORD_BEFORE.search(text, max(0, span.start - _NEAR), span.start)
        and _WORD_AFTER.match(text, span.end)
    ):
        return Edit(span, " ")
    return Edit.delete(span)


RULE = Rule(
    "MM105",
    "hidden-character",
    "error",
    check,
    scope="raw",
)
