"""Joins entries into one line, and splits such a line into the same entries.

A joined line has no marker. The archive contains the originals word for word, so a line is a joined one if and only if
at least two of its parts are archived. Typed text is one entry, whatever punctuation it contains, and so is a changed
part between two known ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from mdmem.text.entry import read_entry
from mdmem.text.inline import is_dense, mask_code, one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span

SEPARATOR = " ｜ "  # the separator of older versions
_JOINTS = pattern(r" ｜ |；|; |(?<=[。！？!?…])(?=\S)|(?<=[.。！？!?…]) ")
_STOP = pattern(  # a full stop that is not part of an abbreviation such as `p.m.`
    r"(?:(?<=[^\W\d_]{3})|(?<=[\d)])|(?<=\d(?:st|nd|rd|th)))\.\Z|[。；;]\Z"
)
_ENDED = pattern(r"[.。！？!?…][”」』）)\"'’]*\Z")
_MOST_PARTS = 24  # of one original that contains separators


def join(units: Sequence[str]) -> str:
    """Join entries into one line: with `；` in Chinese, else `; `, which replaces a final full stop."""
    if not units:
        return ""
    last = units[-1]
    texts = [*map(_open, units[:-1]), last if _is_sentence(units[0]) else _open(last)]
    return "".join(text + joint for text, joint in zip(texts, [*map(_joint, texts, texts[1:]), ""], strict=True))


def _open(unit: str) -> str:
    """Return an entry without its final full stop, unless nothing else is left or its end would become an id."""
    opened = _STOP.sub("", unit)
    return opened if opened and ("^" not in opened or plain(opened) == opened.strip()) else unit


def joined_length(units: Iterable[str]) -> int:
    """Return an upper limit for the length of the joined line."""
    lengths = [len(unit) + 2 for unit in units]
    return sum(lengths) - 2 if lengths else 0


def plain(text: str) -> str:
    """Return an entry's text without the parts that a joined line cannot have: checkbox, tick, id, trailing comment."""
    line = one_line(text)
    parts = read_entry(line)
    ends = [span.start for span in (parts.id_span, parts.meta) if span]
    starts = [span.end for span in (parts.checkbox, parts.tick) if span]
    text = line[max(starts, default=0) : min(ends, default=len(line))].strip()
    return plain(text) if "^" in text and text != line else text  # an id before the id would now be the last


class Originals:
    """The archived originals of joined lines."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._known = {key: text for text in map(plain, texts) if (key := comparison_key(text))}

    def __contains__(self, text: str) -> bool:
        return comparison_key(plain(text)) in self._known

    def units(self, text: str) -> tuple[str, ...]:
        """Return the entries that a line was joined from; a typed line is a single entry."""
        line = plain(text)
        parts = _parts(line) if self._known and line else []
        if len(parts) < 2 or comparison_key(line) in self._known:
            return (line,) if line else ()
        known = self._best(line, parts)
        if not self._is_joined(line, parts, known):
            return (line,)
        return tuple(unit for span in _filled(known, len(parts)) for unit in self._cut(line, parts, span, known))

    def makes(self, line: str) -> bool:
        """Return whether a line is, letter for letter, one of the originals or several of them joined."""
        known = [self._known.get(comparison_key(unit)) for unit in self.units(line)]
        return join([text for text in known if text]) == line

    def _best(self, line: str, parts: Sequence[Span]) -> list[Span]:
        """Find the runs of parts that are originals: those that cover most parts, then the largest number of runs."""
        best: list[tuple[int, int, Span | None]] = [(0, 0, None)] * (len(parts) + 1)
        for start in range(len(parts) - 1, -1, -1):
            best[start] = (*best[start + 1][:2], None)
            for end in range(start + 1, min(len(parts), start + _MOST_PARTS) + 1):
                covered, count, _ = best[end]
                score = covered + end - start, count + 1
                if (
                    score > best[start][:2]
                    and comparison_key(line[parts[start].start : parts[end - 1].end]) in self._known
                ):
                    best[start] = (*score, Span(start, end))
        found, at = [], 0
        while at < len(parts):
            span = best[at][2]
            found += [span] if span else []
            at = span.end if span else at + 1
        return found

    def _is_joined(self, line: str, parts: Sequence[Span], known: Sequence[Span]) -> bool:
        if len(known) > 1:
            return True
        return SEPARATOR in mask_code(line) and all(comparison_key(part.of(line)) in self._all for part in parts)

    def _cut(self, line: str, parts: Sequence[Span], span: Span, known: Sequence[Span]) -> Iterator[str]:
        """Yield a run of parts as one entry; an unknown run is split at the separators of older versions."""
        text = line[parts[span.start].start : parts[span.end - 1].end]
        yield from (text,) if span in known else filter(None, pieces(text))

    @cached_property
    def _all(self) -> str:
        return "\n".join(sorted(self._known))


def pieces(text: str) -> Iterator[str]:
    """Split a line of an older version at its separators."""
    line = one_line(text)
    masked, start = mask_code(line), 0
    while (at := masked.find(SEPARATOR, start)) >= 0:
        yield line[start:at].strip()
        start = at + len(SEPARATOR)
    yield line[start:].strip()


def _parts(line: str) -> list[Span]:
    """Return the spans between the separators of a line; separators in code do not count."""
    ends = [0, *(at for match in _JOINTS.finditer(mask_code(line)) for at in match.span()), len(line)]
    spans = (Span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True))
    return [span for span in spans if span.of(line).strip()]


def _filled(known: Sequence[Span], count: int) -> Iterator[Span]:
    """Yield the known runs and those between them, in order."""
    for before, span in pairwise((Span(0, 0), *known, Span(count, count))):
        if before.end > before.start:
            yield before
        if before.end < span.start:
            yield Span(before.end, span.start)


def _is_sentence(text: str) -> bool:
    """Return True for an entry that ends like a sentence."""
    return _ENDED.search(text) is not None


def _joint(before: str, after: str) -> str:
    wide = any(map(is_dense, before[-40:] + after[:40]))
    if _ENDED.search(before) and not before.endswith(
        "."
    ):  # a remaining full stop belongs to an abbreviation: `5 Elm St.`
        return "" if wide and not before[-1].isascii() else " "
    return "；" if wide else "; "


NO_ORIGINALS = Originals(())
