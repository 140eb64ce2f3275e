"""Under a locale that is not UTF-8 nothing is lost, and no file gets another name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from forms import each
from processes import wait_for

from .conftest import environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="locales of POSIX")]
LOCALES = {
    "C without UTF-8": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "C": {"LC_ALL": "C"},
    "GBK": {"LC_ALL": "zh_CN.GBK", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},  # C where it is not installed
    "streams in GBK": {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "gbk"},
    "streams in ASCII": {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "ascii"},
    "streams in Latin-1": {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"},
}
SAID = "船在哪里？钥匙在抽屉里吗？"
CALLS = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "memory_add", "arguments": {"path": "MEMORY.md", "content": "2026-02-15：锚是铁的"}}},
)  # fmt: skip


@pytest.fixture(params=each(3, list(LOCALES)))
def run(request: pytest.FixtureRequest, folder: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Run `mdmem …` as a process under a locale."""

    def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        env = environment(tmp_path) | LOCALES[request.param]
        words = [sys.executable, "-m", "mdmem", *arguments]
        done = subprocess.run(words, cwd=folder, env=env, input=given, capture_output=True, check=False)
        assert b"Traceback" not in done.stderr + done.stdout
        return done

    return run


def lines(*values: object, encoding: str = "utf-8") -> bytes:
    return b"".join(f"{json.dumps(one, ensure_ascii=False)}\n".encode(encoding) for one in values)


def sessions(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in (folder / "sessions").glob("*.md"))


@pytest.mark.thorough
def test_verbs_keep_what_they_are_given(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    assert run("add", "MEMORY.md", "2026-02-14：船名叫海鸥 ✓").returncode == 0
    assert "船名叫海鸥 ✓" in (folder / "MEMORY.md").read_text("utf-8")
    assert run("fact", "set", "灯塔", "守灯人", "守灯人是安娜").returncode == 0
    assert "守灯人是安娜" in (folder / "facts/灯塔.md").read_text("utf-8")
    assert run("search", "海鸥").returncode == 0
    for words in (("status",), ("lint",), ("context",), ("show", "facts/灯塔.md"), ("log",)):
        assert run(*words).returncode in {0, 1}


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_a_pipe_loses_no_turn(run, folder: Path, encoding: str) -> None:  # type: ignore[no-untyped-def]
    assert run("session", "start", "修船").returncode == 0
    run("session", "record", given=lines({"role": "user", "text": SAID}, encoding=encoding))
    assert SAID in sessions(folder)


@pytest.mark.thorough
@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_a_hook_loses_no_turn(run, folder: Path, encoding: str) -> None:  # type: ignore[no-untyped-def]
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": SAID}
    words = ("hook", "run", "UserPromptSubmit", "--for", "claude", "--root", ".")
    assert run(*words, given=lines(payload, encoding=encoding)).returncode == 0
    assert wait_for(lambda: SAID in sessions(folder))


@pytest.mark.thorough
def test_a_server_keeps_what_it_is_given(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    replies = run("mcp", given=lines(*CALLS)).stdout.splitlines()
    assert json.loads(replies[-1])["result"]["isError"] is False
    assert "锚是铁的" in (folder / "MEMORY.md").read_text("utf-8")
