"""An answer of a backend as operations, and why an answer is not written. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mdmem.messages.catalog import say
from mdmem.text.entry import bare
from mdmem.text.pattern import pattern

_LINE_END = pattern(r"\r\n|\r|\n")


def lines_of(content: str) -> tuple[str, ...]:
    """Return the lines of a content without bullets and blank lines."""
    stripped = (line.strip() for line in _LINE_END.split(content))
    return tuple(text for line in stripped if (text := bare(line)))


def content_of(lines: tuple[str, ...]) -> str:
    """Return lines as the content of an operation."""
    return "\n".join(f"- {line}" for line in lines)


class Operation(NamedTuple):
    """The new entries of one section, one per line, as a backend answers them (F034)."""

    path: str
    section: str
    content: str


class PlanProblem(NamedTuple):
    """Why an answer is not written: the key of a message and its facts."""

    kind: str
    facts: Mapping[str, object] = {}  # not modified

    @property
    def is_unreadable(self) -> bool:
        """Whether the answer could not be read at all; any other one was read, and not proved."""
        return self.kind.startswith("answer-")

    def told(self, lang: str) -> str:
        """Return the reason as one clause."""
        return say(lang, f"keeper.{self.kind}", **self.facts)
