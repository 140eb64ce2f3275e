"""A model's answer: coerced field by field, or refused as a whole; never a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.extraction.answer.model_answer import Statements, parse_statements
from mdmem.generation.model import PlanProblem

MOST = 10_000


def first(text: str) -> object:
    found = parse_statements(text, MOST)
    assert isinstance(found, Statements)
    return found.items[0]


@pytest.mark.parametrize(
    ("given", "share"),
    [(0.8, 0.8), ("0.8", 0.8), ("80%", 0.8), (8, 0.8), (80, 0.8), (None, 0.5), ("high", 0.5), ({}, 0.5), (-3, 0.0),
     (True, 1.0), (float("1e300"), 1.0)],
)  # fmt: skip
def test_importance_is_a_share_whatever_it_was(given: object, share: float) -> None:
    one = first(json.dumps([{"content": "x", "importance": given}]))
    assert getattr(one, "importance") == pytest.approx(share)  # noqa: B009


@pytest.mark.parametrize(
    ("given", "kind"),
    [("FACT", "fact"), ("Rule", "rule"), ("experience", "skill"), ("persona trait", "persona_trait"), ("weird", "fact"),
     (None, "fact"), (7, "fact"), (["RULE"], "fact"), ("偏好", "preference")],
)  # fmt: skip
def test_a_type_is_one_of_ours(given: object, kind: str) -> None:
    assert getattr(first(json.dumps([{"content": "x", "type": given}])), "type") == kind  # noqa: B009


NOTHING = ["NONE", "none", " NONE.", "```\nNONE\n```", "<think>well</think>NONE", "[]", '{"items": []}']


@pytest.mark.parametrize("text", NOTHING)
def test_none_is_an_answer(text: str) -> None:
    assert parse_statements(text, MOST) == Statements((), parse_statements("NONE", MOST).dropped)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "answer-empty"), ("There is none here.", "answer-no-json"), ('[{"content": "x"', "answer-half"),
     ('["a", 7]', "answer-shape"), ('[{"subject": "x"}]', "answer-shape"), ("x" * (MOST + 1), "answer-too-long"),
     ('[{"content": "a", "content": "b"}]', "answer-key-twice"), ("[" * 5000, "answer-no-json")],
)  # fmt: skip
def test_what_is_no_answer_says_why(text: str, why: str) -> None:
    found = parse_statements(text, MOST)
    assert isinstance(found, PlanProblem)
    assert found.kind == why


def test_rows_that_cannot_be_read_are_counted() -> None:
    found = parse_statements('[{"content": "a"}, "b", {"content": {}}, {"text": "c\\nd"}]', MOST)
    assert isinstance(found, Statements)
    assert [one.text for one in found.items] == ["a", "c d"]
    assert found.dropped == {"malformed": 2}


KEYS = ["type", "content", "subject", "importance", "is_update", "items", "x"]
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@given(JSON)
def test_no_json_makes_it_fail(value: object) -> None:
    found = parse_statements(json.dumps(value), MOST)
    if isinstance(found, Statements):
        for one in found.items:
            assert one.text
            assert "\n" not in one.text
            assert 0 <= one.importance <= 1
