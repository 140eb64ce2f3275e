"""The errors for a call whose FILE is missing or not in its place, as in `mdmem tick milk`: they name what is meant."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.grammar.misplaced_section import line_with, section_in, section_places
from mdmem.cli.usage import is_text, nearest, usage_error
from mdmem.errors import MdmemError, TargetError

if TYPE_CHECKING:
    from mdmem.cli.grammar.call import Call


def without_file(call: Call, text: str, usage: str) -> MdmemError:
    """Return the error for a text in the place of the file; `usage` is the call in general.

    Where one memory file has the text, the hint is this command line with the file in it.
    """
    try:
        path = call.work.history.why(text).path
    except TargetError as error:
        if not error.candidates:
            return usage_error("no-file-text", text=text, usage=usage)
        if error.count <= 1:
            return usage_error("text-vague", text=text, usage=usage)
        return usage_error("text-in-files", text=text, usage=usage, names="; ".join(error.candidates))
    return usage_error("text-in-file", text=text, file=path, usage=line_with(text, (path, text)))


def text_alone(call: Call, text: str, section: str, usage: str) -> MdmemError:
    """Return the error for a text and a section without a file, as in `mdmem add "text" -s Notes`."""
    places = section_places(call.work, section)
    if len(places) == 1:
        (file,) = places
        return usage_error("section-in-file", file=file, section=section, usage=line_with(text, (file, text)))
    return usage_error("no-file-text", text=text, usage=usage)


def misplaced_text(call: Call, first: str, texts: Sequence[str]) -> MdmemError | None:
    """Return the error for `mdmem add TEXT FILE`, or for a text without quotes; None for any other call.

    Args:
        call: the call.
        first: the word in the place of the file, which is none.
        texts: the words behind it.
    """
    *others, last = texts
    if call.is_file(last) and not any(map(call.is_file, others)):
        words = " ".join(map(quote, (last, first, *others)))
        return usage_error("text-before-file", kind=TargetError, text=first, file=last, usage=f"mdmem add {words}")
    if any(map(is_text, texts)) or not first.isalpha() or nearest(first, call.work.config.schemas.kinds):
        return None
    if section_places(call.work, first):
        return None
    return usage_error("unquoted", argument=texts[0], usage=f"mdmem add {quote(' '.join((first, *texts)))}")


def section_among_texts(call: Call, file: str, texts: Sequence[str]) -> MdmemError | None:
    """Return the error for `mdmem add FILE SECTION TEXT`; None if the first of the texts is no section of the file."""
    first, *others = texts
    path = call.path(file)
    if not (others and section_in(call.work, path, first)):
        return None
    usage = " ".join(("mdmem add", quote(file), "-s", quote(first), *map(quote, others)))
    return usage_error("section-as-text", kind=TargetError, section=first, file=path, usage=usage)
