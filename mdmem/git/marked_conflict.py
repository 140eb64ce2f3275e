"""Reads both sides of the conflicts that git left in a file, and the base where git shows it. Pure."""

from __future__ import annotations

from typing import NamedTuple

from mdmem.linter.detect.conflicts import conflicts
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern

_LINE = pattern(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OURS, _BASE, _THEIRS = range(3)
_BEHIND = {"|": _BASE, "=": _THEIRS}  # the version that stands behind a mark


class MarkedSides(NamedTuple):
    """The versions of a file with conflicts."""

    ours: Document
    theirs: Document
    base: Document | None  # None: a conflict does not show it


def marked_sides(document: Document) -> MarkedSides | None:
    """Return the versions of a file in which git left conflicts; None if there is none, or half of one."""
    texts, done, shows_base = ["", "", ""], 0, True
    found = list(conflicts(document))
    for span in found:
        parts = _parts(span.of(document.text))
        if parts is None:
            return None
        shows_base = shows_base and parts[_BASE] is not None
        between = document.text[done : span.start]
        texts = [text + between + (part or "") for text, part in zip(texts, parts, strict=True)]
        done = document.lines.full(document.lines.at(span.end)).end
    rest = document.text[done:]
    ours, base, theirs = (parse((text + rest).encode("utf-8", "surrogateescape")) for text in texts)
    return MarkedSides(ours, theirs, base if shows_base else None) if found else None


def _parts(conflict: str) -> tuple[str, str | None, str] | None:
    """Return ours, base and theirs of one conflict; None if a mark is missing."""
    first, *lines = _LINE.findall(conflict)
    size = len(first) - len(first.lstrip("<"))
    parts, at = {_OURS: ""}, _OURS
    for line in lines:
        sign = line[:1] if len(line) - len(line.lstrip(line[:1])) == size else ""
        if _BEHIND.get(sign, _OURS) > at:
            at = _BEHIND[sign]
            parts[at] = ""
        elif sign == ">":
            return (parts[_OURS], parts.get(_BASE), parts[_THEIRS]) if at == _THEIRS else None
        else:
            parts[at] += line
    return None
