"""Short dialogues in which a person takes back, corrects or changes what was said, and what stands after them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from mdmem.workspace import Workspace

# A live line that says what no longer holds states nothing that was taken back.
_DENIED = {
    "en": re.compile(
        r"\b(?:no longer|not|never|\w+n't|used to|stopped|quit|left|gave up|sold|cancel\w+)\b", re.IGNORECASE
    ),
    "zh": re.compile(r"不|没|别|停|退|辞|取消|以前|卖了"),
}


class Dialogue(NamedTuple):
    """What was said first and later, what must be live then, and what must not."""

    kind: str
    gap: str
    first: str
    later: str
    live: str
    gone: str


class Ending(NamedTuple):
    """The live facts after the first statement and after the second one."""

    before: list[str]
    after: list[str]


def dialogues(half: str, lang: str) -> list[Dialogue]:
    """Read the dialogues of one half."""
    lines = Path(__file__).with_name(f"dialogues_{half}_{lang}.tsv").read_text("utf-8").splitlines()
    return [Dialogue(*line.split("\t")) for line in lines if not line.startswith("#")]


def played(workspace: Workspace, one: Dialogue) -> Ending:
    """Record the dialogue in one session or in two, end them by rules, and read the live facts."""
    before = []
    session = workspace.sessions.start("chat")
    session.turn("user", one.first)
    session.turn("assistant", "ok")
    if one.gap == "session":
        session.end("ok")
        workspace.keeper.extract(backend="rules", now=True)
        before = [fact.text for fact in workspace.facts()]
        session = workspace.sessions.start("chat")
    session.turn("user", one.later)
    session.turn("assistant", "ok")
    session.end("ok")
    workspace.keeper.extract(backend="rules", now=True)
    return Ending(before, [fact.text for fact in workspace.facts()])


def holds(facts: list[str], words: str) -> bool:
    """Return True if a fact holds these words."""
    return any(words.lower() in fact.lower() for fact in facts)


def is_gone(one: Dialogue, facts: list[str], lang: str) -> bool:
    """Return True if no live fact states what was taken back."""
    return not any(one.gone.lower() in fact.lower() and not _DENIED[lang].search(fact) for fact in facts)
