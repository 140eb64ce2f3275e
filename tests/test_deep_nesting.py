"""Nesting without end, in settings, in a line of a session, in mdmem's own notes, ends in a clear message."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from mdmem.cli.commands.sessions import _object
from mdmem.errors import ConfigError, UsageError
from mdmem.workspace import Workspace

DEEP = "[" * 100_000

pytestmark = pytest.mark.usefixtures("cache")


def memory(root: Path) -> Workspace:
    (root / "MEMORY.md").write_text("# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：面试\n", "utf-8")
    (root / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    return Workspace(root)


def test_deep_settings_are_a_clear_error(tmp_path: Path) -> None:
    memory(tmp_path)
    (tmp_path / "mdmem.toml").write_text(f"a = {DEEP}", "utf-8")
    with pytest.raises(ConfigError, match="nested too deep"):
        Workspace(tmp_path).status()


def test_a_deep_line_for_a_session_is_a_clear_error() -> None:
    with pytest.raises(UsageError, match="not valid JSON"):
        _object(DEEP.encode())


def test_deep_notes_of_our_own_stop_nothing(tmp_path: Path) -> None:
    workspace = memory(tmp_path)
    (tmp_path / ".mdmem").mkdir()
    for name in ("queue.json", "access.json"):
        (tmp_path / ".mdmem" / name).write_text(DEEP, "utf-8")
    workspace.compact()
    assert workspace.recall("面试").text


def test_only_the_owner_may_read_the_index(tmp_path: Path) -> None:
    assert memory(tmp_path).search("面试")
    assert stat.S_IMODE((tmp_path / ".mdmem" / "index.db").stat().st_mode) == 0o600
