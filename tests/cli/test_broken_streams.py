"""A standard output that is full, closed or read no more: no traceback, and whether the change was made is told."""

from __future__ import annotations

import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from forms import each

from .conftest import environment

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="streams of POSIX")]
REPORTS = ("status", "lint", "search 面试", "context", "log --json", "--help", "tool call read")
STREAMS = ("> /dev/full", "> /dev/full 2> /dev/full", ">&-", ">&- 2>&-", "| true")


def run(folder: Path, home: Path, words: str, streams: str) -> subprocess.CompletedProcess[str]:
    command = f"set -o pipefail; {shlex.quote(sys.executable)} -m mdmem {words} --lang en {streams}"
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(home), capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize(("words", "streams"), each(3, list(product(REPORTS, STREAMS))))
def test_a_report_that_has_nowhere_to_go(folder: Path, tmp_path: Path, words: str, streams: str) -> None:
    done = run(folder, tmp_path, words, streams)
    assert "Traceback" not in done.stderr
    assert "gnored" not in done.stderr, "Python has nothing left to write when it ends"
    if streams == "> /dev/full":
        assert (done.returncode, "no file was changed" in done.stderr) == (8, True), done.stderr
    if streams == "| true":
        assert done.returncode in {0, 1, 2, 141}
        assert not done.stderr


@pytest.mark.parametrize(("streams", "code"), [("> /dev/full", 8), (">&-", 0), ("| true", 141), ("2>&-", 0)])
@pytest.mark.parametrize("words", ["add MEMORY.md '2026-02-14：船漆成了绿色'", "add MEMORY.md 2026-02-14：船 --json"])
def test_a_change_whose_report_has_nowhere_to_go(
    folder: Path, tmp_path: Path, words: str, streams: str, code: int
) -> None:
    done = run(folder, tmp_path, words, streams)
    assert "船" in (folder / "MEMORY.md").read_text("utf-8")
    assert done.returncode in {code, 0} if streams == "| true" else done.returncode == code
    assert "Traceback" not in done.stderr
    assert ("the change was made" in done.stderr) is (done.returncode in {8, 141}), done.stderr


@pytest.mark.thorough
def test_an_error_that_has_nowhere_to_go(folder: Path, tmp_path: Path) -> None:
    for streams in ("> /dev/full", "2> /dev/full", "> /dev/full 2>&1", ">&- 2>&-"):
        for words in ("nope", "show nowhere.md", "show nowhere.md --json"):
            done = run(folder, tmp_path, words, streams)
            assert done.returncode in {2, 12}, (words, streams)
            assert "Traceback" not in done.stdout + done.stderr
