"""Finds literal facts in a text: addresses, paths, code, quotations, dates, numbers, names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mdmem.text.entry import read_dates
from mdmem.text.inline import mask, specials
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import LINE_END, Span
from mdmem.wording.proper_names import names, numerals

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
_DIGIT = pattern(r"\d")
_RANGE_ENDS = frozenset("%％‰°℃)）]】")  # besides letters and digits
_PLAIN: tuple[tuple[str, Pattern], ...] = (("url", _URL), ("quote", _QUOTE))


class TextFact(NamedTuple):
    """One fact in a text; two facts are the same if kind and value are equal."""

    kind: str  # url, code, quote, date, time, path, number, name
    text: str
    value: str
    span: Span


def facts(text: str) -> tuple[TextFact, ...]:
    """Return the facts of a text in order; they do not overlap."""
    found: list[TextFact] = []
    left = text
    dates = (_dates,) if _DIGIT.search(text) else ()
    for finder in (_literals, *dates, _paths, _numbers, _names):
        if new := list(finder(left)):
            found += new
            left = _blank(left, new)
    return tuple(sorted(found, key=lambda fact: fact.span))


def _every_fact(line: str) -> Iterator[TextFact]:
    """Yield the facts of a line, and those inside its code, quotations and addresses; no parts of a full date."""
    yield from facts(line)
    days_off = _blank(line, _dates(line))
    yield from _dates(line)
    for finder in (_paths, _numbers, _names):
        yield from finder(days_off)


def missing(new: str, old: str) -> tuple[str, ...]:
    """Return the facts of a new text that are not in the old one, as written."""
    return FactSource(old).missing(new)


class FactSource:
    """The facts of a source text, against which a new text is checked."""

    def __init__(self, text: str) -> None:
        self._text = fold(text)
        self._joined = _joined(self._text)
        # each line by itself: a single backtick must not turn the lines up to the next one into code
        self._known = {(fact.kind, fact.value) for line in LINE_END.split(text) for fact in _every_fact(line)}
        days = [value for kind, value in self._known if kind == "date" and len(value) == 10]
        self._known |= {("date", value[part]) for value in days for part in (slice(5, 10), slice(0, 7))}

    def missing(self, new: str) -> tuple[str, ...]:
        """Return the facts of a new text that are not in the source, as written."""
        return tuple(dict.fromkeys(fact.text for fact in facts(new) if not self.holds(fact)))

    def holds(self, fact: TextFact) -> bool:
        """Return whether the source contains a fact."""
        if (fact.kind, fact.value) in self._known:
            return True
        if fact.kind in ("url", "code", "quote", "path"):
            return _bounded(fact.value, self._text) or (fact.kind == "quote" and _joined(fact.value) in self._joined)
        return fact.kind == "name" and _bounded(fact.value, self._text)


def fold(text: str) -> str:
    """Return a text with width, case and white space normalised, which do not change a fact."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _joined(text: str) -> str:
    """Return a text without white space and backticks; a backtick that opens no code is left out of a sentence."""
    return "".join(text.replace("`", "").split())


def _blank(text: str, found: Iterable[TextFact]) -> str:
    """Return a text with facts replaced by spaces, so that offsets stay the same."""
    return mask(text, sorted(fact.span for fact in found), " ")


def _bounded(value: str, text: str) -> bool:
    """Return whether a text contains a value that is not part of a longer word or number."""
    at = text.find(value)
    while at >= 0:
        before, behind = text[at - 1 : at] if at else "", text[at + len(value) : at + len(value) + 1]
        if not (_continues(before, value[0]) or _continues(behind, value[-1])):
            return True
        at = text.find(value, at + 1)
    return False


def _continues(outer: str, inner: str) -> bool:
    return bool(outer) and outer.isascii() and outer.isalnum() and inner.isascii() and inner.isalnum()


def _literals(text: str) -> Iterator[TextFact]:
    taken = [span for is_code, span in specials(text) if is_code] if "`" in text else []
    for span in taken:
        if value := fold(span.of(text).strip("`")):  # `` ` ` `` says nothing
            yield TextFact("code", span.of(text), value, span)
    for kind, finder in _PLAIN if "://" in text or "@" in text else _PLAIN[1:]:
        for match in finder.finditer(text):
            span = Span(*match.span())
            if not any(span.overlaps(other) for other in taken):
                taken.append(span)
                matched = match.group().rstrip(".,:;") if kind == "url" else match.group()[1:-1]
                whole = matched if kind == "url" else match.group()
                if value := fold(matched):  # a quotation of white space says nothing
                    yield TextFact(kind, whole, value, Span(span.start, span.start + len(whole)))


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
        matched = match.group().rstrip(".")
        yield TextFact("path", matched, fold(matched), Span(match.start(), match.start() + len(matched)))


def _numbers(text: str) -> Iterator[TextFact]:
    for match in _NUMBER.finditer(text) if _DIGIT.search(text) else ():
        matched = match.group().replace("−", "-").replace("％", "%")
        value = (
            matched.replace(",", "")
            if matched.count(",") and all(len(p) == 3 for p in matched.strip("%").split(",")[1:])
            else matched
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
    """Return whether a minus sign joins a range, as in `3-5`; behind a mark that ends a sentence it does not."""
    before = text[at - 1 : at] if at else ""
    return value.startswith("-") and (before.isalnum() or before in _RANGE_ENDS)


def _names(text: str) -> Iterator[TextFact]:
    for span in names(text):
        yield TextFact("name", span.of(text), fold(span.of(text)), span)
