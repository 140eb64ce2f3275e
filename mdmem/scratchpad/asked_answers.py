"""Finds out whether a line names the person or the reason that a question asks for.

The words of the search are imported with the first question: the end of a session without one needs none of them.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.search.words.roles import asked_roles
from mdmem.search.words.terms import terms
from mdmem.wording.proper_names import names

if TYPE_CHECKING:
    from mdmem.search.candidates import WordTables

_PERSON = "person"
_ROLES = (_PERSON, "reason")  # rows of the words of a search


class AskedAnswers:
    """Judges with the words of the search of one workspace, which are read with the first question."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    @cached_property
    def _tables(self) -> WordTables:
        from mdmem.search.candidates import word_tables

        return word_tables(self._config)

    def __call__(self, question: str, line: str) -> bool:
        """Return whether a question asks for a person or a reason, and a line has one that the question has not."""
        roles = [one for one in asked_roles(question, self._tables.roles, self._tables.common) if one.name in _ROLES]
        if any(one.is_answered_by(line, terms(question)) for one in roles):
            return True
        return any(one.name == _PERSON for one in roles) and _names_another(line, question)


def _names_another(line: str, question: str) -> bool:
    """Return whether a line has a Chinese name that the question does not have."""
    found = (span.of(line) for span in names(line))
    return any(not one.isascii() and one not in question for one in found)
