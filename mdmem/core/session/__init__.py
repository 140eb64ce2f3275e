"""A conversation as a file: its head, and its turns one after the other (D031, D035).

A turn is `### ROUND SPEAKER TIME`, a blank line, its text. Where one begins is decided line by line and not by
Markdown, so that the newest turns can be read from a file's end; `escape` makes sure that no text looks like one.
"""

from __future__ import annotations

from mdmem.core.session.read import read_session
from mdmem.core.session.turn import ROLES, Session, Turn, rounds

__all__ = ["ROLES", "Session", "Turn", "read_session", "rounds"]
