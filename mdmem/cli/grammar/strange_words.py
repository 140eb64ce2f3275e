"""The errors for words that a command line does not take: an unknown verb, and an argument too many."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from shlex import quote

from typer import Context
from typer.core import TyperArgument

from mdmem.cli.grammar.synopsis import synopsis, with_example
from mdmem.cli.grammar.verbs import GITS, VERBS
from mdmem.cli.usage import habitual, is_text, nearest, usage_error
from mdmem.errors import MdmemError

_TEXTS = ("text", "entry", "task", "summary")  # arguments that people write without quotes
_KEY = re.compile(r"\^\w+|[0-9a-f]{6,12}|\d{8}T\d{6}-[0-9a-f]+")  # of an entry or a change
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
    if _KEY.fullmatch(name):
        return usage_error("key-no-verb", verb=name, word=quote(name))
    return usage_error("text-no-verb" if is_text(name) else "no-verb", verb=name, word=quote(name))


def one_too_many(ctx: Context, left: Sequence[str], words: Sequence[str]) -> MdmemError:
    """Return the error for words that a command leaves; a text without quotes is told with them."""
    arguments = [one for one in ctx.command.get_params(ctx) if isinstance(one, TyperArgument)]
    options = [flag for one in ctx.command.get_params(ctx) for flag in one.opts]
    if not arguments:
        option = f"--{left[0]}" if f"--{left[0]}" in options else ""
        return with_example(usage_error("takes-none", option, argument=left[0], usage=synopsis(ctx)), ctx)
    text = str(ctx.params.get(arguments[-1].name or ""))
    if arguments[-1].name not in _TEXTS or text not in words:
        return with_example(usage_error("too-many", argument=left[0], usage=synopsis(ctx)), ctx)
    rest, at = list(words), words.index(text)
    for word in (text, *left):
        rest.remove(word)
    rest.insert(at, " ".join((text, *left)))
    return usage_error("unquoted", argument=left[0], usage=" ".join((ctx.command_path, *map(quote, rest))))
