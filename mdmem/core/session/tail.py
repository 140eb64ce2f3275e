"""What the end of a session says, of which the beginning was not read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mdmem.core.session.marks import turn_marks, turns_start
from mdmem.core.session.read import turns_in
from mdmem.core.session.turn import Turn, rounds
from mdmem.core.template import Template

Enough = Callable[[Sequence[Turn]], bool]


def newest(text: str, template: Template, enough: Enough, *, whole: bool) -> tuple[Turn, ...] | None:
    """Give the fewest newest rounds that are enough, or all there are; None where more of the file must be read.

    Args:
        text: the end of a session; its first line may be the end of one.
        template: that of the kind `session`.
        enough: from some rounds' turns to whether they are.
        whole: the text is the file.

    Places are counted from the beginning of the text.
    """
    begin = turns_start(text, template)
    whole = whole or begin is not None
    if begin is None and whole:
        return ()
    found = rounds(turns_in(text, template, 1 if begin is None else begin))
    known = found if whole else found[1:]  # of the first round that is seen, there may be more before
    chosen: tuple[Turn, ...] = ()
    for turns in reversed(known):
        if chosen and enough(chosen):
            return chosen
        chosen = turns + chosen
    return chosen if whole or (chosen and enough(chosen)) else None


def openings(text: str, template: Template, numbers: Sequence[int]) -> Iterator[tuple[Turn, int]]:
    """Find the first turn of each of these rounds, and count the others of it, in the beginning of a session's file.

    Args:
        text: the file up to a turn's heading.
        template: that of the kind `session`.
        numbers: of the rounds, ascending.
    """
    at = turns_start(text[: text.find("\n### ") + 1], template) or 0
    for number in numbers:
        start = text.find(f"\n### {number} ", at)
        if start < 0:
            continue
        end = text.find("\n### ", start + 1) + 1
        opening = next(turns_in(text[start + 1 : end] if end else text[start + 1 :], template), None)
        if opening is not None:
            yield opening, text.count(f"\n### {number} ", start + 1)
        at = start


def last_number(text: str, template: Template, *, whole: bool) -> int | None:
    """Give the number of the last round, 0 where there is none; None where more of the file must be read."""
    begin = turns_start(text, template)
    numbers = [int(mark[1]) for mark in turn_marks(text, 1 if begin is None else begin)]
    if numbers:
        return numbers[-1]
    return 0 if whole or begin is not None else None
