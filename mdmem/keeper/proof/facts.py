"""The facts of a text that nobody may invent or change: addresses, paths, code, quotations, dates, numbers, names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mdmem.keeper.proof.proper_names import names, numerals
from mdmem.text.entry import read_dates
from mdmem.text.inline import mask, specials
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

_URL = pattern(
    r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"'`，。；、！？（）()\[\]【】「」『』]+|[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
)
_PATH = pattern(
    r"(?<![A-Za-z0-9_/.])(?:[A-Za-z]:\\[\w.\\-]+|[~.]{0,2}/[A-Za-z0-9_.@+-]+(?:/[A-Za-z0-9_.@+-]+)*/?"
    r"|[A-Za-z0-9_.@+~-]+(?:/[A-Za-z0-9_.@+-]+)+/?|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.[A-Za-z][A-Za-z0-9]{1,4}(?![A-Za-z0-9_])|[A-Za-z0-9_-]+/(?![A-Za-z0-9]))"
)
_QUOTE = pattern('“[^”]{1,200}”|‘[^’]{1,200}’|「[^」]{1,200}」|『[^』]{1,200}』|《[^》]{1,200}》|"[^"]{1,200}"')
_DAY = pattern(r"(?<!\d)(\d{1,2}) ?月 ?(\d{1,2}) ?[日号]")
_MONTH = pattern(r"(?<![\d.-])((?:19|20)\d\d)(?:-(\d{2})(?![\d-])| ?年 ?(\d{1,2}) ?月(?! ?\d))")
_TIME = pattern(r"(?<![\d:])\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?![\d:])")
_NUMBER = pattern(r"(?<![A-Za-z0-9_.])[-−]?\d+(?:[.,]\d+)*[%％‰]?")
_PLAIN: tuple[tuple[str, Pattern], ...] = (("url", _URL), ("quote", _QUOTE))


class TextFact(NamedTuple):
    """One fact: what it is, how it is written, what makes two of them the same, and where it stands."""

    kind: str  # url, code, quote, date, time, path, number, name
    text: str
    value: str
    span: Span


def facts(text: str) -> tuple[TextFact, ...]:
    """Find the facts of a text, in its order; each character belongs to one at most."""
    found: list[TextFact] = []
    left = text
    for finder in (_written, _dates, _paths, _numbers, _named):
        new = list(finder(left))
        found += new
        left = _blank(left, new)
    return tuple(sorted(found, key=lambda fact: fact.span))


def missing(new: str, old: str) -> tuple[str, ...]:
    """Return the facts of a new text that do not stand in the old one, as they are written."""
    return FactSource(old).missing(new)


class FactSource:
    """What a new text may say, because an old one says it."""

    def __init__(self, text: str) -> None:
        self._text = fold(text)
        self._spaceless = "".join(self._text.split())
        self._known = {(fact.kind, fact.value) for fact in facts(text)}
        # what stands in code, quotations and addresses may be said alone; of a date its parts may not
        days_off = _blank(text, _dates(text))
        self._known |= {(fact.kind, fact.value) for fact in _dates(text)}
        for finder in (_paths, _numbers, _named):
            self._known |= {(fact.kind, fact.value) for fact in finder(days_off)}
        days = [value for kind, value in self._known if kind == "date" and len(value) == 10]
        self._known |= {("date", value[part]) for value in days for part in (slice(5, 10), slice(0, 7))}

    def missing(self, new: str) -> tuple[str, ...]:
        """Return the facts of a new text that do not stand in the old one, as they are written."""
        return tuple(dict.fromkeys(fact.text for fact in facts(new) if not self.holds(fact)))

    def holds(self, fact: TextFact) -> bool:
        """Return whether a fact stands in the old text."""
        if (fact.kind, fact.value) in self._known:
            return True
        if fact.kind in ("url", "code", "quote", "path"):
            return _bounded(fact.value, self._text) or (
                fact.kind == "quote" and "".join(fact.value.split()) in self._spaceless
            )
        return fact.kind == "name" and _bounded(fact.value, self._text)


def fold(text: str) -> str:
    """Fold what does not change a fact: width, case, and the amount of white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _blank(text: str, found: Iterable[TextFact]) -> str:
    """Write spaces over facts, keeping every offset."""
    return mask(text, sorted(fact.span for fact in found), " ")


def _bounded(value: str, text: str) -> bool:
    """Return whether a value stands in a text, and not as a piece of a longer word or number."""
    at = text.find(value)
    while at >= 0:
        before, behind = text[at - 1 : at] if at else "", text[at + len(value) : at + len(value) + 1]
        if not (_sticks(before, value[0]) or _sticks(behind, value[-1])):
            return True
        at = text.find(value, at + 1)
    return False


def _sticks(outer: str, inner: str) -> bool:
    return bool(outer) and outer.isascii() and outer.isalnum() and inner.isascii() and inner.isalnum()


def _written(text: str) -> Iterator[TextFact]:
    taken = [span for is_code, span in specials(text) if is_code] if "`" in text else []
    for span in taken:
        yield TextFact("code", span.of(text), fold(span.of(text).strip("`")), span)
    for kind, finder in _PLAIN:
        for match in finder.finditer(text):
            span = Span(*match.span())
            if not any(span.overlaps(other) for other in taken):
                taken.append(span)
                said = match.group().rstrip(".,:;") if kind == "url" else match.group()[1:-1]
                whole = said if kind == "url" else match.group()
                yield TextFact(kind, whole, fold(said), Span(span.start, span.start + len(whole)))


def _dates(text: str) -> Iterator[TextFact]:
    whole = read_dates(text)
    for mention in whole:
        if mention.value:
            yield TextFact("date", mention.text, mention.value.isoformat(), mention.span)
    for match in _DAY.finditer(text):
        if not any(one.span.overlaps(Span(*match.span())) for one in whole):
            yield TextFact(
                "date", match.group(), f"{int(match.group(1)):02}-{int(match.group(2)):02}", Span(*match.span())
            )
    for match in _MONTH.finditer(text):
        value = f"{match.group(1)}-{int(match.group(2) or match.group(3)):02}"
        yield TextFact("date", match.group(), value, Span(*match.span()))
    for match in _TIME.finditer(text):
        value = fold(match.group()).replace("：", ":")
        yield TextFact("time", match.group(), value.zfill(len(value) + (value.find(":") == 1)), Span(*match.span()))


def _paths(text: str) -> Iterator[TextFact]:
    for match in _PATH.finditer(text):
        said = match.group().rstrip(".")
        yield TextFact("path", said, fold(said), Span(match.start(), match.start() + len(said)))


def _numbers(text: str) -> Iterator[TextFact]:
    for match in _NUMBER.finditer(text):
        said = match.group().replace("−", "-").replace("％", "%")
        value = (
            said.replace(",", "")
            if said.count(",") and all(len(p) == 3 for p in said.strip("%").split(",")[1:])
            else said
        )
        yield TextFact(
            "number",
            match.group(),
            value.lstrip("-") if _joins(text, match.start(), value) else value,
            Span(*match.span()),
        )
    for one in numerals(text):
        yield TextFact("number", one.text, str(one.value), Span(one.start, one.start + len(one.text)))


def _joins(text: str, at: int, value: str) -> bool:
    """Return whether a minus sign only joins: `3-5` is a range."""
    return value.startswith("-") and text[at - 1 : at].strip() != "" if at else False


def _named(text: str) -> Iterator[TextFact]:
    for span in names(text):
        yield TextFact("name", span.of(text), fold(span.of(text)), span)
