"""MM303: an entry that begins with another marker than `- `, or with a checkbox that Markdown does not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from mdmem.linter.detect.wrapped_entries import prose
from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject, quote
from mdmem.text.blocks import Block
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BOX = pattern(r"\[(?:(?P<done>[yYvV√✓✔☑])|(?P<cross>[ \t]+[xX][ \t]*|[xX][ \t]+)|[ \t]{2,}|)\](?=[ \t]+\S)")
_SIGNS = "－•‣▪◦"  # a full-width hyphen (U+FF0D) and bullets that are pasted from other programs
_TIGHT = pattern(r"(?<![^\r\n])[ ]{0,3}(?P<marker>-)(?P<text>(?:\d{4}-\d\d-\d\d\b|[\u3400-\u9fff])[^\r\n]*)")
_MAY_BE_TIGHT = pattern(r"(?<![^\r\n])[ ]{0,3}-[^\s-]")  # compiles at once; a class of all Chinese characters does not
_SIGN_ITEM = pattern(rf"(?<![^\r\n])[ \t]{{0,8}}(?P<marker>[{_SIGNS}][ \t\u3000]+)(?=\S)")


def check(subject: Subject) -> Iterator[Finding]:
    """Find `*`, `+`, `1.`, two markers in a row, and bullets that Markdown does not know."""
    text = subject.document.text
    yield from _items(text, subject.items)
    for piece in prose(subject):
        if piece.kind == "bullet":
            yield Finding(piece.lead, {"marker": quote(piece.lead.of(text))}, piece.fix)
    yield from _boxes(subject)
    if not text.isascii() and any(sign in text for sign in _SIGNS):
        yield from _signs(subject)
    if _MAY_BE_TIGHT.search(text):
        yield from _tight(subject)


def _boxes(subject: Subject) -> Iterator[Finding]:
    """Find what was meant as a checkbox, and is none to a program."""
    if "]" in subject.document.text:
        for item in subject.items:
            if match := _BOX.match(item.entry.text):
                span = item.at(Span(*match.span()))
                fix = () if match["done"] else (Edit(span, "[x]" if match["cross"] else "[ ]"),)
                yield Finding(span, {"box": match.group()}, fix, variant="box")


def _signs(subject: Subject) -> Iterator[Finding]:
    """Find lines that begin with such a sign where prose is welcome; `prose` finds them elsewhere."""
    text = subject.document.text
    for block in _free_paragraphs(subject):
        for match in _SIGN_ITEM.finditer(text, *block.span):
            span = Span(*match.span("marker"))
            yield Finding(span, {"marker": quote(span.of(text))}, (Edit(span, "- "),))


def _tight(subject: Subject) -> Iterator[Finding]:
    """Find dashes without a blank before a date or a Chinese character: Markdown takes the line for text."""
    for block in _free_paragraphs(subject):
        for match in _TIGHT.finditer(subject.document.text, *block.span):
            span = Span(*match.span("marker"))
            yield Finding(span, {"text": quote(match["text"])}, (Edit.insert(span.end, " "),), variant="tight")


def _free_paragraphs(subject: Subject) -> Iterator[Block]:
    """Yield the paragraphs where prose is welcome; those of conversations are left out."""
    document = subject.document
    if subject.memory is None or subject.turns_start is not None:
        return
    rules = zip(document.sections, subject.section_rules, strict=True)
    lists = [section.body for section, rule in rules if rule.form == "list"]
    for block in document.blocks:
        is_list = any(one.start <= block.span.start < one.end for one in lists)
        if block.kind == "paragraph" and not block.quoted and not is_list:
            yield block


def _items(text: str, items: Sequence[RuleEntry]) -> Iterator[Finding]:
    counting = _counting(text, items)
    pairs = zip_longest(items, items[1:])
    for index, (item, below) in enumerate(pairs):
        entry = item.entry
        marker = entry.marker.of(text)
        if item.rule.form != "list" or not marker:
            continue
        safe = not entry.blocks and (index in counting or not entry.ordered)
        if below and below.entry.line == entry.line:  # two markers on one line
            alone = entry.span.end == below.entry.span.end and not below.entry.blocks
            span = Span(entry.marker.start, below.entry.marker.end)
            # the outer marker stays: an inner one without text could become part of a paragraph above
            fix = (Edit.delete(Span(entry.marker.end, below.entry.marker.end)),) if safe and alone else ()
            yield Finding(span, {"marker": quote(span.of(text))}, fix)
        elif marker != "-":
            yield Finding(entry.marker, {"marker": marker}, (Edit(entry.marker, "-"),) if safe else ())


def _counting(text: str, items: Sequence[RuleEntry]) -> frozenset[int]:
    """Return the indexes of numbered items that count up: `13. Februar` and `2026. 2. 13.` are dates, not markers."""
    last: dict[tuple[int, int], int] = {}  # section and depth → its last number
    indexes = []
    for index, item in enumerate(items):
        if item.entry.ordered and item.entry.marker.of(text):
            list_key = (item.section.heading.start if item.section else -1, item.entry.depth)
            number = int(item.entry.marker.of(text)[:-1])
            if number in (1, last.get(list_key, 0) + 1):
                indexes.append(index)
            last[list_key] = number
    return frozenset(indexes)


RULE = Rule(
    "MM303",
    "wrong-marker",
    "warning",
    check,
)
