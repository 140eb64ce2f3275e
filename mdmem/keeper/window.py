"""The chat window: what of an open conversation a model still sees word for word, and what of it may be condensed.

It holds the rounds behind `condensed_through`. At its soft limit all of them but the newest few wait to become an entry
of the context pool; the turns themselves stay in the session for ever (D019, G038 to G043).
"""

from __future__ import annotations

from mdmem.core.document import Document
from mdmem.core.record import NamedTuple
from mdmem.core.session import Session, Turn, read_session
from mdmem.core.template import Template
from mdmem.core.tokens import TokenCounter, count_tokens
from mdmem.keeper.talk import heard

KIND = "session"


class Window(NamedTuple):
    """The chat window of one session."""

    tokens: int  # `Sc`: what user and assistant said in it
    max: int  # from which it waits
    turns: tuple[Turn, ...]  # what may be condensed
    first: int  # the rounds of these; 0 where there are none
    last: int

    @property
    def waits(self) -> bool:
        """Tell whether it is at its soft limit, and condensing would help."""
        return self.tokens >= self.max and bool(self.turns)


def window(session: Session, template: Template, count: TokenCounter = count_tokens) -> Window:
    """Measure the chat window of a session."""
    open_ = [turn for turn in heard(session.turns) if turn.number > session.condensed_through]
    rounds = sorted({turn.number for turn in open_})
    keep = int(template.numbers.get("keep_rounds", 0))
    done = rounds[: max(0, len(rounds) - keep)]
    turns = tuple(turn for turn in open_ if done and turn.number <= done[-1])
    most = int(template.numbers.get("compact_at_tokens", 0))
    tokens = sum(count(turn.text) for turn in open_)
    return Window(tokens, most, turns, done[0] if done else 0, done[-1] if done else 0)


def open_session(document: Document, path: str, template: Template) -> Session | None:
    """Read a conversation that goes on; None for one that is over, or whose file cannot say how far it is condensed."""
    if document.front_matter is None:
        return None
    session = read_session(document, path, template)
    return None if session.ended else session
