from __future__ import annotations

from dataclasses import dataclass

from mdmem.messages.catalog import say
from mdmem.text.edit import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a watcher has to say; `kind` is the key of its sentence, for programs."""

    kind: str
    message: str
    severity: Severity = "note"
    path: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def notice(lang: str, key: str, severity: Severity = "note", path: str = "", **facts: object) -> Notice:
    """Word a notice."""
    return Notice(key.partition(".")[2], say(lang, key, **facts), severity, path)


def tally(lang: str, errors: int, warnings: int) -> str:
    """Say how many errors and warnings there are."""
    if not errors and not warnings:
        return say(lang, "watch.clean")
    parts = [(errors, "watch.errors"), (warnings, "watch.warnings")]
    return say(lang, "watch.and").join(say(lang, key, count=n) for n, key in parts if n)
