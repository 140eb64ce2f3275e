"""The errors for a call whose FILE is missing, as in `mdmem tick milk`: they name the file that is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.cli.grammar.misplaced_section import line_with, section_places
from mdmem.cli.usage import usage_error
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
        return usage_error("text-in-files", text=text, usage=usage, names="; ".join(error.candidates))
    return usage_error("text-in-file", text=text, file=path, usage=line_with(text, (path, text)))


def text_alone(call: Call, text: str, section: str, usage: str) -> MdmemError:
    """Return the error for a text and a section without a file, as in `mdmem add "text" -s Notes`."""
    places = section_places(call.work, section)
    if len(places) == 1:
        (file,) = places
        return usage_error("section-in-file", file=file, section=section, usage=line_with(text, (file, text)))
    return usage_error("no-file-text", text=text, usage=usage)
