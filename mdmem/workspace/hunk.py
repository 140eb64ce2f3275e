"""A change of a file as a person reads it in the inbox: the lines that go, the lines that come, one line around them.

It stands below its entry as a ```diff block, so that what is agreed to is exactly what is done, and nothing is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from mdmem.core.document import Document, Entry
from mdmem.core.edit import Edit
from mdmem.core.record import NamedTuple
from mdmem.core.text import Lines
from mdmem.errors import TargetError

_AROUND = (1, 2, 4, 8)  # lines of context, the fewest that make the place the only one


class Hunk(NamedTuple):
    """Lines of a file and what they become, without their endings."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    lines: tuple[str, ...]  # as a diff shows them


def hunks(before: str, after: str) -> list[Hunk]:
    """Take a change apart; each piece can be made by itself."""
    old, new = _split(before), _split(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    found: list[Hunk] = []
    for around in (*_AROUND, len(old)):
        found = [_hunk(old, new, group) for group in matcher.get_grouped_opcodes(around)]
        if all(len(_places(old, one.old)) == 1 for one in found):
            break
    return found


def apply(document: Document, hunk: Hunk) -> Edit:
    """Make the change of a hunk, in the file's own line endings.

    Raises:
        TargetError: its lines are no longer there, or no longer the only ones.
    """
    lines, text = document.lines, document.text
    rows = _split(text)
    found = _places(rows, hunk.old)
    if len(found) != 1:
        raise TargetError("the lines of the proposal do not stand in the file once", count=len(found))
    first, last = found[0], found[0] + len(hunk.old) - 1
    if not hunk.old:
        return Edit.insert(document.start, "".join(f"{row}{lines.ending}" for row in hunk.new))
    span = lines.full(first, last)
    new = "".join(f"{row}{lines.ending}" for row in hunk.new)
    return Edit(span, new if text[: span.end].endswith(("\n", "\r")) else new.removesuffix(lines.ending))


def fenced(hunk: Hunk, indent: int) -> str:
    """Write a hunk as a block below an entry whose text begins at a column."""
    longest = max(map(len, re.findall("`+", "\n".join(hunk.lines))), default=0)
    fence = "`" * max(3, longest + 1)
    return "".join(f"\n{' ' * indent}{line}" for line in (f"{fence}diff", *hunk.lines, fence))


def read_hunk(document: Document, entry: Entry) -> Hunk | None:
    """Read the block below an entry; None where there is none."""
    fence = next((one for one in document.fences if entry.span.holds(one.span) and one.info == "diff"), None)
    if fence is None:
        return None
    indent = fence.span.start - document.lines.start(fence.line)
    indent += len(document.lines.text(fence.line)[indent:]) - len(document.lines.text(fence.line)[indent:].lstrip(" "))
    rows = [document.lines.text(line)[indent:] for line in range(fence.line + 1, fence.last_line + (not fence.closed))]
    return _read([row or " " for row in rows])  # an editor may have trimmed an empty line of context


def _places(rows: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Find where lines stand in a file; of none, the only place is an empty file."""
    if not wanted:
        return [0] if not any(rows) else []
    last = len(rows) - len(wanted)
    same = [at for at in range(last + 1) if list(rows[at : at + len(wanted)]) == list(wanted)]
    if same:
        return same
    bare = [row.rstrip() for row in wanted]  # an editor may have trimmed what stands in the inbox
    return [at for at in range(last + 1) if [row.rstrip() for row in rows[at : at + len(wanted)]] == bare]


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[tuple[str, int, int, int, int]]) -> Hunk:
    rows: list[str] = []
    for kind, begin, end, new_begin, new_end in group:
        if kind == "equal":
            rows += [f" {line}" for line in old[begin:end]]
        else:
            rows += [f"-{line}" for line in old[begin:end]] + [f"+{line}" for line in new[new_begin:new_end]]
    return _read(rows)


def _read(rows: Sequence[str]) -> Hunk:
    old = tuple(row[1:] for row in rows if row[0] in " -")
    new = tuple(row[1:] for row in rows if row[0] in " +")
    return Hunk(old, new, tuple(rows))


def _split(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.text(line) for line in range(len(lines))] if text else []
