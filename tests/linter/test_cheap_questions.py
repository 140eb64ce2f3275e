"""A cheap question spares a pattern and never a finding: whatever the pattern matches, the question lets through."""

from __future__ import annotations

import re

import pytest
from forms import many
from hypothesis import given, settings
from hypothesis import strategies as some

from mdmem.linter.detect.decoded_views import lower
from mdmem.linter.detect.prompt_injection import INJECTION_PATTERNS, InjectionPattern
from mdmem.linter.detect.spoken_secrets import _RULES, Spoken
from mdmem.text.pattern import Pattern

ASKING = [order for order in INJECTION_PATTERNS if order.objects != ("",)]


def compiled(pattern: Pattern) -> re.Pattern[str]:
    return re.compile(pattern._source, pattern._flags)


@pytest.mark.slow
@pytest.mark.parametrize("order", ASKING, ids=lambda order: order.needles[0])
@given(data=some.data())
def test_an_order_names_one_of_its_objects(order: InjectionPattern, data: some.DataObject) -> None:
    text = data.draw(some.from_regex(compiled(order.regex)))
    match = compiled(order.regex).search(text)
    assert match
    assert any(word in lower(text) for word in order.objects), match[0]


@pytest.mark.slow
@pytest.mark.parametrize("rule", _RULES, ids=lambda rule: rule.needles[0])
@settings(max_examples=many(20, 3000))  # an example of such an expression is slow to make
@given(data=some.data())
def test_what_follows_a_word_of_secrecy_can_lead_to_a_secret(rule: Spoken, data: some.DataObject) -> None:
    text = data.draw(some.from_regex(compiled(rule.shape)))
    match = rule.shape.search(text)
    assert match
    assert rule.word.match(text, match.start())
