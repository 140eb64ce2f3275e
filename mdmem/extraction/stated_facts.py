"""Find the property and the type of an imported statement by the rules of extraction (K169).

Other systems tell of the user in the third person: «User lives in Leiden», 「用户住在莱顿」. The rules read what users
say of themselves, so the statement is read as if the user had said it. Its own words are what is written.
"""

from __future__ import annotations

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.gate import Gate
from mdmem.extraction.job import extraction_task
from mdmem.extraction.model import FactCandidate
from mdmem.extraction.rules import extract
from mdmem.facts.read import fact_words
from mdmem.formats.session import Turn
from mdmem.text.pattern import pattern

_LATIN = pattern(r"(?i)(?:the\s+)?([a-z]+)(['’]s)?\s+([a-z]+)\b(['’]t\b)?")
_NAME_CHARS = (2, 1)  # of a name in a script without spaces: 用户, 我
_VERBS = {"is": "am", "has": "have", "does": "do", "doesn": "don", "goes": "go", "was": "was"}
_ES = ("ches", "shes", "sses", "xes", "zes")


class StatedFacts:
    """Reads imported statements with the words of one workspace."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._words = fact_words(config)
        self._task = extraction_task(config, "", (), Gate(AccessPolicy(config, KEEPER)))

    def find(self, text: str) -> FactCandidate | None:
        """Return what a statement says; None if the rules do not know it, or find several things in it."""
        said = self._in_first_person(text)
        turn = Turn(1, "user", "", "", said, 0, len(said), 0)
        found = extract(self._task._replace(turns=(turn,))).items
        return found[0] if len(found) == 1 and not (found[0].effect or found[0].is_update) else None

    def is_about_user(self, text: str) -> bool:
        """Return whether a text begins with a name of the person."""
        latin = _LATIN.match(text)
        return self._is_user(latin.group(1)) if latin else any(self._is_user(text[:size]) for size in _NAME_CHARS)

    def _is_user(self, name: str) -> bool:
        return self._words.subject(name) == self._words.subject(self._words.user)

    def _in_first_person(self, text: str) -> str:
        """Return a statement about the user as the user says it; any other one as it is."""
        if not self.is_about_user(text):
            return text
        latin = _LATIN.match(text)
        if latin is None:
            return "我" + text[next(size for size in _NAME_CHARS if self._is_user(text[:size])) :]
        _, owns, verb, negation = latin.groups()
        rest = text[latin.end() :]
        return f"My {verb}{negation or ''}{rest}" if owns else f"I {_first_person(verb)}{negation or ''}{rest}"


def _first_person(verb: str) -> str:
    """Return the form of an English verb behind «I»."""
    if verb.casefold() in _VERBS:
        return _VERBS[verb.casefold()]
    if verb.endswith(_ES):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
