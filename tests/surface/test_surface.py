"""What users see is what stands in the golden files: help, replies, exit codes, tools, names and signatures."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

from .goldens import COMMAND, FOLDER, goldens

pytestmark = pytest.mark.slow
NAMES = sorted(path.name for path in FOLDER.iterdir())
SHOWN = 80  # lines of a difference; more are counted


@pytest.mark.parametrize("name", NAMES)
def test_what_users_see_is_golden(name: str, tmp_path: Path) -> None:
    """Make the file anew; one that is made no more differs in every line."""
    make = goldens().get(name)
    if differs := difference(name, make(tmp_path.resolve()) if make else ""):
        pytest.fail(f"{differs}\n\nIf that is meant: `{COMMAND}`, and review the diff.", pytrace=False)


def test_everything_that_is_made_has_its_golden_file() -> None:
    assert sorted(goldens()) == NAMES


def difference(name: str, now: str) -> str:
    """Return how a golden file differs from what mdmem shows now; an empty text if it does not."""
    golden = (FOLDER / name).read_text("utf-8")
    lines = list(unified_diff(golden.splitlines(), now.splitlines(), name, "now", lineterm="", n=2))
    if golden == now:
        return ""
    more = [f"… and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
    return "\n".join([f"tests/surface/golden/{name} differs from what mdmem shows now:", *lines[:SHOWN], *more])
