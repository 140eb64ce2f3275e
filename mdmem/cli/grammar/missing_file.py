"""The error for a call whose FILE is missing, as in `mdmem tick milk`: it names the file that has the entry."""

from __future__ import annotations

import os
import sys
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.grammar.usage import usage_error
from mdmem.errors import MdmemError, TargetError

if TYPE_CHECKING:
    from mdmem.cli.grammar.call import Call


def is_file(call: Call, file: str) -> bool:
    """Return whether a word that stands for a file is one, or a kind, or the name of a Markdown file."""
    name = call.path_or_kind(file)
    is_there = call.work.kind(name) or os.path.lexists(os.path.join(call.work.root, name))
    return bool(is_there) or name.casefold().endswith((".md", ".markdown"))


def without_file(call: Call, text: str, usage: str) -> MdmemError:
    """Return the error for a text in the place of the file; `usage` is the call in general.

    Where one memory file has the text, the hint is this command line with the file in it.
    """
    try:
        path = call.work.history.why(text).path
    except TargetError as error:
        if not error.candidates:
            return usage_error("no-file-text", text=text, usage=usage)
        return usage_error("text-in-files", text=text, usage=usage, names="; ".join(error.candidates))
    words = sys.argv[1:]
    at = words.index(text) if text in words else len(words)
    line = " ".join(("mdmem", *map(quote, (*words[:at], path, *words[at:]))))
    return usage_error("text-in-file", text=text, file=path, usage=line)
