"""The command line in the workspace that `make` makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run, run_in


@pytest.fixture
def verb(tmp_path: Path) -> Run:
    """Run `mdmem …` in that folder, in this process."""
    return run_in(tmp_path / "workspace")
