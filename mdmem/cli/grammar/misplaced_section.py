"""The error for a section in the place of a file, as in `mdmem add notes x`; and which files have a section."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.usage import usage_error
from mdmem.errors import MdmemError, TargetError
from mdmem.formats.template import fold
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Workspace


def section_alone(work: Workspace, name: str) -> MdmemError | None:
    """Return the error for a section in the place of a file; None if no section is called so."""
    places = section_places(work, name)
    if not places:
        return None
    file, section = next(iter(places.items()))
    words = (file, "-s", section) if sys.argv[1:2] == ["add"] else (file,)
    files = say(work.lang, "punctuation.list").join(places)
    return usage_error("section-alone", kind=TargetError, name=name, files=files, usage=line_with(name, words))


def section_places(work: Workspace, section: str) -> dict[str, str]:
    """Return the memory files with a section of this name or alias, and what it is called there."""
    if not fold(section):
        return {}
    schemas = work.config.schemas
    named = filter(None, map(schemas.get, schemas.kinds))
    found = {one.files[0]: name for one in named if not set(one.files[0]) & set("/*?") and (name := one.name(section))}
    for path in work.files():
        if title := _title(work, path, section):
            found[path] = title
    return found


def section_in(work: Workspace, path: str, section: str) -> str:
    """Return what a section of this name or alias is called in one file; empty if the file has none."""
    template = work.config.schemas.match(path)
    named = template.name(section) if template else ""
    is_there = os.path.isfile(os.path.join(work.root, path))
    return named or (_title(work, path, section) if is_there and fold(section) else "")


def _title(work: Workspace, path: str, section: str) -> str:
    """Return the title in a file that is the same but for case and marks; empty if there is none."""
    titles = (part.title for part in work.show(path).sections)
    return next((one for one in titles if fold(one) == fold(section)), "")


def line_with(word: str, words: Sequence[str]) -> str:
    """Return this command line with other words in the place of one of its words."""
    given = sys.argv[1:]
    at = given.index(word) if word in given else len(given)
    return " ".join(("mdmem", *map(quote, (*given[:at], *words, *given[at + 1 :]))))
