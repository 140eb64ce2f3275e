"""Say in another language the errors that are raised where no language is known.

Each is raised with its English sentence, with the names of its facts in braces; that sentence is the key of
`templates/<lang>/errors.toml`.
"""

from __future__ import annotations

from mdmem.errors import MdmemError
from mdmem.messages.catalog import label


def in_language(error: MdmemError, lang: str) -> MdmemError:
    """Put an error's message and hint into a language; a sentence that the language lacks stays English."""
    facts = {key: _said(lang, value) if isinstance(value, str) else value for key, value in error.facts.items()}
    error.message = _filled(lang, error.template, error.message, facts)
    error.hint = _filled(lang, error.hint_template, error.hint, facts)
    return error


def _said(lang: str, sentence: str) -> str:
    return label(lang, f"errors.{sentence}", sentence)


def _filled(lang: str, template: str, message: str, facts: dict[str, object]) -> str:
    """Return the sentence of a template in a language, with its facts; the message as it is where there is none."""
    if (known := label(lang, f"errors.{template}", "")) == "":
        return message
    return known.format_map(facts) if facts else known
