"""Where a rule holds: everywhere, or in a folder or a project that its words or its subject name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from mdmem.settings.tables import RulesSettings
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.similarity import comparison_key

_NAME = r"[A-Za-z0-9_.~/-]+"
_QUOTED = r"[`'\"“「《](?P<quoted>[^`'\"”」》]+)[`'\"”」》]"
_SPACE = pattern(r"\s+")
_MARKS = ("/", "~", ".")  # a path begins with them


class RuleScope(NamedTuple):
    """The one folder or project in which a rule holds; without a name it holds everywhere."""

    name: str = ""
    is_project: bool = False


EVERYWHERE = RuleScope()


class ScopeWords:
    """Finds the scope that the words of a rule name, by the phrases of `[rules]`."""

    def __init__(self, settings: RulesSettings) -> None:
        self._settings = settings

    def project(self, text: str) -> str:
        """Return the project in which a rule holds by its words; empty for none."""
        return next(self._names(self._settings.projects, text), "")

    def folder(self, text: str) -> str:
        """Return the folder in which a rule holds by its words; empty for none.

        Without a word such as «folder», only a name that a slash begins or ends is one: «in yes/no form» names none.
        """
        found = next(self._names(self._settings.folders, text), "")
        paths = (name for name in self._names(self._settings.paths, text) if "/" in name)
        return found or next((name for name in paths if name.startswith(_MARKS) or name.endswith("/")), "")

    def _names(self, phrases: tuple[str, ...], text: str) -> Iterator[str]:
        for one in _patterns(phrases):
            for match in one.finditer(text):
                name = (match["quoted"] or match["name"]).rstrip(".,;:")
                if name.strip("/.~") and self._general.isdisjoint(name.casefold().split()):
                    yield name

    @cached_property
    def _general(self) -> frozenset[str]:
        return frozenset(self._settings.anywhere)


@lru_cache(maxsize=8)
def _patterns(phrases: tuple[str, ...]) -> tuple[Pattern, ...]:
    """Return a pattern for each phrase, in which `{}` stands for a name."""
    return tuple(map(_pattern, phrases))


def _pattern(phrase: str) -> Pattern:
    before, _, after = phrase.partition("{}")
    # in English a name of several words ends where the phrase goes on
    name = rf"{_NAME}(?: {_NAME}){{0,2}}?" if after.strip() and phrase.isascii() else _NAME
    left = r"(?<![A-Za-z0-9_])" if before.isascii() else ""
    right = r"(?![A-Za-z0-9_])" if after.isascii() else ""
    return pattern(rf"(?i){left}{_spaced(before)}(?:{_QUOTED}|(?P<name>{name})){_spaced(after)}{right}")


def _spaced(text: str) -> str:
    """Return the source of words with any white space between them; beside Chinese words there may be none."""
    gap = r"\s+" if text.isascii() else r"\s*"
    return gap.join(map(re.escape, _SPACE.split(text)))


class WorkPlace:
    """The folder in which an agent works."""

    def __init__(self, folder: str) -> None:
        """Bind to a folder; empty if it is not known."""
        self._folder = os.path.abspath(folder) if folder else ""

    def holds(self, scope: RuleScope) -> bool:
        """Return whether a rule of this scope applies here: within what it names, or above it."""
        if not (self._folder and scope.name):
            return True
        if scope.name.startswith(("/", "~")):
            named = os.path.abspath(os.path.expanduser(scope.name))
            return _is_below(self._folder, named) or _is_below(named, self._folder)
        wanted = [comparison_key(part) for part in scope.name.split("/") if part not in ("", ".")]
        parts = self._parts
        if any(parts[at : at + len(wanted)] == wanted for at in range(len(parts))):
            return True
        return os.path.isdir(os.path.join(self._folder, scope.name))

    @cached_property
    def _parts(self) -> Sequence[str]:
        return [comparison_key(part) for part in self._folder.split(os.sep) if part]


def _is_below(path: str, above: str) -> bool:
    return path == above or path.startswith(os.path.join(above, ""))


class KnownProjects(NamedTuple):
    """What is known of the user's projects."""

    live: tuple[str, ...]  # lines that name them
    ended: tuple[str, ...]  # lines that name those of the past

    def has(self, name: str) -> bool:
        """Return whether a name is that of a project."""
        return _is_named(name, (*self.live, *self.ended))

    def has_ended(self, name: str) -> bool:
        """Return whether a project is one of the past only."""
        return _is_named(name, self.ended) and not _is_named(name, self.live)


def _is_named(name: str, lines: Sequence[str]) -> bool:
    wanted = re.compile(rf"(?<![A-Za-z0-9_-]){re.escape(name)}(?![A-Za-z0-9_-])", re.IGNORECASE)
    return any(map(wanted.search, lines))
