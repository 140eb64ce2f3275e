"""What users see is what stands in the golden files: help, replies, exit codes, tools, names and signatures."""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path

import pytest

from .goldens import COMMAND, FOLDER, goldens

pytestmark = pytest.mark.slow
NAMES = sorted(path.name for path in FOLDER.iterdir())
SHOWN = 80  # lines of a difference; more are counted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
def test_what_users_see_is_golden(tmp_path: Path) -> None:
    """One test for all files, for they are made together."""
    made = goldens(tmp_path.resolve())
    differences = [shown for name in NAMES if (shown := difference(name, made.get(name, "")))]
    if differences:
        hint = f"If that is meant: `{COMMAND}`, and review the diff."
        pytest.fail("\n\n".join([*differences, hint]), pytrace=False)
    assert sorted(made) == NAMES, "everything that is made has its golden file"


def difference(name: str, now: str) -> str:
    """Return how a golden file differs from what mdmem shows now; an empty text if it does not."""
    golden = (FOLDER / name).read_text("utf-8")
    lines = list(unified_diff(golden.splitlines(), now.splitlines(), name, "now", lineterm="", n=2))
    if golden == now:
        return ""
    more = [f"… and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([f"tests/surface/golden/{name} differs from what mdmem shows now:", *lines[:SHOWN], *more])
