"""What holds of the memory at the end of made days: by rules, and with a model that answers well or badly, or not.

The short form plays six days; `MDMEM_FORM=long` plays the whole month.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from forms import many

from mdmem.workspace import Workspace

from .days import ROUNDS, make_month
from .run import MonthResult, play
from .stub_model import WRONG

DAYS = many(6, 30)
MODEL_DAYS = many(3, 30)
SEED = 3
LEAST = 0.9  # of the facts whose newest sentence has a form that the patterns know
MOST_TOKENS = 3000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory: pytest.TempPathFactory) -> MonthResult:
    """Play the days with rules only."""
    return play(tmp_path_factory.mktemp("rules"), SEED, DAYS)


def test_the_same_seed_makes_the_same_days() -> None:
    month = make_month(SEED, DAYS)
    assert month == make_month(SEED, DAYS)
    assert month != make_month(SEED + 1, DAYS)
    assert {len(day.rounds) for day in month.days} == {ROUNDS}
    kinds = [one.kind for day in month.days for one in day.said]
    changes = sum(len(fact.values) - 1 for fact in month.facts)
    planted = (len(month.facts), changes, *map(kinds.count, ("request", "rule", "forbidden")))
    assert planted == many((40, 20, 8, 2, 4), (200, 100, 40, 10, 20))


@pytest.mark.thorough
def test_live_facts_hold_the_newest_values_and_no_older_one_beside_them(by_rules: MonthResult) -> None:
    judged = by_rules.judged
    assert judged.covered > DAYS
    assert judged.known >= LEAST * judged.covered, judged.missed
    assert judged.stale == ()


def test_nothing_is_kept_that_must_not_be_and_nothing_is_invented(by_rules: MonthResult) -> None:
    judged = by_rules.judged
    assert (judged.forbidden, judged.requests, judged.invented) == ((), (), ())


def test_every_rule_is_kept_word_for_word(by_rules: MonthResult) -> None:
    assert by_rules.judged.rules == ()


def test_every_session_is_extracted_on_its_day(by_rules: MonthResult) -> None:
    assert [day.statuses for day in by_rules.days] == [("done",)] * DAYS
    assert by_rules.waiting == 0


def test_the_context_of_the_next_day_is_small_and_does_not_grow(by_rules: MonthResult) -> None:
    assert max(day.tokens for day in by_rules.days) <= MOST_TOKENS
    recalled = [day.recalled for day in by_rules.days]
    assert recalled[-1] == pytest.approx(recalled[2], rel=0.1)


@pytest.mark.thorough
@pytest.mark.parametrize("model", ["well", "bad", "slow", "dead", *many((), WRONG)])
def test_a_model_loses_nothing_invents_nothing_and_blocks_nothing(tmp_path: Path, model: str) -> None:
    result = play(tmp_path, SEED, MODEL_DAYS, model)
    judged = result.judged
    assert (judged.forbidden, judged.requests, judged.invented, judged.rules) == ((), (), (), ())
    assert result.waiting == 0, "what a model did not answer, the rules extract"
    assert len(result.days) == MODEL_DAYS
    said = {one.text for day in result.month.days for one in day.rounds}
    workspace = Workspace(tmp_path / "workspace")
    assert _recorded(workspace) >= {text for text in said if "\n" not in text and "sk-live" not in text} - _masked(said)
    assert all("1 次" in text for day in result.days for text in day.messages if "失败了" not in text)
    if model not in ("bad", *WRONG):  # a wrong answer in the right form may name a wrong predicate, or leave things out
        assert judged.stale == ()
    if model in ("slow", "dead"):
        assert judged.known >= LEAST * judged.covered, judged.missed


def _recorded(workspace: Workspace) -> set[str]:
    sessions = (workspace.sessions.show(one.path) for one in workspace.sessions.list(limit=100))
    return {turn.text for session in sessions for turn in session.turns}


def _masked(said: set[str]) -> set[str]:
    """Return the sentences of which a secret is masked before they are written."""
    words = ("密码", "身份证", "卡号", "验证码", "CVV", "password", "number", "code", "security", "passport")
    return {text for text in said if any(word in text for word in words)}
