"""The errors for a call whose FILE is missing, as in `mdmem tick milk`: they name the file that is meant."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.grammar.usage import usage_error
from mdmem.errors import MdmemError, TargetError
from mdmem.formats.template import fold

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
    return usage_error("text-in-file", text=text, file=path, usage=line_with(text, (path, text)))


def text_alone(call: Call, text: str, section: str, usage: str) -> MdmemError:
    """Return the error for a text and a section without a file, as in `mdmem add "text" -s Notes`."""
    places = _places(call, section)
    if len(places) == 1:
        (file,) = places
        return usage_error("section-in-file", file=file, section=section, usage=line_with(text, (file, text)))
    return usage_error("no-file-text", text=text, usage=usage)


def section_alone(call: Call, name: str) -> MdmemError | None:
    """Return the error for a section in the place of the file, as in `mdmem add notes x`; None if none is called so."""
    places = _places(call, name)
    if not places:
        return None
    file, section = next(iter(places.items()))
    words = (file, "-s", section) if sys.argv[1:2] == ["add"] else (file,)
    files = call.say("punctuation.list").join(places)
    return usage_error("section-alone", kind=TargetError, name=name, files=files, usage=line_with(name, words))


def _places(call: Call, section: str) -> dict[str, str]:
    """Return the memory files with a section of this name or alias, and what it is called there."""
    if not (wanted := fold(section)):
        return {}
    schemas = call.work.config.schemas
    named = filter(None, map(schemas.get, schemas.kinds))
    found = {one.files[0]: name for one in named if not set(one.files[0]) & set("/*?") and (name := one.name(section))}
    for path in call.work.files():
        titles = (part.title for part in call.work.show(path).sections)
        if title := next((one for one in titles if fold(one) == wanted), ""):
            found[path] = title
    return found


def line_with(word: str, words: Sequence[str]) -> str:
    """Return this command line with other words in the place of one of its words."""
    given = sys.argv[1:]
    at = given.index(word) if word in given else len(given)
    return " ".join(("mdmem", *map(quote, (*given[:at], *words, *given[at + 1 :]))))
