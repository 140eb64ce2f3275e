"""The result: a pack of parts, each with its tokens, its text, and what it left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdmem.core.record import NamedTuple


class Left(NamedTuple):
    """Something that its source holds and the pack does not."""

    path: str  # where it stands; empty for what was given
    line: int  # 1-based; of a turn its round; 0: the whole of it
    text: str
    # budget, view, rounds, told, expired, hidden, placeholder, retired, output, code; of all of it: off, missing,
    # unreadable, empty
    why: str


class Part(NamedTuple):
    """One part of a pack; without text where it is not shown."""

    name: str
    title: str
    role: str
    text: str  # with its title
    tokens: int
    budget: int | None  # tokens that its recipe allows it; None: as many as there are
    shown: int  # items
    left: tuple[Left, ...]
    why: str = ""  # why there is no text: missing, empty, off, unreadable, unknown, budget
    filled_by: str = ""  # the file, or the option, that would fill it


class Pack(NamedTuple):
    """What a model is given."""

    recipe: str
    budget: int
    tokens: int  # of `text`, by the counter that was used
    text: str
    parts: tuple[Part, ...]
    state: Mapping[str, Any]  # what it was made of, in the shape of G046

    @property
    def messages(self) -> list[dict[str, str]]:
        """The parts as messages for a model; neighbours of one role are one message."""
        found: list[dict[str, str]] = []
        for part in self.parts:
            if part.text and found and found[-1]["role"] == part.role:
                found[-1]["content"] += SEPARATOR + part.text
            elif part.text:
                found.append({"role": part.role, "content": part.text})
        return found

    @property
    def left(self) -> tuple[Left, ...]:
        """All that was left out."""
        return tuple(left for part in self.parts for left in part.left)

    def part(self, name: str) -> Part | None:
        """Give the part of that name."""
        return next((part for part in self.parts if part.name == name), None)

    def as_dict(self) -> dict[str, Any]:
        """Give the pack as JSON's types: the state with its keys of G046, and the parts."""
        parts = [part._asdict() | {"left": [left._asdict() for left in part.left]} for part in self.parts]
        return {**self.state, "recipe": self.recipe, "budget": self.budget, "tokens": self.tokens, "parts": parts}


SEPARATOR = "\n\n"  # between two parts
