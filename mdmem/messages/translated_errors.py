"""Translates errors that are raised where the language is not known.

Each is raised with its English sentence, with the names of its facts in braces. That sentence is the key in
`templates/<lang>/errors.toml`.
"""

from __future__ import annotations

from mdmem.errors import MdmemError
from mdmem.messages.catalog import label, say


def in_language(error: MdmemError, lang: str) -> MdmemError:
    """Translate an error's message and hint; a sentence without a translation stays English."""
    facts = {key: _translation(lang, value) if isinstance(value, str) else value for key, value in error.facts.items()}
    error.message = _filled(lang, error.template, error.message, facts)
    error.hint = _filled(lang, error.hint_template, error.hint, facts)
    return error


def told(error: MdmemError, lang: str, *, located: bool = False) -> str:
    """Return an error as one clause, with what to do next in brackets; `located` puts its file first."""
    found = in_language(error, lang)
    text = str(found) if located else found.message
    return say(lang, "punctuation.aside", text=text, aside=found.hint) if found.hint else text


def _translation(lang: str, sentence: str) -> str:
    return label(lang, f"errors.{sentence}", sentence)


def _filled(lang: str, template: str, message: str, facts: dict[str, object]) -> str:
    """Return the translation of a template with its facts; the message itself if there is none."""
    if (known := label(lang, f"errors.{template}", "")) == "":
        return message
    return known.format_map(facts) if facts else known
