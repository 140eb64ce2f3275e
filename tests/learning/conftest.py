"""A workspace with one piece of knowledge, in each language."""

from __future__ import annotations

import pytest
from conftest import Make

from learning.taught_sessions import CHINESE, ENGLISH, Words, new_workspace
from mdmem import Workspace


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["en", "zh"])
def words(request: pytest.FixtureRequest) -> Words:
    """The words of one language."""
    found: Words = request.param
    return found


@pytest.fixture
def work(make: Make, words: Words) -> Workspace:
    """A workspace with one piece of knowledge."""
    return new_workspace(make, words)
