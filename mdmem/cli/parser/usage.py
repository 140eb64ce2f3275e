"""What the command line says of a call that makes no sense, in the language that is spoken here."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.errors import MdmemError, UsageError


def wrong(
    key: str,
    meant: str = "",
    kind: type[MdmemError] = UsageError,
    path: str = "",
    **facts: object,
) -> MdmemError:
    """Build the error of a call, in the language that is spoken here.

    Args:
        key: which one, of `[usage]` in the sentences.
        meant: what may have been meant.
        kind: the class of the error.
        path: the file that it is about.
        facts: what the sentence needs.
    """
    from mdmem.cli.language import spoken
    from mdmem.messages.catalog import say

    lang, key = spoken(), f"usage.{key}"
    hint = say(lang, f"{key}.hint", **facts)
    if meant:
        hint = say(lang, "punctuation.clause").join((say(lang, "usage.meant", word=meant), hint))
    return kind(say(lang, key, **facts), hint=hint, path=path)


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that is most like one that was typed; empty where none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, 1)), "")
