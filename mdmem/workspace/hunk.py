"""A change of a file as a person reads it in the inbox: the lines that go, the lines that come, one line around them.

It stands below its entry as a ```diff block, so that what is agreed to is exactly what is done, and nothing is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from mdmem.core.document import Document, Entry
from mdmem.core.intent import Intent, exact
from mdmem.core.text import Lines

_AROUND = (1, 2, 4, 8)  # lines of context, the fewest that make the place the only one


class Hunk(NamedTuple):
    """Lines of a file and what they become; both without the last line's ending."""

    old: str
    new: str
    lines: tuple[str, ...]  # as a diff shows them


def hunks(before: str, after: str) -> list[Hunk]:
    """Take a change apart; each piece can be made by itself."""
    old, new = _split(before), _split(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    found: list[Hunk] = []
    for around in _AROUND:
        found = [_hunk(old, new, group) for group in matcher.get_grouped_opcodes(around)]
        if all("\n".join(old).count(one.old) == 1 for one in found):
            break
    return found


def apply(document: Document, hunk: Hunk) -> Intent:
    """Make the change of a hunk; raises TargetError where its lines are no longer there, or no longer the only ones."""
    return exact(document, hunk.old, hunk.new)


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


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[tuple[str, int, int, int, int]]) -> Hunk:
    rows: list[str] = []
    for kind, begin, end, new_begin, new_end in group:
        if kind == "equal":
            rows += [f" {line}" for line in old[begin:end]]
        else:
            rows += [f"-{line}" for line in old[begin:end]] + [f"+{line}" for line in new[new_begin:new_end]]
    return _read(rows)


def _read(rows: Sequence[str]) -> Hunk:
    old = "\n".join(row[1:] for row in rows if row[0] in " -")
    new = "\n".join(row[1:] for row in rows if row[0] in " +")
    return Hunk(old, new, tuple(rows))


def _split(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.text(line) for line in range(len(lines))] if text else []
