"""A workspace in which the program runs, and conversations that it records."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import in_process
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Talk = Callable[..., str]


@pytest.fixture(autouse=True)
def own_cache(cache: Path) -> None:
    """Keep the user's cache out of it."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace in Chinese."""
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


@pytest.fixture
def talk(mdmem: Run) -> Talk:
    """Record a conversation, user and assistant in turn, and end it; return the last reply's hint."""

    def record(
        task: str, turns: Sequence[str], response: str = "", outcome: str = "success", *options: str
    ) -> str:  # fmt: skip
        lines: list[dict[str, str]] = [
            {"role": "assistant" if index % 2 else "user", "text": text} for index, text in enumerate(turns)
        ]
        lines.append({"end": response, "outcome": outcome})
        given = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        done = mdmem("session", "record", "--task", task, *options, given=given)
        return str(json.loads(done.stdout.splitlines()[-1])["hint"])

    return record


@pytest.fixture
def pad(root: Path) -> Callable[[], str]:
    """Give the text of the scratchpad."""
    return lambda: (root / "SCRATCHPAD.md").read_bytes().decode()
