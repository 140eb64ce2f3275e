"""Every test here keeps the user's cache out of it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(cache: Path) -> None:
    """Keep the user's cache out of it."""
