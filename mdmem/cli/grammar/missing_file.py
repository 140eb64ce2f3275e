"""The error for a call whose FILE is missing, as in `mdmem tick milk`: it names the file that has the entry."""

from __future__ import annotations

import os
import sys
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.grammar.usage import usage_error
from mdmem.errors import MdmemError, TargetError

if TYPE_CHECKING:
    from mdmem import Workspace


def is_file(work: Workspace, name: str) -> bool:
    """Return whether a name that stands for a file is one, or a kind, or the name of a Markdown file."""
    is_there = work.kind(name) or os.path.lexists(os.path.join(work.root, name))
    return bool(is_there) or name.casefold().endswith((".md", ".markdown"))


def without_file(work: Workspace, text: str, usage: str) -> MdmemError:
    """Return the error for a text in the place of the file; `usage` is the call in general.

    Where one memory file has the text, the hint is this command line with the file in it.
    """
    try:
        path = work.history.why(text).path
    except TargetError as error:
        if not error.candidates:
            return usage_error("no-file-text", text=text, usage=usage)
        return usage_error("text-in-files", text=text, usage=usage, names="; ".join(error.candidates))
    words = sys.argv[1:]
    at = words.index(text) if text in words else len(words)
    call = " ".join(("mdmem", *map(quote, (*words[:at], path, *words[at:]))))
    return usage_error("text-in-file", text=text, file=path, usage=call)
