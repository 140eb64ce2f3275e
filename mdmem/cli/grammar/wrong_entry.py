"""The error for an entry that is named by its line, or a text by its key: it tells the call that is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.grammar.misplaced_section import line_with
from mdmem.errors import MdmemError, TargetError

if TYPE_CHECKING:
    from mdmem import ShownEntry
    from mdmem.cli.grammar.call import Call


@contextmanager
def told_of_entries(call: Call, path: str, names: Sequence[str], *, is_text: bool = False) -> Iterator[None]:
    """Add the hint that helps to the error for an entry that is not found.

    Args:
        call: the call.
        path: the file.
        names: what stands for entries, or for a text.
        is_text: the verb takes a text that is in the file, and no entry.
    """
    try:
        yield
    except TargetError as error:
        with suppress(MdmemError):  # the file cannot be read: the first error tells it
            shown = _entries(call, path)
            for name in names:
                if found := _meant(shown, name, by_key=is_text):
                    usage = line_with(name, [found.text if is_text else found.key])
                    error.hint = call.say("usage.entry-of-line", line=found.line, entry=found.key, usage=usage)
        raise


def _entries(call: Call, path: str) -> list[ShownEntry]:
    """Return the entries of a file that a message may show: those without a secret."""
    from mdmem.linter.masking import mask

    shown = (entry for part in call.work.show(path).sections for entry in part.entries)
    return [entry for entry in shown if mask(entry.text) == entry.text]


def _meant(entries: Sequence[ShownEntry], name: str, *, by_key: bool) -> ShownEntry | None:
    """Return the entry in a line, as in `13` or `MEMORY.md:13`; with `by_key` also the one with a key."""
    line = name.rpartition(":")[2]
    found = (one for one in entries if (line.isdecimal() and one.line == int(line)) or (by_key and one.key == name))
    return next(found, None)


def example_text(call: Call, path: str) -> str:
    """Return the text of the last entry of a file, quoted for a shell; empty if it has none or cannot be read."""
    with suppress(MdmemError):
        shown = _entries(call, path)
        return quote(shown[-1].text) if shown else ""
    return ""
