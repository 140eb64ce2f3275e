"""The errors for words that a command line does not take: an unknown verb, and an argument too many."""

from __future__ import annotations

import os
from collections.abc import Sequence
from shlex import quote

from typer import Context
from typer.core import TyperArgument

from mdmem.cli.grammar.synopsis import synopsis, with_example
from mdmem.cli.grammar.verbs import GITS, VERBS, VERBS_OF_NOUNS
from mdmem.cli.language import current_language
from mdmem.cli.usage import habitual, is_key, is_text, nearest, usage_error
from mdmem.errors import MdmemError
from mdmem.messages.catalog import label

_TEXTS = ("text", "entry", "task", "summary")  # arguments that people write without quotes
_NOTE = (".md", ".markdown")


def no_verb(name: str) -> MdmemError:
    """Return the error for a word that is no verb: the hint names the verb that is meant, or that fits it."""
    if name in GITS:
        return usage_error("git-verb", verb=name)
    base = name.casefold().partition(":")[0]
    if meant := base if base in VERBS else habitual(name) or nearest(name, tuple(VERBS)):
        return usage_error("no-verb", meant, verb=name)
    if name.casefold().endswith(_NOTE) or os.path.isfile(name):
        return usage_error("file-no-verb", verb=name, word=quote(name))
    if is_key(name):
        return usage_error("key-no-verb", verb=name, word=quote(name))
    return usage_error("text-no-verb" if is_text(name) else "no-verb", verb=name, word=quote(name))


def meant_below(noun: str, words: Sequence[str], names: Sequence[str], default: str = "") -> str:
    """Return what a word of another program or language stands for below a noun; empty if nothing is known.

    Args:
        noun: the words of the noun.
        words: the words behind it; the first one is no verb of it.
        names: its verbs.
        default: the one that the noun alone stands for.
    """
    word = words[0].casefold()
    meant = (habitual(word) or word).removeprefix(f"{noun} ")
    stands_for = (meant, *VERBS_OF_NOUNS.get(word, ()), *VERBS_OF_NOUNS.get(meant, ()))
    if known := next((one for one in stands_for if one in names), ""):
        return known
    if default in stands_for:
        return f"mdmem {noun}"
    name = quote(next(iter(words[1:]), "NAME"))
    return label(current_language(), f"elsewhere.{noun} {meant}", "").format(name=name)


def one_too_many(ctx: Context, left: Sequence[str], words: Sequence[str]) -> MdmemError:
    """Return the error for words that a command leaves; a text without quotes is told with them."""
    arguments = [one for one in ctx.command.get_params(ctx) if isinstance(one, TyperArgument)]
    options = [flag for one in ctx.command.get_params(ctx) for flag in one.opts]
    if not arguments:
        option = f"--{left[0]}" if f"--{left[0]}" in options else ""
        if "--root" in options and os.path.isdir(left[0]):
            usage = f"{ctx.command_path} --root {quote(left[0])}"
            return usage_error("folder-alone", argument=left[0], usage=usage)
        return with_example(usage_error("takes-none", option, argument=left[0], usage=synopsis(ctx)), ctx)
    text = str(ctx.params.get(arguments[-1].name or ""))
    if arguments[-1].name not in _TEXTS or text not in words:
        return with_example(usage_error("too-many", argument=left[0], usage=synopsis(ctx)), ctx)
    rest, at = list(words), words.index(text)
    for word in (text, *left):
        rest.remove(word)
    rest.insert(at, " ".join((text, *left)))
    return usage_error("unquoted", argument=left[0], usage=" ".join((ctx.command_path, *map(quote, rest))))
