"""Condensing works out once what is known of an entry, however many lines are made and candidates compared."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import pytest

from mdmem.keeper.condensing.condense import condense
from mdmem.keeper.condensing.supersede import superseded
from mdmem.settings.tables import Settings
from mdmem.wording.importance import ImportanceScorer

ENTRIES = [f"2026-02-{1 + number % 28:02}: walked {number} rounds with Tom number {number}" for number in range(300)]


def test_an_entry_is_weighed_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed: Counter[str] = Counter()
    importance = ImportanceScorer.importance
    monkeypatch.setattr(
        ImportanceScorer, "importance", lambda own, text: weighed.update([text]) or importance(own, text)
    )
    lines = condense(
        ENTRIES, lines=4, max_chars=600, scorer=ImportanceScorer(settings.keeper, dt.date(2026, 2, 20)), near=0.85
    )
    assert len(lines) == 4
    assert set(weighed.values()) == {1}


def test_where_nothing_changed_no_statement_is_taken_apart(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdmem.keeper.condensing.supersede.tokens", lambda _: pytest.fail("the words were asked for"))
    assert superseded([(text, None, order) for order, text in enumerate(ENTRIES)], settings.keeper) == frozenset()
