"""A rule is an order, a prohibition, a duty or a standing wish; a statement with the same words is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import TODAY

from mdmem.settings.tables import Settings
from mdmem.wording.importance import ImportanceScorer

CASES = (Path(__file__).parent / "cases" / "rules.md").read_text("utf-8")
RULES, STATEMENTS = (
    [line[2:] for line in part.splitlines() if line.startswith("- ")] for part in CASES.split("## ")[1:]
)


@pytest.mark.parametrize("text", RULES)
def test_a_rule(settings: Settings, text: str) -> None:
    scorer = ImportanceScorer(settings.keeper, TODAY)
    assert scorer.is_kept(text)
    assert scorer.is_kept(text)


@pytest.mark.parametrize("text", STATEMENTS)
def test_no_rule(settings: Settings, text: str) -> None:
    assert not ImportanceScorer(settings.keeper, TODAY).is_kept(text)
