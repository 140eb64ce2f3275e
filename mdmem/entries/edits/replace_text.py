"""Replaces one exact text by another; the old text must occur exactly once (X2)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher

from mdmem.entries.edits.content import EditNote, EditPlan, require_unicode
from mdmem.entries.edits.find import nearest_texts
from mdmem.errors import TargetError, UsageError
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END, Span

_BLANK = pattern(r"\s+")
_NAMED = 10  # lines listed in an error
_LOOKED = 300  # characters of a line that are compared
_NEAR = 3  # nearest lines shown
_SHOWN = 120  # characters of each
_LINES = 50_000  # lines that are compared, to bound the time


def exact(document: Document, old: str, new: str) -> EditPlan:
    """Replace a text by another one, with the file's own line endings.

    If the old text does not occur, it is searched ignoring differences in white space (full-width spaces, line endings,
    indentation), and the note `loose-match` says so.

    Raises:
        UsageError: the old text is empty.
        TargetError: it does not occur, `candidates` are the nearest lines; or it occurs more than once, the message
            names the lines.
    """
    if not old:
        raise UsageError("the old text is empty", hint="give the text to be replaced")
    if {char for char in new if "\ud800" <= char <= "\udfff"} - set(old):
        require_unicode(new)
    spans = _exact(document.text, old)
    loose = [] if spans else _loose(document.text, old)
    if not spans and not loose:
        raise _missing(document, old)
    if len(spans or loose) > 1:
        raise _several(document, spans or loose)
    span, text = (spans or loose)[0], document.text
    if loose:
        span, new = _edges(text, span, old, new)
    span = Span(span.start - _splits(text, span.start), span.end + _splits(text, span.end))
    new = LINE_END.sub(_ending(document, span), new)
    notes = (EditNote("loose-match", {"line": document.lines.at(span.start) + 1}),) if loose else ()
    if new == span.of(text):
        return EditPlan((), (*notes, EditNote("unchanged")))
    return EditPlan((Edit(span, new),), notes)


def _exact(text: str, old: str) -> list[Span]:
    """Return every occurrence of a text, and at least two of overlapping ones."""
    first = at = text.find(old)
    found = []
    while at >= 0:
        found.append(Span(at, at + len(old)))
        at = text.find(old, at + len(old))
    if len(found) == 1 and (second := text.find(old, first + 1)) >= 0:
        found.append(Span(second, second + len(old)))
    return found


def _loose(text: str, old: str) -> list[Span]:
    """Return the occurrences of a text, ignoring differences in white space."""
    wanted, _ = _folded(old.strip())
    folded, runs = _folded(text)
    begins = [begin for begin, _ in runs]

    def origin(at: int) -> int:
        begin, place = runs[bisect_right(begins, at) - 1]
        return place + at - begin

    places = _exact(folded, wanted) if wanted else []
    return [Span(origin(place.start), origin(place.end - 1) + 1) for place in places]


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Fold white space to one space or one newline; return the text and the offsets of its pieces in both texts."""
    pieces: list[str] = []
    runs, done, length = [(0, 0)], 0, 0
    for match in _BLANK.finditer(text):
        blank = "\n" if {"\n", "\r"} & set(match.group()) else " "
        pieces += (text[done : match.start()], blank)
        length += match.start() - done + 1
        done = match.end()
        runs.append((length, done))
    return "".join(pieces) + text[done:], runs


def _edges(text: str, span: Span, old: str, new: str) -> tuple[Span, str]:
    """Return the span and new text with the white space at both ends adjusted.

    White space that old and new text share stays as the file has it; otherwise it is replaced too.
    """
    lead, tail = old[: len(old) - len(old.lstrip())], old[len(old.rstrip()) :]
    start, end = span
    if lead and new[: len(new) - len(new.lstrip())] == lead:
        new = new[len(lead) :]
    elif lead:
        start -= len(_white(text[max(0, start - _LOOKED) : start][::-1], lead))
    if tail and new[len(new.rstrip()) :] == tail:
        new = new[: len(new) - len(tail)]
    elif tail:
        end += len(_white(text[end : end + _LOOKED], tail))
    return Span(start, end), new


def _white(text: str, like: str) -> str:
    """Return the leading white space of a text, with at most as many line ends as `like` has."""
    ends = len(LINE_END.findall(like))
    blank = r"[^\S\r\n]*"
    match = re.match(rf"{blank}(?:(?:\r\n|\n\r|\r|\n){blank}){{0,{ends}}}", text)
    return match.group() if match else ""


def _splits(text: str, at: int) -> bool:
    """Return whether an offset splits a CRLF line ending."""
    return text[at - 1 : at + 1] == "\r\n" if at else False


def _ending(document: Document, span: Span) -> str:
    """Return the line ending for new text: that of the text it replaces, else the file's."""
    here = LINE_END.findall(span.of(document.text))
    return max(set(here), key=here.count) if here else document.lines.ending


def _missing(document: Document, old: str) -> TargetError:
    wanted = next(filter(None, map(str.strip, LINE_END.split(old))), "")[:_LOOKED]
    lines = [line for line in range(min(len(document.lines), _LINES)) if not document.lines.is_blank(line)]
    near = nearest_texts(wanted, lines, lambda line: document.lines.text(line)[:_LOOKED])
    matcher = SequenceMatcher(None, "", wanted, autojunk=False)

    def alike(line: int) -> float:
        matcher.set_seq1(document.lines.text(line)[:_LOOKED])
        return matcher.ratio()

    best = sorted(near, key=alike, reverse=True)[:_NEAR]
    hint = "read the file again, and give the text as it stands there"
    message = "the old text does not stand in the file" + (f"; line {best[0] + 1} comes nearest" if best else "")
    return TargetError(message, hint=hint, candidates=_shown(document, best))


def _several(document: Document, found: Sequence[Span]) -> TargetError:
    lines = list(dict.fromkeys(document.lines.at(span.start) for span in found))
    numbers = ", ".join(str(line + 1) for line in lines[:_NAMED]) + (", …" if len(lines) > _NAMED else "")
    return TargetError(
        f"the old text stands in the file {len(found)} times, at lines {numbers}",
        hint="give more of the text around it, so that only one place matches",
        candidates=_shown(document, lines[:_NAMED]),
        count=len(found),
    )


def _shown(document: Document, lines: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{line + 1}: {document.lines.text(line)[:_SHOWN]}" for line in lines)
