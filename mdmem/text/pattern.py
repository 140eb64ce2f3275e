"""Regular expressions that are compiled when they are first used.

A start-up that compiles what sixty rules might need costs more than most lints; a rule whose cheap first question is
answered with no never pays for its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator


class Pattern:
    """A regular expression like `re.compile` gives, of which the methods are bound at the first use."""

    __slots__ = ("_flags", "_source", "findall", "finditer", "fullmatch", "match", "search", "split", "sub")

    finditer: Callable[..., Iterator[re.Match[str]]]
    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    sub: Callable[..., str]
    split: Callable[..., list[str]]
    findall: Callable[..., list[str]]

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        """Compile, and keep the methods, so that this is asked once."""
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in ("finditer", "findall", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> Pattern:
    """Give a pattern that is compiled when it is first used; tests compile them all."""
    return Pattern(source, flags)
