"""`mdmem watch`, `busy` and `trust` as a person, systemd and cron meet them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import wait_for

from .conftest import CLEAN, Run, environment

pytestmark = pytest.mark.slow

SECRET = "# 🧠 记忆\n\n## 笔记\n\n- 2026-02-13：路由器的密码是 Kz8-river-77\n"


@contextmanager
def watching(folder: Path, home: Path, *arguments: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "mdmem", "watch", *arguments],
        cwd=folder, env=environment(home) | more.pop("env", {}), stderr=subprocess.PIPE, **more,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()


def lines(path: Path, count: int) -> list[str]:
    """Wait for so many lines in a file."""
    assert wait_for(lambda: len(path.read_text("utf-8").splitlines()) >= count, 30), path.read_text("utf-8")
    return path.read_text("utf-8").splitlines()


@pytest.mark.thorough
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_json_lines_as_it_happens_and_a_clean_end(folder: Path, tmp_path: Path, ending: signal.Signals) -> None:
    with watching(folder, tmp_path, "--json", stdout=subprocess.PIPE) as process:
        assert process.stdout
        first = json.loads(process.stdout.readline())
        assert (first["kind"], first["path"]) == ("started", "")
        (folder / "MEMORY.md").write_text(SECRET, "utf-8")
        said = json.loads(process.stdout.readline())
        assert (said["kind"], said["path"], said["severity"]) == ("changed", "MEMORY.md", "error")
        assert {one["code"] for one in said["diagnostics"]} >= {"MM502"}
        process.send_signal(ending)
        out, errors = process.communicate(timeout=30)
        assert (process.returncode, out, errors) == (0, b"", b"")


@pytest.mark.thorough
def test_in_the_journal_there_are_priorities_and_neither_time_nor_colour(folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with journal.open("wb") as stream:
        found = os.fstat(stream.fileno())
        env = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}", "LANG": "en_GB.UTF-8"}
        with watching(folder, tmp_path, stdout=stream, env=env):
            lines(journal, 1)
            (folder / "MEMORY.md").write_text(SECRET, "utf-8")
            said = lines(journal, 3)
            (folder / "MEMORY.md").write_text(CLEAN, "utf-8")
            said = lines(journal, 4)
    assert said == [
        "<6>watching 1 file by file events: clean",
        "<3>MEMORY.md: 1 error",
        "<3>MEMORY.md:5:22: error MM502 a password is written here",
        "<6>MEMORY.md: clean",
    ]


def test_elsewhere_there_is_the_time(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with out.open("wb") as stream, watching(folder, tmp_path, stdout=stream, env={"JOURNAL_STREAM": "1:2"}):
        (first,) = lines(out, 1)
    time.strptime(first[:8], "%H:%M:%S")
    assert first[9:] == "watching 1 file by file events: clean"


def test_once_looks_and_ends(mdmem: Run, folder: Path) -> None:
    done = mdmem("watch", "--once")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout[9:] == "checked 1 file: clean\n"
    (folder / "MEMORY.md").write_text(SECRET, "utf-8")
    assert mdmem("watch", "--once", "--lang", "zh").stdout[9:] == "已检查 1 个文件：1 个错误\n"
    assert json.loads(mdmem("watch", "--once", "--json").stdout)["kind"] == "looked"


def test_a_second_watcher_is_sent_away(folder: Path, tmp_path: Path, mdmem: Run) -> None:
    with watching(folder, tmp_path, "--json", stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        done = mdmem("watch")
    assert done.returncode == 13
    assert done.stderr.startswith("mdmem: another watcher is running in this folder\n")
    assert mdmem("watch", "--once").returncode == 0


def test_a_reader_that_leaves_ends_it(folder: Path, tmp_path: Path) -> None:
    with watching(folder, tmp_path, "--json", stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.stdout.close()
        (folder / "MEMORY.md").write_text(SECRET, "utf-8")
        assert process.wait(30) in (1, 141)
        assert process.stderr
        assert process.stderr.read() == b""


def test_busy_for_a_while_and_no_longer(mdmem: Run) -> None:
    assert mdmem("busy").stdout == "there is no busy mark\n"
    assert mdmem("busy", "--for", "10m").stdout.startswith("cli → ")
    mdmem("busy", "--for", "90s", "--name", "agent-2")
    names = [one["name"] for one in json.loads(mdmem("busy", "--json").stdout)["busy"]]
    assert names == ["agent-2", "cli"]
    assert mdmem("busy", "--release").stdout.startswith("agent-2 → ")
    assert mdmem("busy", "--release", "--name", "agent-2", "--lang", "zh").stdout == "没有人在用\n"


@pytest.mark.parametrize("text", ["10", "m", "0m", "-1m", "10 m", "1m30s", "٣m", "9999999d"])
def test_a_length_of_time_has_a_unit(mdmem: Run, text: str) -> None:
    done = mdmem("busy", f"--for={text}")
    assert done.returncode == 2
    assert "10m" in done.stderr


ASKING = '[openai]\nbase_url = "https://example.org/v1"\nmodel = "m"\nkey_env = "HOME"\n[command]\nrun = ["rm", "-r"]\n'


def test_trust_shows_first_and_holds_for_what_was_shown(mdmem: Run, folder: Path) -> None:
    assert "nothing to trust" in mdmem("trust").stdout
    settings = folder / "mdmem.toml"
    settings.write_text(ASKING)
    done = mdmem("trust")
    assert (done.returncode, 'openai.base_url = "https://example.org/v1"' in done.stdout) == (14, True)
    assert json.loads(mdmem("trust", "--yes", "--json").stdout)["trusted"] is True
    assert mdmem("trust").returncode == 0
    settings.write_text(ASKING.replace("rm", "cp"))
    assert mdmem("trust").returncode == 14
    settings.write_text(ASKING)
    assert "not trusted" in mdmem("trust", "--revoke").stdout
    assert mdmem("trust").returncode == 14
