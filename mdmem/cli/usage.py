"""Usage errors of the command line, in its language. Everything else is imported when there is an error."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.errors import MdmemError, UsageError

_KEY = r"\^\w+|[0-9a-f]{6,12}|\d{8}T\d{6}-[0-9a-f]+"
_BEGINNING = 2  # characters of the shortest beginning that stands for a whole word
_WORDS = 3  # characters of a text in a script without blanks
_SIMILAR = 0.7  # of 1; below it, words such as `commit` and `compile` would be called the same


def usage_error(
    key: str,
    suggestion: str = "",
    kind: type[MdmemError] = UsageError,
    path: str = "",
    **facts: object,
) -> MdmemError:
    """Return a usage error in the language of the command line.

    Args:
        key: a key of `[usage]` in the messages.
        suggestion: a replacement for the mistyped word.
        kind: the class of the error.
        path: the file that the error is about.
        facts: the facts of the message.
    """
    from mdmem.cli.language import current_language
    from mdmem.messages.catalog import say

    lang, key = current_language(), f"usage.{key}"
    hint = say(lang, f"{key}.hint", **facts)
    if suggestion:
        hint = say(lang, "punctuation.clause").join((say(lang, "usage.meant", word=suggestion), hint))
    return kind(say(lang, key, **facts), hint=hint, path=path)


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that is most similar to a mistyped one; empty if none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.casefold(), known, 1, _SIMILAR)), "")


def habitual(word: str) -> str:
    """Return the call that a word of another program, or of any language, stands for; empty for an unknown word."""
    meant = named_in("habit")
    # Chinese has no blanks: «添加记忆» begins with «添加»
    begun = (word[:end] for end in range(len(word), _BEGINNING - 1, -1) if not word[:end].isascii())
    word = word.casefold().partition(":")[0]  # as in Obsidian's `daily:append`
    return meant.get(word) or next((meant[one] for one in begun if one in meant), "")


def named_in(name: str) -> dict[str, str]:
    """Return what the words of a table of the messages stand for, in every language."""
    from mdmem.messages.catalog import table
    from mdmem.messages.folders import languages

    known = (item for lang in languages() for item in table(lang, name).items())
    return {word: key.partition(".")[2] for key, words in known for word in words.split()}


def is_text(word: str) -> bool:
    """Return whether a word of the command line reads as a text: it has blanks, or several wide characters."""
    from mdmem.cli.console import width

    return any(map(str.isspace, word.strip())) or width(word) > len(word) >= _WORDS


def is_key(word: str) -> bool:
    """Return whether a word has the form of an entry's key or ^id, or of the id of a change."""
    from re import fullmatch

    return fullmatch(_KEY, word) is not None


def split(values: Sequence[str] | None) -> list[str] | None:
    """Split repeated and comma-separated values into one list; None stays None."""
    return None if values is None else [part for value in values for part in value.split(",") if part]
