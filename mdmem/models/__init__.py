"""Clients of models: a program, an endpoint, an agent's own program; a prompt in, the raw answer out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from mdmem.errors import OutOfTimeError

Backend = Callable[[str], str]  # raises ModelError
Mask = Callable[[str], str]  # replaces every secret
NESTED = "MDMEM_NESTED"  # in the environment of an agent that is asked as a model: no hook of ours does anything there


class ModelReply(NamedTuple):
    """The answer of a model, and the tokens of question and answer as it counts them; 0 if it does not tell."""

    text: str
    tokens: int = 0


class TimeLimit:
    """The time that several questions may take together; it begins when this is made."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock, self._until = seconds, clock, clock() + seconds

    def most(self, seconds: float) -> float:
        """Return how long the next question may take: `seconds`, or what is left if that is less.

        Raises:
            OutOfTimeError: nothing is left.
        """
        left = self._until - self._clock()
        if left <= 0:
            raise self.over()
        return min(seconds, left)

    def over(self) -> OutOfTimeError:
        """Return the error that says that nothing is left."""
        return OutOfTimeError(
            "the {seconds} seconds for models are over",
            hint="`end_seconds` in [session] is the limit",
            facts={"seconds": self._seconds},
        )


def excerpt(output: bytes, mask: Mask, *, last: bool = False, chars: int = 300) -> str:
    """Return the beginning, or the end, of an output as one line without secrets."""
    line = " ".join(mask(output.decode("utf-8", "replace")).split())
    line = "".join(char for char in line if char.isprintable())
    if len(line) <= chars:
        return line
    return f"…{line[-chars:]}" if last else f"{line[:chars]}…"
