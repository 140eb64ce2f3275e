from __future__ import annotations

from typing import NamedTuple

from mdmem.messages.counted import counted
from mdmem.messages.watch import _WORDS
from mdmem.text.edit import Diagnostic, Severity


class Notice(NamedTuple):
    """Something that a watcher has to say; `kind` is the key of its sentence, for programs."""

    kind: str
    message: str
    severity: Severity = "note"
    path: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


def notice(lang: str, key: str, severity: Severity = "note", path: str = "", **facts: object) -> Notice:
    """Word a notice."""
    return Notice(key, tell(lang, key, **facts), severity, path)


def tell(lang: str, key: str, **facts: object) -> str:
    """Put facts into a sentence."""
    both = _WORDS[key]
    return (both.zh if lang == "zh" else both.en).format_map(counted(facts))


def tally(lang: str, errors: int, warnings: int) -> str:
    """Say how many errors and warnings there are."""
    if not errors and not warnings:
        return tell(lang, "clean")
    parts = [(errors, "error"), (warnings, "warning")]
    return tell(lang, "and").join(tell(lang, key + "s" * (n != 1), count=n) for n, key in parts if n)
