"""What users see is what stands in the golden files: help, replies, exit codes, tools, names and signatures."""

from __future__ import annotations

import os
from difflib import unified_diff

import pytest

from .goldens import COMMAND, FOLDER, goldens

pytestmark = pytest.mark.slow
NAMES = sorted(path.name for path in FOLDER.iterdir())
SHOWN = 80  # lines of a difference; more are counted


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if not hasattr(os, "fork"):
        pytest.skip("this system forks no processes")
    return goldens(tmp_path_factory.mktemp("surface").resolve())


@pytest.mark.parametrize("name", NAMES)
def test_what_users_see_is_golden(name: str, made: dict[str, str]) -> None:
    golden = (FOLDER / name).read_text("utf-8")
    if made.get(name) != golden:
        lines = list(unified_diff(golden.splitlines(), made.get(name, "").splitlines(), name, "now", lineterm="", n=2))
        more = f"\n… and {len(lines) - SHOWN} lines more" if len(lines) > SHOWN else ""
        pytest.fail(
            f"tests/surface/golden/{name} differs from what mdmem shows now:\n" + "\n".join(lines[:SHOWN]) + more
            + f"\nIf that is meant: `{COMMAND}`, and review the diff.", pytrace=False,
        )  # fmt: skip


def test_everything_that_is_made_has_its_golden_file(made: dict[str, str]) -> None:
    assert sorted(made) == NAMES
