"""What the end of a session says, of which the beginning was not read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


def last_number(text: str, template: Template, *, whole: bool) -> int | None:
    """Give the number of the last round, 0 where there is none; None where more of the file must be read."""
    begin = turns_start(text, template)
    numbers = [int(mark[1]) for mark in turn_marks(text, 1 if begin is None else begin)]
    if numbers:
        return numbers[-1]
    return 0 if whole or begin is not None else None
