"""The notices of a watcher, and their messages."""

from __future__ import annotations

from dataclasses import dataclass

from mdmem.messages.catalog import say
from mdmem.text.edit import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Notice:
    """A message of a watcher; `kind` is the key of the message, for programs."""

    kind: str
    message: str
    severity: Severity = "note"
    path: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def notice(lang: str, key: str, severity: Severity = "note", path: str = "", **facts: object) -> Notice:
    """Return a notice with its message in one language."""
    return Notice(key.partition(".")[2], say(lang, key, **facts), severity, path)


def count_text(lang: str, errors: int, warnings: int) -> str:
    """Return the text for a number of errors and warnings."""
    if not errors and not warnings:
        return say(lang, "watch.clean")
    parts = [(errors, "watch.errors"), (warnings, "watch.warnings")]
    return say(lang, "watch.and").join(say(lang, key, count=n) for n, key in parts if n)
