"""What is printed never undoes or hides what was done: odd encodings, and errors for programs."""

from __future__ import annotations

import errno
import io
import json
import subprocess
import sys
from pathlib import Path

import in_process
import pytest

from mdmem.cli.output import guard
from mdmem.errors import ExitCode

from .conftest import Run, environment


@pytest.mark.parametrize("encoding", ["gbk", "cp1252", "ascii"])
def test_a_pipe_that_knows_few_characters_stops_nothing(encoding: str, folder: Path, tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        env = environment(tmp_path) | {"PYTHONIOENCODING": encoding}
        return in_process.run(*words, cwd=folder, env=env)

    added = run("add", "MEMORY.md", "2026-02-14：🧠 naïve café ✓", "--section", "重要事件")
    assert (added.returncode, b"Traceback" in added.stderr) == (0, False), added.stderr
    assert "🧠 naïve café ✓" in (folder / "MEMORY.md").read_text("utf-8")
    for verb in (("status",), ("lint",), ("show", "MEMORY.md"), ("search", "café"), ("log",), ("explain", "MM310")):
        done = run(*verb)
        assert b"Traceback" not in done.stderr, (verb, done.stderr)


def test_the_c_locale_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """There Python writes unknown bytes back, but no character beyond ASCII."""
    pipe = io.TextIOWrapper(io.BytesIO(), "ascii", "surrogateescape")
    monkeypatch.setattr(sys, "stdout", pipe)
    assert guard(lambda: print("✓ 住在莱顿") or 0) == 0
    assert pipe.buffer.getvalue() == b"ok \\u4f4f\\u5728\\u83b1\\u987f\n"


@pytest.mark.parametrize("path", ["/home/ada/harbour/", b"/home/ada/harbour", None])
def test_what_the_system_does_not_permit_is_told_without_a_path_of_the_host(
    path: str | bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused() -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    assert guard(refused) == ExitCode.UNREADABLE
    told = capsys.readouterr().err
    assert "could not be opened: Permission denied" in told
    assert "ada" not in told
    assert ("harbour" in told) is (path is not None)


def test_an_error_is_json_where_json_was_asked_for(mdmem: Run) -> None:
    for words in (("status", "--json", "--root", "/nowhere/at/all"), ("search", "x", "--json", "--since", "never")):
        done = mdmem(*words)
        error = json.loads(done.stdout)["error"]
        assert done.returncode > 1
        assert {"code", "message", "hint"} <= error.keys()
        assert not done.stderr


def test_help_and_version_are_where_one_looks_for_them(mdmem: Run) -> None:
    from mdmem import __version__

    for words in (("--version",), ("-V",)):
        assert mdmem(*words).stdout == f"mdmem {__version__}\n"
    for verb in (("-h",), ("lint", "-h"), ("search", "-h"), ("add", "-h"), ("pin", "add", "-h")):
        done = mdmem(*verb)
        assert (done.returncode, "Usage" in done.stdout) == (0, True), verb


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("status",), ("lint", "--json"), ("nope",), ("search", "面试"), ("add", "--help"), ("show", "nowhere.md")]
)
def test_a_command_does_in_the_tests_process_what_it_does_in_its_own(
    words: tuple[str, ...], mdmem: Run, process: Run
) -> None:
    """The other tests here rest on it: they start no process."""
    here, there = mdmem(*words), process(*words)
    assert (here.returncode, here.stdout, here.stderr) == (there.returncode, there.stdout, there.stderr)


@pytest.mark.parametrize(("encoding", "mark"), [("gbk", "√"), ("cp1252", "ok"), ("ascii", "ok"), ("utf-8", "✓")])
def test_a_mark_that_the_encoding_lacks_is_a_plain_one(encoding: str, mark: str, folder: Path, tmp_path: Path) -> None:
    env = environment(tmp_path) | {"PYTHONIOENCODING": encoding}
    done = in_process.run("add", "MEMORY.md", "2026-02-14: tea ☕", "--lang", "en", cwd=folder, env=env)
    assert done.stdout.decode(encoding).startswith(f"{mark} saved")
    assert "tea ☕" in (folder / "MEMORY.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be deleted there")
@pytest.mark.parametrize("verb", ["status", "lint", "session start x", "init", "hook run start --for claude"])
@pytest.mark.parametrize(("lang", "told"), [("en", "the current folder was deleted"), ("zh", "已被删除")])
def test_a_deleted_current_folder_is_told(tmp_path: Path, verb: str, lang: str, told: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["mdmem", *verb.split()] + ([] if "hook" in verb else ["--lang", lang])
    code = f"import os, sys; os.rmdir(os.getcwd()); sys.argv = {words!r}; from mdmem.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=gone, env=environment(tmp_path), capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    if "hook" not in verb:
        assert (done.returncode, told in done.stderr) == (3, True), done.stderr
