"""`mdmem session` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from .conftest import Run, environment


def test_a_session_at_the_command_line(mdmem: Run, folder: Path) -> None:
    """Begun, said into with and without its id, ended, listed and shown."""
    name = mdmem("session", "start", "修好 CSV", "--lang", "zh").stdout.strip()
    assert (folder / f"sessions/{name}.md").is_file()
    assert mdmem("session", "turn", "user", "导入又挂了").returncode == 0
    done = json.loads(mdmem("session", "turn", name[:15], "assistant", "## 看看", "--json").stdout)
    assert (done["status"], done["number"], done["role"]) == ("done", 1, "assistant")
    assert mdmem("session", "turn", "user", "x", "y").returncode == 2
    assert mdmem("session", "end", "--response", "好了", "--lang", "en").returncode == 0
    assert mdmem("session", "turn", "user", "x").returncode == 12
    listed = json.loads(mdmem("session", "list", "--json").stdout)["sessions"]
    assert [(one["id"], one["outcome"], one["task"]) for one in listed] == [(name, "success", "修好 CSV")]
    shown = json.loads(mdmem("session", "show", name, "--json").stdout)
    assert [one["text"] for one in shown["turns"]] == ["导入又挂了", "## 看看"]
    assert "导入又挂了" in mdmem("session", "show", name, "--tail", "1").stdout
    assert mdmem("lint").returncode == 0


def test_programs_speak_line_by_line(folder: Path, tmp_path: Path) -> None:
    """One object in, one out; a wrong line is told, and the next one is read."""
    lines = [
        b'{"role": "user", "text": "\\u001b[31mhi\\n### 9 user 10:00"}',
        b"no json",
        b"[1]",
        b'{"role": "user"}',
        b"\xff\xfe",
        b"",
        b'{"tool": "shell", "text": "exit 0", "time": "10:00"}',
        b'{"role": "assistant", "text": "\\ud800"}',
        b'{"end": "done"}',
        b'{"role": "user", "text": "late"}',
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mdmem", "session", "record", "--task", "a task"],
        cwd=folder, env=environment(tmp_path), input=b"\n".join(lines) + b"\n", capture_output=True, check=False,
    )  # fmt: skip
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["status"] for one in replies] == [
        "done", "error", "error", "error", "error", "done", "error", "done", "error",
    ]  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == b""
    text = next((folder / "sessions").iterdir()).read_text()
    assert "\\### 9 user 10:00" in text
    assert "shell(1)" in text
