"""The command line in the workspace that `make` makes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import in_process
import pytest
from conftest import Run


@pytest.fixture
def verb(tmp_path: Path) -> Run:
    """Run `mdmem …` in that folder, in this process."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME") if key in os.environ}

    def run(*arguments: str, code: int = 0, given: str = "") -> subprocess.CompletedProcess[str]:
        env = {**kept, "LANG": "C.UTF-8"}
        done = in_process.run_text(*arguments, cwd=tmp_path / "workspace", env=env, given=given)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run
