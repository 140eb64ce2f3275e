"""What is printed never undoes or hides what was done: odd encodings, and errors for programs."""

from __future__ import annotations

import errno
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import in_process
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.cli.console import fold, width
from mdmem.cli.output import guard
from mdmem.errors import ExitCode, UsageError
from mdmem.messages.catalog import label
from mdmem.messages.counted import Named
from mdmem.workspace import Workspace

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


@given(text=st.text(alphabet="记忆，。（）、 abc-12", max_size=80), wide=st.integers(24, 40))
def test_a_folded_text_loses_nothing_breaks_no_word_and_begins_no_line_with_a_stop(text: str, wide: int) -> None:
    lines = fold(text, wide, 0)
    assert "".join("".join(lines).split()) == "".join(text.split())
    if width(text) > wide and not text.isascii() and not re.search(r"[!-~，。）、]{12}", text):
        assert all(width(line) <= wide for line in lines)
        assert not [line for line in lines[1:] if line[:1] in set("，。）、") and line]
        words = re.findall(r"[!-~]+", text)
        assert all(any(word in line for line in lines) for word in words)


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_an_error_of_a_program_is_in_the_language_of_the_workspace(lang: str, tmp_path: Path) -> None:
    work = Workspace(tmp_path, lang=lang)
    work.init()
    for call in (lambda: work.search("x", limit=0), lambda: work.search("x", since="nope"), lambda: work.pack("nope")):
        with pytest.raises(UsageError) as raised:
            call()
        told = f"{raised.value}{raised.value.hint}"
        assert bool(re.search("[一-龥]", told)) is (lang == "zh"), told


def test_a_place_in_a_chinese_error_has_a_chinese_colon(mdmem: Run, folder: Path) -> None:
    call = ("add", "MEMORY.md", "the password is Kz8-river-77")
    assert "mdmem: MEMORY.md：没有写入：" in mdmem(*call, "--lang", "zh", cwd=folder).stderr
    assert "mdmem: MEMORY.md: not written: " in mdmem(*call, "--lang", "en", cwd=folder).stderr
    assert (
        "小节：重要事件、偏好与习惯" in mdmem("add", "MEMORY.md", "x", "-s", "没有", "--lang", "zh", cwd=folder).stderr
    )


def test_a_kind_of_secret_has_its_article(mdmem: Run, folder: Path) -> None:
    assert f"{Named('identity number'):a}" == "an identity number"
    told = mdmem("add", "MEMORY.md", "我的身份证号是 11010519491231002X", "--lang", "en", cwd=folder).stderr
    assert "an identity number is written here" in told


@pytest.mark.parametrize(
    ("word", "role"), [("用户", "user"), ("助手", "assistant"), ("工具", "tool"), ("系统", "system")]
)
def test_the_speaker_of_a_turn_is_named_in_each_language(word: str, role: str, mdmem: Run, folder: Path) -> None:
    started = mdmem("session", "start", "聊天", cwd=folder).stdout.strip()
    assert mdmem("session", "turn", word, "你好", cwd=folder).returncode == 0
    assert mdmem("session", "turn", started, word, "再见", cwd=folder).returncode == 0
    turns = json.loads(mdmem("session", "show", started, "--json", cwd=folder).stdout)["turns"]
    assert {one["role"] for one in turns} == {role}


def test_what_a_full_disk_means_is_said_in_the_language_of_the_call() -> None:
    assert label("zh", "errors.No space left on device", "") == "磁盘满了"
