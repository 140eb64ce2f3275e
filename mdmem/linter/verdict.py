"""Verdicts: the findings in one file with its measures, as they are kept in the cache."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.store.files import file_size
from mdmem.text.edit import Diagnostic

_NOT_COMMITTED = ("MM508",)  # a secret in an artifact: a warning where it lies, an error in a commit
Choice = tuple[tuple[str, ...], tuple[str, ...]]  # rules to select, and to ignore


class Measured(NamedTuple):
    """The measures of a file: its template, its size, and the entries of each section."""

    kind: str = ""  # of its template; empty for a file of unknown kind
    lang: str = ""  # of its template
    chars: int = 0
    entries: int = 0
    sections: tuple[int, ...] | None = None  # entries, in the order of the template's sections; None: not parsed


class Verdict(NamedTuple):
    """The findings in one file, and what else they depend on."""

    diagnostics: list[Diagnostic]
    day: str | None  # the day of the run, if a rule asked for it
    asked: dict[str, bool]  # paths that rules looked up, and whether they existed
    sizes: dict[str, int]  # paths whose size rules looked up, and their bytes; -1 for no file
    measured: Measured

    def refusing(self) -> Verdict:
        """Return the verdict on a file that is about to be committed: evidence with a secret is kept at home."""
        found = [one._replace(severity="error") if one.code in _NOT_COMMITTED else one for one in self.diagnostics]
        return self._replace(diagnostics=found)

    def record(self) -> list[Any]:
        """Return the verdict as values that the cache can store."""
        return [self.day, self.asked, self.sizes, [one.as_dict() for one in self.diagnostics], self.measured]


def recall(config: WorkspaceConfig, record: Any, path: str) -> Verdict | None:  # noqa: ANN401 - any JSON value; it is checked here
    """Return the verdict of a cache record if it still holds: same day if it depends on the day, same files exist."""
    try:
        day, asked, sizes, findings, (kind, lang, chars, entries, sections) = record
        if day not in (None, config.day):
            return None
        if any(os.path.exists(os.path.join(config.root, other)) != existed for other, existed in asked.items()):
            return None
        if any(file_size(config.root, other) != size for other, size in sizes.items()):
            return None
        counts = None if sections is None else tuple(sections)
        diagnostics = [Diagnostic.from_dict(values | {"path": path}) for values in findings]
        return Verdict(diagnostics, day, asked, sizes, Measured(kind, lang, chars, entries, counts))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
