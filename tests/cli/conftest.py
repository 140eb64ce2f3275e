"""Journeys run the program in a folder of their own, with a cache of their own: in this process, or as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import in_process
import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

CLEAN = "# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：主人说周五有面试\n"

_KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "PIP_CONFIG_FILE", "HOME")


def environment(home: Path) -> dict[str, str]:
    keep = {key: value for key, value in os.environ.items() if key in _KEPT}
    return keep | {
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A memory folder with one clean file."""
    place = tmp_path / "memory folder 记忆"
    place.mkdir()
    (place / "MEMORY.md").write_bytes(CLEAN.encode())
    return place


@pytest.fixture
def mdmem(folder: Path, tmp_path: Path) -> Run:
    """Run `mdmem …` in the folder, in this process."""

    def run(*arguments: str, cwd: Path = folder, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return in_process.run_text(*arguments, cwd=cwd, env=environment(tmp_path) | more, given=given)

    return run


@pytest.fixture
def process(folder: Path, tmp_path: Path) -> Run:
    """Run `mdmem …` in the folder as people do: as a process of its own."""

    def run(*arguments: str, cwd: Path = folder, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mdmem", *arguments],
            cwd=cwd, env=environment(tmp_path) | more, input=given, capture_output=True, text=True, check=False,
            encoding="utf-8",
        )  # fmt: skip

    return run


@pytest.fixture
def git(folder: Path, tmp_path: Path) -> Run:
    """Run `git …` in the folder, which is made a repository first."""

    def run(*arguments: str, cwd: Path = folder) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments], cwd=cwd, env=environment(tmp_path), capture_output=True, text=True, check=False
        )

    run("init", "-q", "-b", "main")
    return run
