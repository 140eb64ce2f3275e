"""Finds the lines of sessions that hold what was said in confidence: recall and the tools of agents leave them out."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import read_session
from mdmem.sessions.confidences import confidences, public_head, public_turns
from mdmem.sessions.read import template
from mdmem.text.document import Document

_KIND = "session"


class ConfidedLines:
    """Knows the lines of the sessions of a workspace that hold what was said in confidence."""

    def __init__(self, config: WorkspaceConfig) -> None:
        """Bind to a workspace."""
        self._config = config
        self._words, self._splitter = confidences(config.settings.keeper), Splitter(config.settings.sentences)
        self._private: dict[str, tuple[list[int], list[bool]]] = {}  # by path: lines of turns, and whether one is

    def __call__(self, path: str, line: int) -> bool:
        """Return whether the turn of a line, counted from 0, or the head of the session is private."""
        if path not in self._private:
            is_session = self._config.schemas.kind(path) == _KIND
            self._private[path] = self._read(path) if is_session else ([], [])
        starts, are_private = self._private[path]
        return bool(starts) and are_private[bisect_right(starts, line) - 1]

    def _read(self, path: str) -> tuple[list[int], list[bool]]:
        data = None
        with suppress(MdmemError):
            data = live_bytes(self._config, path)
        lines = data.decode("utf-8", "replace").splitlines() if data else ()
        if data is None or not any(map(self._words.may_hold, lines)):  # a sentence ends with its line
            return [], []
        session = read_session(Document(data), path, template(self._config))
        public = public_turns(session.turns, self._splitter, self._words)
        is_head = public_head(session, self._splitter, self._words) is not session
        changed = (one.text != turn.text for one, turn in zip(public, session.turns, strict=True))
        return [0, *(turn.line for turn in session.turns)], [is_head, *changed]
