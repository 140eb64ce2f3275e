"""Cuts a long line to the sentences around the matches, with `…` for the gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mdmem.search.words.terms import terms
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.tokens import TokenCounter

_SENTENCE = pattern(r"[.!?…]+[\"'”’)\]*_]*(?=\s+[^\sa-z])|[。！？；!?]+[\"'”’」』）)]*")
_CLAUSE = pattern(r"[,;:—](?=\s)|[，、：；]")
_LONGEST_LEAD = 48  # characters at the beginning in which a speaker's name is searched
_GAP = "…"


def excerpt(text: str, weights: Mapping[str, float], *, who: str, most: int, counter: TokenCounter) -> str:
    """Return the part of a line with the heaviest terms, in at most `most` tokens unless a single word is longer.

    `weights` are those of the question's terms; a line without any of them keeps its beginning. The speaker's name in
    front is kept.
    """
    lead, units = _units(text, who, most, counter)
    contained = [frozenset(terms(unit)) & weights.keys() for unit in units]
    left = most - counter(f"{lead}{_GAP}{_GAP}")
    chosen: set[int] = set()
    covered: set[str] = set()
    while len(chosen) < len(units):
        index = _next(units, contained, chosen, covered, weights)
        cost = counter(units[index])
        if chosen and cost > left:
            break
        chosen.add(index)
        covered |= contained[index]
        left -= cost
    return lead + _joined(units, sorted(chosen))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; the end of a line ends one."""
    for line in text.splitlines():
        yield from _split(line, _SENTENCE)


def _next(
    units: Sequence[str],
    contained: Sequence[frozenset[str]],
    chosen: set[int],
    covered: set[str],
    weights: Mapping[str, float],
) -> int:
    """Return the unit that adds the heaviest terms; else the one after a chosen unit, else the one before it."""
    rest = [index for index in range(len(units)) if index not in chosen]
    gain = {index: sum(weights[term] for term in contained[index] - covered) for index in rest}
    best = max(rest, key=lambda index: (gain[index], -index))
    if gain[best] > 0 or not chosen:
        return best
    beside = [index for index in rest if index - 1 in chosen] or [index for index in rest if index + 1 in chosen]
    return beside[0] if beside else best


def _units(text: str, who: str, most: int, counter: TokenCounter) -> tuple[str, list[str]]:
    """Split a text into the speaker's name and sentences; too long sentences into clauses, then into words."""
    at = text[:_LONGEST_LEAD].casefold().find(who) if who else -1
    end = at + len(who) + 1
    named = at >= 0 and text[end - 1 : end] in (":", "：")
    lead = text[:end] + " " * (text[end : end + 1] == " ") if named else ""
    units: list[str] = []
    for sentence in _split(text[len(lead) :], _SENTENCE):
        for clause in _split(sentence, _CLAUSE) if counter(sentence) > most // 2 else (sentence,):
            units += _chunks(clause, most // 2, counter) if counter(clause) > most // 2 else (clause,)
    return lead, units


def _split(text: str, ends: Pattern) -> Iterator[str]:
    start = 0
    for match in ends.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    if text[start:].strip():
        yield text[start:]


def _chunks(text: str, most: int, counter: TokenCounter) -> Iterator[str]:
    """Cut a text without punctuation between words, or between characters if there are no spaces."""
    size = max(1, len(text) * most // counter(text))
    start = 0
    while start < len(text):
        end = min(len(text), start + size)
        space = text.rfind(" ", start + size // 2, end) if end < len(text) else -1
        end = space + 1 if space >= 0 else end
        yield text[start:end]
        start = end


def _joined(units: Sequence[str], chosen: Sequence[int]) -> str:
    """Join units in order, with `…` for each gap."""
    out, last = "", -1
    for index in chosen:
        out = out + units[index] if index == last + 1 else f"{out.rstrip()}{' ' * bool(out)}{_GAP}{units[index]}"
        last = index
    return out.strip() if last == len(units) - 1 else f"{out.strip()}{_GAP}"
