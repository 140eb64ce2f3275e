"""A condensed line is a row of pieces, each of them what an entry said; this takes lines apart, and pieces shorter.

Nothing is ever written anew: a piece gets shorter by leaving out fields, then whole clauses that carry no fact.
Clauses that only make sense together (if … then, not … but) stay or go together.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import cached_property

from mdmem.core.entry import mask_code, read_entry
from mdmem.core.oneline import one_line
from mdmem.core.pattern import Pattern, pattern
from mdmem.core.record import NamedTuple
from mdmem.core.text import Span
from mdmem.keeper.facts import facts

SEPARATOR = " ｜ "
_END = pattern(r"[。；！？;!?]+|[，,](?!\d)|\.(?=\s|\Z)")
_LEANS = pattern(
    r"\s*(?:而是|而|但|却|就|才|则|否则|不过|所以|因此|因为|原因|依据|也|还|并|又|再|然后|结果|即"
    r"|(?:then|but|otherwise|so|because|instead|not|and|or|which|who|that|since|though)\b)",
)
_OPENS = pattern(
    r"\s*(?:如果|若|只要|只有|除非|不是|因为|虽然|尽管|当|等|(?:if|unless|when|while|because|although|once|after|before|since)\b)"
)
_WAITS = pattern(r"(?:后|时|时候|之前|以前|的话|：|:)[，,：:\s]*\Z")
_BRACKETS = {"（": "）", "(": ")", "「": "」", "“": "”", "《": "》", "[": "]", "【": "】", "『": "』"}


class Clause(NamedTuple):
    """Words that stay or go together."""

    text: str
    worth: int  # facts in it


class Piece:
    """What one entry said, as a row of a condensed line."""

    def __init__(self, text: str, order: int) -> None:
        self.text, self.order = text, order
        self.copies = 1  # how many entries said so

    @cached_property
    def date(self) -> date | None:
        """The day that it begins with, or else the only one it names."""
        parts = read_entry(self.text)
        if parts.date:
            return parts.date.value
        return parts.dates[0].value if len(parts.dates) == 1 else None

    @cached_property
    def said(self) -> str:
        """What it says, without date, fields, tags and id: what two pieces are compared by."""
        return read_entry(self.text).body.of(self.text).strip()

    @cached_property
    def density(self) -> float:
        """How many facts it tells for each character, in its shortest form."""
        said = min(self.forms, key=len, default="")
        return len(facts(said)) / len(said) if said else 0.0

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The ways to say it, the longest first; each is made of its own words."""
        bare = _without_fields(self.text)
        lead = len(bare) - len(bare[read_entry(bare).body.start :])
        head, clauses = bare[:lead], list(_clauses(bare[lead:]))
        most = max((clause.worth for clause in clauses), default=0)
        best = next((at for at, clause in enumerate(clauses) if clause.worth == most), 0)
        kept = [[at for at, clause in enumerate(clauses) if clause.worth or not at], sorted({0, best})]
        # the first clause says of whom the others speak
        shorter = (self.text, bare, *(head + _joined([clauses[at] for at in some if clauses]) for some in kept))
        return tuple(dict.fromkeys(form for form in shorter if form.strip()))


def pieces(text: str) -> Iterator[str]:
    """Take a line apart into what its entries said; a line that nobody condensed is one piece."""
    line = one_line(text)
    masked, start = mask_code(line), 0
    while (at := masked.find(SEPARATOR, start)) >= 0:
        yield line[start:at].strip()
        start = at + len(SEPARATOR)
    yield line[start:].strip()


def plain(text: str) -> str:
    """Give an entry's text without what only an entry of its own can have: checkbox, tick, id and trailing comment."""
    line = one_line(text)
    parts = read_entry(line)
    ends = [span.start for span in (parts.id_span, parts.meta) if span]
    starts = [span.end for span in (parts.checkbox, parts.tick) if span]
    return line[max(starts, default=0) : min(ends, default=len(line))].strip()


def _without_fields(text: str) -> str:
    for field in reversed(read_entry(text).fields):
        text = text[: field.span.start].rstrip(" ") + text[field.span.end :]
    return text.strip()


def _clauses(text: str) -> Iterator[Clause]:
    """Split a text where a sentence or clause ends, outside brackets and facts."""
    solid = [fact.span for fact in facts(text) if fact.kind not in ("number", "name")]
    said: list[str] = []
    start = 0
    for end in [*cuts(text, _END, solid), len(text)]:
        if text[start:end].strip():
            said.append(text[start:end])
        start = end
    groups: list[str] = []
    for clause in said:
        if groups and (_LEANS.match(clause) or _OPENS.match(groups[-1]) or _WAITS.search(groups[-1])):
            groups[-1] += clause
        else:
            groups.append(clause)
    return (Clause(group.strip(), len(facts(group))) for group in groups)


def cuts(text: str, ends: Pattern, solid: list[Span]) -> Iterator[int]:
    """Give where a text may be cut behind one of these ends: outside brackets and what is solid."""
    waits: list[str] = []
    done = 0
    for match in ends.finditer(text):
        _open(waits, text[done : match.start()])
        done = match.start()
        inside = any(span.start < match.end() and match.start() < span.end for span in solid)
        if not inside and not waits:
            yield match.end()


def _open(waits: list[str], text: str) -> None:
    """Read on over a text, noting which brackets wait to be closed."""
    for char in text:
        if char in _BRACKETS:
            waits.append(_BRACKETS[char])
        elif waits and char == waits[-1]:
            waits.pop()


def _joined(clauses: list[Clause]) -> str:
    out = ""
    for clause in clauses:
        gap = " " if out and out[-1].isascii() else ""
        out += gap + clause.text
    return out.rstrip("，,；;。 ")
