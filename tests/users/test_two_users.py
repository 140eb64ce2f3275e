"""Two users of one folder: what one says is neither shown to the other nor changed by what the other says."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Run

ANN = "I am allergic to peanuts"


def said(mdmem: Run, user: str, *texts: str) -> None:
    """Record a conversation of a user, and end it."""
    turns = [one for text in texts for one in ({"role": "user", "text": text}, {"role": "assistant", "text": "Noted."})]
    lines = [json.dumps(one) for one in (*turns, {"end": "Noted.", "outcome": "success"})]
    words = ("--user", user) if user else ()
    mdmem("session", "record", "--task", texts[0], *words, given="\n".join(lines) + "\n")
    mdmem("extract", "--now", *words, code=1)  # the end has done it


def test_bobs_facts_do_not_supersede_anns(root: Path, mdmem: Run) -> None:
    said(mdmem, "ann", f"{ANN}. I live in Ghent.")
    said(mdmem, "bob", "I am allergic to cats. I live in Porto.")
    ann, bob = ("peanuts", "Ghent"), ("cats", "Porto")
    for user, own, other in (("ann", ann, bob), ("bob", bob, ann)):
        shown = mdmem("fact", "show", "user", "--user", user).stdout
        assert all(word in shown for word in own), shown
        assert not any(word in shown for word in other), shown
        pack = mdmem("context", "layered", "--user", user).stdout
        assert all(word in pack for word in own), pack
        assert not any(word in pack for word in other), pack
    assert sorted(path.name for path in (root / "users").iterdir()) == ["ann", "bob"]
    assert not (root / "sessions").exists()
