"""A new workspace, and a folder for what is imported into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "w").mkdir()
    made = Workspace(tmp_path / "w", lang="zh", cache=False)
    made.init()
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    return tmp_path / "source"
