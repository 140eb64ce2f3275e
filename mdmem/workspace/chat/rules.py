"""The rules and corrections of a user as entries of a memory: word for word, marked, each once."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Document
from mdmem.core.entry import read_entry
from mdmem.core.intent.content import content
from mdmem.core.similarity import essence
from mdmem.core.template import EntryRule
from mdmem.errors import UsageError
from mdmem.keeper.piece import plain
from mdmem.keeper.talk import chunks

_TAG = {"zh": "#规则", "en": "#rule"}  # both are words of `[keeper] rules`: what bears one stays word for word


def unknown(rules: Sequence[str], document: Document | None) -> tuple[str, ...]:
    """Return the rules that a memory does not hold word for word already, in an entry or in a line made of several."""
    known = [essence(plain(entry.text)) for entry in document.entries] if document else []
    return tuple(rule for rule in rules if not any(_says(rule) in said for said in known))


def marked(rules: Sequence[str], lang: str, max_chars: int, source: str = "") -> list[str]:
    """Write rules as entries of their own; one that is too long becomes several, without losing a word."""
    tag = _TAG.get(lang, _TAG["en"])
    room = max_chars - len(f" {tag} [source:: {source}]") - 1
    return [sourced(f"{part} {tag}", source) for rule in rules for part in chunks(rule, room)]


def sourced(line: str, source: str) -> str:
    """Write a line as an entry that names the rounds it comes from; what cannot bear the field goes without."""
    if source:
        try:
            return content(line, {"source": source}, EntryRule()).text
        except UsageError:
            pass
    return content(line, {}, EntryRule()).text


def _says(text: str) -> str:
    parts = read_entry(text)
    return essence(parts.body.of(text).strip() or text)
