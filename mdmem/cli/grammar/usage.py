"""Usage errors of the command line, in its language. Everything else is imported when there is an error."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.errors import MdmemError, UsageError

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

    return next(iter(get_close_matches(word, known, 1, _SIMILAR)), "")


def split(values: Sequence[str] | None) -> list[str] | None:
    """Split repeated and comma-separated values into one list; None stays None."""
    return None if values is None else [part for value in values for part in value.split(",") if part]
