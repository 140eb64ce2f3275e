"""Every test here keeps the user's cache out of it, and may run the program in a folder of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import in_process
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def own_cache(cache: Path) -> None:
    """Keep the user's cache out of it."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace as `mdmem init` writes it, in Chinese."""
    place = tmp_path / "memory"
    place.mkdir()
    (place / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    return place


@pytest.fixture
def mdmem(root: Path, cache: Path) -> Run:
    """Run `mdmem …` in the workspace, in this process."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME") if key in os.environ}

    def run(*arguments: str, code: int = 0, given: str = "") -> subprocess.CompletedProcess[str]:
        done = in_process.run_text(*arguments, cwd=root, env={**kept, "LANG": "C.UTF-8"}, given=given)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run
