"""Workspaces to look things up in."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem.workspace import Workspace


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the user's own cache out of it."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small memory in two languages."""
    folder = tmp_path / "ws"
    for path, text in {
        "MEMORY.md": "# 🧠 记忆\n\n## 偏好与习惯\n\n- 用户偏好简洁直接的回复风格 #风格\n- 2026-02-13：周五有面试\n",
        "memory/2026-02-14.md": "# 2026-02-14\n\n## Session 10:00\n\n- Ann: I bought a violin\n- Bob: Which one?\n",
        "archive/2026-01.md": "# Archive\n\n- 2026-01-02: sold the old guitar\n",
        "agents/rex/FASTMEMO.md": "# Fastmemo\n\n## 自我感知\n\n- 小狗在学会打滚\n",
        "notes.md": "# Notes\n\nA paragraph about sailing\nthat goes on.\n\n"
        "> quoted wisdom\n\n```\ncode with zebra\n```\n",
        "artifacts/t1.md": "---\ntool_name: shell\nsummary: twelve walruses counted\n---\n\n# Output\n\nraw aardvark\n",
        "mdmem.toml": "",
    }.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return folder


@pytest.fixture
def work(root: Path) -> Workspace:
    return Workspace(root, lang="en")
