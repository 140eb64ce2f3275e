"""Hostile files, settings, calls and lines of sessions end in an answer or a clear message.

How the work of each verb grows with the size: `tests/test_growth.py`.
"""

from __future__ import annotations

import stat
from pathlib import Path

import in_process
import pytest
from conftest import Make

from mdmem.errors import ConfigError, ExitCode
from mdmem.settings.toml_file import parse_toml
from mdmem.workspace import Workspace


@pytest.mark.parametrize("text", ["`" * 400, "(((\n" * 50, "- …\n- …\n"], ids=["backticks", "brackets", "dots"])
def test_a_memory_without_a_word_is_searched(make: Make, text: str) -> None:
    assert make("en", {"MEMORY.md": text}).search("tea") == ()


def test_a_file_of_too_many_lines_is_found_and_packed_as_far_as_it_is_read(make: Make) -> None:
    lines = "".join(f"- walked {number} rounds\n" for number in range(300))
    work = make("en", {"FASTMEMO.md": f"# Memory\n\n## Self\n\n{lines}"}, settings="[lint]\nmax_lines = 100\n")
    assert any("walked 290 rounds" in hit.text for hit in work.search("walked 290 rounds"))
    packed = work.pack("chat")
    assert "walked 95 rounds" in packed.text
    assert "walked 290 rounds" not in packed.text
    assert any((left.path, left.line) == ("FASTMEMO.md", 101) for left in packed.left)


@pytest.mark.parametrize("line", [
    "a." * 30_000 + "a = 1", "[" + "a." * 30_000 + "a]", "[[" + "a . " * 15_000 + "a]]", '"记" . ' * 8_000 + "a = 1",
    "x = {" + "a." * 30_000 + "a = 1}", "'a'.\"b\"." * 8_000 + "a = 1",
])  # fmt: skip
def test_a_key_of_many_dots_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_toml(f"[mcp]\n{line}\n".encode(), "mdmem.toml")
    assert caught.value.line == 2


def test_ordinary_dots_are_read() -> None:
    text = 'a.b.c = "www.example.org/1.2.3... 例如。"\nlist = ["*.md", "notes.v1.2.md"]\n'
    assert parse_toml(text.encode(), "mdmem.toml")["a"]["b"]["c"].startswith("www")


DEEP = "[" * 100_000
LONG = "1" + "0" * 5_000  # more digits than Python reads


def memory(root: Path) -> Workspace:
    (root / "MEMORY.md").write_text("# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：面试\n", "utf-8")
    (root / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    return Workspace(root)


@pytest.mark.parametrize(("value", "told"), [(DEEP, "nested too deep"), (LONG, "digits")], ids=["nesting", "digits"])
def test_settings_without_end_are_a_clear_error(tmp_path: Path, value: str, told: str) -> None:
    memory(tmp_path)
    (tmp_path / "mdmem.toml").write_text(f"a = {value}", "utf-8")
    with pytest.raises(ConfigError, match=told):
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


def test_a_deep_line_for_a_session_is_a_clear_error(tmp_path: Path) -> None:
    memory(tmp_path)
    done = in_process.run_text(
        "session", "record", "--task", "x", "--lang", "en", cwd=tmp_path, env={}, given=f"{DEEP}\n"
    )
    assert (done.returncode, "not valid JSON" in done.stdout, done.stderr) == (1, True, "")


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
