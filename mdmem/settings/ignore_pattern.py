"""The pattern of one line of a .gitignore, matched without backtracking; imported only if there is such a line."""

from __future__ import annotations

from typing import Any, AnyStr

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from mdmem.text.globs import without_backtracking


class IgnorePattern(GitIgnoreSpecPattern):
    """A pattern as `pathspec` reads it, whose expression does not try the same text again and again."""

    __slots__ = ()

    @classmethod
    def pattern_to_regex(cls, pattern: AnyStr) -> tuple[Any, bool | None]:
        """Return the regular expression of a line, and whether the line includes."""
        source, include = super().pattern_to_regex(pattern)
        return (without_backtracking(source) if isinstance(source, str) else source), include
