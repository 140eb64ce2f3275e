"""The chat window of a session: what of it waits to be condensed. Pure."""

from __future__ import annotations

from typing import NamedTuple

from mdmem.formats.session import Session, Turn, read_session
from mdmem.formats.template import Template
from mdmem.text.document import Document
from mdmem.text.tokens import TokenCounter, count_tokens
from mdmem.wording.transcript import counted_turns

KIND = "session"


class Window(NamedTuple):
    """The chat window of one session."""

    tokens: int  # of the turns of user and assistant
    max: int  # the threshold in tokens
    turns: tuple[Turn, ...]  # the turns that may be condensed
    first: int  # their first round; 0 if there are none
    last: int  # their last round; 0 if there are none

    @property
    def waits(self) -> bool:
        """Whether it reaches the threshold and has turns to condense."""
        return self.tokens >= self.max and bool(self.turns)


def window(session: Session, template: Template, count: TokenCounter = count_tokens) -> Window:
    """Measure the chat window of a session."""
    open_ = [turn for turn in counted_turns(session.turns) if turn.number > session.condensed_through]
    rounds = sorted({turn.number for turn in open_})
    keep = int(template.numbers.get("keep_rounds", 0))
    done = rounds[: max(0, len(rounds) - keep)]
    turns = tuple(turn for turn in open_ if done and turn.number <= done[-1])
    most = int(template.numbers.get("compact_at_tokens", 0))
    tokens = sum(count(turn.text) for turn in open_)
    return Window(tokens, most, turns, done[0] if done else 0, done[-1] if done else 0)


def open_session(document: Document, path: str, template: Template) -> Session | None:
    """Read an open session; None if it has ended, or its file has no front matter to record what is condensed."""
    if document.front_matter is None:
        return None
    session = read_session(document, path, template)
    return None if session.ended else session
