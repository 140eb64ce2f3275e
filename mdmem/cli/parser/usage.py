"""What the command line says of a call that makes no sense, in both languages."""

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
        key: which one, of the table below.
        meant: what may have been meant.
        kind: the class of the error.
        path: the file that it is about.
        facts: what the sentence needs.
    """
    from mdmem.cli.language import spoken
    from mdmem.messages.usage import WORDS

    lang = spoken()
    said = WORDS[key][lang == "zh"]
    hint = said.hint.format_map(facts)
    if meant:
        hint = f"{_MEANT[lang == 'zh'].format(word=meant)}{'；' if lang == 'zh' else '; '}{hint}"
    return kind(said.message.format_map(facts), hint=hint, path=path)


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that is most like one that was typed; empty where none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, 1)), "")


_MEANT = ("`{word}` may be meant", "可能是想写 `{word}`")
