"""Takes the lines out of a text that only say again what a session said. Pure."""

from __future__ import annotations

from mdmem.agents.hooks.hook_state import bare_line
from mdmem.text.pattern import pattern

_ENDS = pattern(r"[;；。！？]|[.!?](?=\s|\Z)")  # of sentences, and of what an entry joins
_SIGNS = pattern(r"[\W_]+")


def without_said(text: str, said: str) -> str:
    """Return a text without its lines of which each sentence stands in what was said; headings stay.

    Facts, episodes and the scratchpad quote the sentences of a session, mostly without their first words.
    """
    spoken = _folded(said)
    return "\n".join(line for line in text.split("\n") if not _is_said(line, spoken))


def _is_said(line: str, spoken: str) -> bool:
    sentences = filter(None, map(_folded, _ENDS.split(bare_line(line))))
    found = [one in spoken for one in sentences]
    return bool(found) and not line.lstrip().startswith("#") and all(found)


def _folded(text: str) -> str:
    return _SIGNS.sub(" ", text.casefold()).strip()
