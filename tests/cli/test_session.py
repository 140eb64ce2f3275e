"""`mdmem session` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Run, environment

SHARED = Path(__file__).resolve().parents[3] / "shared"


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
    assert [(one["id"], one["outcome"], one["task"]) for one in listed] == [(name, "unknown", "修好 CSV")]
    shown = json.loads(mdmem("session", "show", name, "--json").stdout)
    assert [one["text"] for one in shown["turns"]] == ["导入又挂了", "## 看看"]
    assert "导入又挂了" in mdmem("session", "show", name, "--tail", "1").stdout
    assert mdmem("lint").returncode == 0


def test_a_masked_secret_is_no_placeholder_and_an_outcome_is_in_the_language(mdmem: Run) -> None:
    mdmem("session", "start", "ghp_" + "aB3dE6gH1jK2mN4pQ7sT8vW9xY0zC5fR2LkD", "--lang", "zh")
    mdmem("session", "turn", "user", "我住在杭州，我的 Python 是 3.10")
    mdmem("session", "end", "--response", "记下了")
    assert "未知" in mdmem("episode", "list", "--lang", "zh").stdout
    assert mdmem("lint").returncode == 0


@pytest.mark.thorough
@pytest.mark.slow
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


SAMPLE = [
    {
        "role": "user", "content": "帮我写一份架构文档", "timestamp": "2026-02-20T10:00:00",
        "tool_calls": [], "tool_results": [],
    },
    {
        "role": "assistant", "content": "好的，已写入", "timestamp": "2026-02-20T10:00:00",
        "tool_calls": [{"name": "write_file", "input": {"path": "docs/a.md"}, "id": "t1"}],
        "tool_results": [{"tool_use_id": "t1", "content": "ok", "is_error": False}],
    },
]  # fmt: skip


def record(mdmem: Run, lines: str, task: str) -> list[dict[str, object]]:
    done = mdmem("session", "record", "--task", task, given=lines)
    return [json.loads(line) for line in done.stdout.splitlines()]


def recorded_and_given_back(mdmem: Run, folder: Path, lines: str) -> None:
    given = [json.loads(line) for line in lines.splitlines()]
    assert [one["status"] for one in record(mdmem, lines, "x")] == ["done", "done"]
    (path,) = (folder / "sessions").iterdir()
    text = path.read_text()
    assert "write_file" in text
    assert "docs/a.md" in text
    hits = json.loads(mdmem("search", "write_file", "--role", "tool", "--json").stdout)
    assert [hit["path"] for hit in hits] == [f"sessions/{path.name}"]
    assert mdmem("search", "write_file", "--role", "user").returncode == 1
    assert mdmem("search", "docs", "--tool", "write_file", "--session", path.stem).returncode == 0
    done = mdmem("session", "export", path.stem, "--jsonl")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [list(one) for one in found] == [
        ["role", "content", "tool_calls", "tool_results", "timestamp", "token_estimate"]
    ] * 2
    for key in ("role", "content", "timestamp"):
        assert [one[key] for one in found] == [one[key] for one in given]
    assert [call["name"] for call in found[1]["tool_calls"]] == ["write_file"]
    assert found[1]["tool_calls"][0]["input"] == {"path": "docs/a.md"}
    assert found[1]["tool_results"][0]["content"] == "ok"
    assert mdmem("lint").returncode == 0


def test_lines_of_another_program(mdmem: Run, folder: Path) -> None:
    """A conversation with its tools is recorded, found by role and tool, and given back."""
    recorded_and_given_back(mdmem, folder, "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in SAMPLE))


def test_the_sample_of_another_program(mdmem: Run, folder: Path) -> None:
    sample = next((SHARED / "samples").glob("openakita/*/data/memory/conversation_history/*.jsonl"), None)
    if sample is None:
        pytest.skip("the samples are not here")
    recorded_and_given_back(mdmem, folder, sample.read_text())


def test_a_broken_line_is_told_and_the_next_goes_on(mdmem: Run, folder: Path) -> None:
    lines = [
        '{"role": "user", "content": "one", "mood": "fine"}',
        '{"role": "assistant", "content": "x", "tool_calls": "half json',
        '{"role": "assistant", "content": "x", "tool_calls": "half json"}',
        '{"role": "assistant", "content": "two"}',
    ]
    replies = record(mdmem, "\n".join(lines) + "\n", "x")
    assert [one["status"] for one in replies] == ["done", "error", "done", "done"]
    assert "`mood`" in str(replies[0]["hint"])
    assert "`tool_calls`" in str(replies[2]["hint"])
    (path,) = (folder / "sessions").iterdir()
    shown = json.loads(mdmem("session", "show", path.stem, "--json").stdout)
    assert [one["text"] for one in shown["turns"]] == ["one", "x", "two"]


def test_old_sessions_go_to_the_archive(mdmem: Run, folder: Path) -> None:
    """One that was not extracted stays; the other is found in the archive and shown by its id."""
    head = "---\nagent: a\ntask: t\nstarted: 2026-01-01 10:00\nended: 2026-01-01 11:00\nextracted_through: {}\n---\n"
    body = "# Session\n\n## Request\n\n## Response\n\n## Metadata\n\n## Turns\n\n### 1 user 10:00\n\nthe walrus sings\n"
    (folder / "sessions").mkdir()
    for name, extracted in (("20260101_100000_a", 1), ("20260101_100001_b", 0)):
        (folder / f"sessions/{name}.md").write_text(head.format(extracted) + body)
    planned = json.loads(mdmem("session", "prune", "--older", "30d", "--dry-run", "--json").stdout)
    assert (planned["status"], planned["moved"], planned["waiting"]) == (
        "planned", ["20260101_100000_a"], ["20260101_100001_b"],
    )  # fmt: skip
    done = mdmem("session", "prune", "--older", "30d")
    assert done.stdout == "20260101_100000_a\n"
    assert (folder / "archive/sessions/20260101_100000_a.md").is_file()
    assert (folder / "sessions/20260101_100001_b.md").is_file()
    assert "archive/sessions" in mdmem("search", "walrus", "--in", "archive").stdout
    assert "walrus" in mdmem("session", "show", "20260101_100000_a").stdout
    assert mdmem("session", "prune", "--older", "soon").returncode == 2
    assert mdmem("lint").returncode == 0


@pytest.mark.parametrize("words", [("robot", "hello"), ("{id}", "robot", "hello"), ("robot",)])
def test_an_unknown_role_is_told_as_one(mdmem: Run, words: tuple[str, ...]) -> None:
    name = mdmem("session", "start", "sort the shelf").stdout.strip()
    done = mdmem("session", "turn", *(word.format(id=name) for word in words), "--lang", "en")
    assert done.returncode == 2
    assert "there is no role `robot`" in done.stderr
    assert "user, assistant, tool or system" in done.stderr


def test_an_unknown_rule_is_told_with_a_code_as_it_is_written(mdmem: Run) -> None:
    assert "`MM" in (by_code := mdmem("explain", "MM999", "--lang", "en").stderr)
    assert "`mm" not in by_code
    assert "duplicate" in mdmem("explain", "near-duplicat", "--lang", "en").stderr
