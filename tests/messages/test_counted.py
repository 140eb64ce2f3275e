"""A number in a sentence brings its noun along."""

from __future__ import annotations

import pytest

from mdmem.messages.counted import counted


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), ("1", "1 entry"), (1234, "1234 entries")]
)
def test_one_and_many(count: object, said: str) -> None:
    assert "{count:entry|entries}".format_map(counted({"count": count})) == said


def test_other_facts_stay_as_they_are() -> None:
    facts = counted({"number": 7, "yes": True, "name": "entry|entries", "share": 0.5})
    assert "{number} {number:03} {yes} {name} {share}".format_map(facts) == "7 007 True entry|entries 0.5"
