"""Regular expressions that are compiled on first use.

Compiling the patterns of sixty rules at start-up takes longer than most lints; a rule whose first check fails does not
need its pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator


class Pattern:
    """A regular expression as of `re.compile`, whose methods are bound on first use."""

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
        """Compile the expression and store its methods, so that this runs once."""
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in ("finditer", "findall", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> Pattern:
    """Return a pattern that is compiled on first use; tests compile them all."""
    return Pattern(source, flags)
