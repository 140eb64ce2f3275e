"""Nesting and digits without end, in settings, calls, sessions and mdmem's own notes, end in a clear message."""

from __future__ import annotations

import stat
from pathlib import Path

import in_process
import pytest

from mdmem.cli.commands.evidence.sessions import _object
from mdmem.errors import ConfigError, ExitCode, UsageError
from mdmem.workspace import Workspace

DEEP = "[" * 100_000
LONG = "1" + "0" * 5_000  # more digits than Python reads

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


def test_a_long_number_in_settings_is_a_clear_error(tmp_path: Path) -> None:
    memory(tmp_path)
    (tmp_path / "mdmem.toml").write_text(f"a = {LONG}", "utf-8")
    with pytest.raises(ConfigError):
        Workspace(tmp_path).status()


@pytest.mark.parametrize("words", [
    ("search", "x", "-n", LONG), ("context", "--budget", LONG), ("busy", "--for", f"{LONG}m"), ("undo", LONG),
    ("tool", "call", "memory_read"),
])  # fmt: skip
def test_a_long_number_on_the_command_line_is_wrong_usage(tmp_path: Path, words: tuple[str, ...]) -> None:
    memory(tmp_path)
    done = in_process.run_text(*words, cwd=tmp_path, env={}, given=f'{{"path": {LONG}}}')
    assert done.returncode in (ExitCode.USAGE, ExitCode.TARGET)
    assert "Traceback" not in done.stderr


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
