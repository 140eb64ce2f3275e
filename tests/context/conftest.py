"""A workspace to pack, with today on 2026-02-20, and files of any content for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workspace.conftest import Make
from tests.workspace.conftest import make as make


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


__all__ = ["Make"]
