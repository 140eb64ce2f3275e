"""What people type by habit works: options anywhere, attached values, a pipe; and what is empty is told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import in_process
import pytest
from verbs import paths

from mdmem import errors
from mdmem.cli.exit_codes import meaning
from mdmem.errors import ExitCode, MdmemError

from .conftest import Run, environment

COMMANDS = Path(__file__).resolve().parents[2] / "docs" / "commands.md"


def test_options_stand_before_or_behind_the_verb(mdmem: Run, folder: Path, tmp_path: Path) -> None:
    behind = mdmem("status", "--root", str(folder), "--json", cwd=tmp_path)
    before = mdmem("--root", str(folder), "--json", "status", cwd=tmp_path)
    assert before.stdout == behind.stdout
    assert json.loads(before.stdout)["files"]
    assert mdmem("--lang", "zh", "--help").stdout == mdmem("help", "--lang=zh").stdout
    assert mdmem("plan", "--lang", "en", "--help").stdout == mdmem("help", "plan", "--lang", "en").stdout
    assert mdmem("lint", "--root", str(folder), cwd=tmp_path).returncode == 0


def test_short_options_take_their_value_attached(mdmem: Run) -> None:
    for words in (("-j1",), ("-j", "1"), ("-qj1",), ("--jobs=1",)):
        assert mdmem("lint", *words).returncode == 0, words
    assert mdmem("search", "面试", "-n1").returncode == 0
    assert mdmem("log", "-n1").returncode == 0


def test_colour_is_as_asked(mdmem: Run) -> None:
    for words in (("--color", "always", "status"), ("status", "--color=always"), ("lint", "--color", "always")):
        assert "\x1b[" in mdmem(*words, NO_COLOR="1").stdout, words
    assert "\x1b[" not in mdmem("status", "--color", "never", FORCE_COLOR="1").stdout
    assert "\x1b[" not in mdmem("status", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[" in mdmem("status", FORCE_COLOR="1").stdout


def pipe(folder: Path, home: Path, text: bytes, *words: str) -> subprocess.CompletedProcess[bytes]:
    return in_process.run("lint", *words, cwd=folder, env=environment(home), given=text)


def test_lint_reads_a_pipe_as_the_file_it_is_named(folder: Path, tmp_path: Path) -> None:
    text = "# 🧠 记忆\n\n## 待办与承诺\n\n- 提醒主人下周交周报\n".encode()
    named = pipe(folder, tmp_path, text, "-", "--stdin-filename", "MEMORY.md")
    (folder / "MEMORY.md").write_bytes(text)
    assert named.stdout == pipe(folder, tmp_path, b"", "MEMORY.md").stdout
    assert named.returncode == 1
    assert b"MM310" in named.stdout
    nameless = pipe(folder, tmp_path, text, "-")
    assert (nameless.returncode, b"MM310" in nameless.stdout) == (0, False), "a text of no kind"
    found = json.loads(pipe(folder, tmp_path, text, "-", "--json", "--stdin-filename", "MEMORY.md").stdout)
    assert {one["path"] for one in found["findings"]} == {"MEMORY.md"}


def test_lint_fix_of_a_pipe_prints_the_text_alone(folder: Path, tmp_path: Path) -> None:
    text = "﻿# 🧠 记忆\n\n## 重要事件\n\n* 2026-02-13：面试".encode()
    before = (folder / "MEMORY.md").read_bytes()
    done = pipe(folder, tmp_path, text, "-", "--fix", "--stdin-filename", "MEMORY.md")
    assert done.stderr
    assert (folder / "MEMORY.md").read_bytes() == before
    (folder / "MEMORY.md").write_bytes(text)
    pipe(folder, tmp_path, b"", "MEMORY.md", "--fix")
    assert done.stdout == (folder / "MEMORY.md").read_bytes() != text
    again = pipe(folder, tmp_path, done.stdout, "-", "--fix", "--stdin-filename", "MEMORY.md")
    assert again.stdout == done.stdout
    odd = b"\xff\xfe no text \r\n"
    assert pipe(folder, tmp_path, odd, "-", "--fix").stdout == odd, "what cannot be mended comes out as it went in"


@pytest.mark.parametrize("words", [("empty",), ("empty/*.md",), ("nowhere",), ("MEMORY.md", "em?ty/*.md")])
def test_a_lint_of_nothing_is_an_error_that_says_what_to_do(words: tuple[str, ...], mdmem: Run, folder: Path) -> None:
    (folder / "empty").mkdir()
    done = mdmem("lint", *words)
    assert done.returncode > 1
    assert not done.stdout
    assert done.stderr.count("\n") == 2, "what and where, then what to do"


def test_lint_expands_a_glob_that_no_shell_expanded(mdmem: Run) -> None:
    assert "1 个文件" in mdmem("lint", "MEM*.md").stdout + mdmem("lint", "MEM*.md", "--lang", "zh").stdout


def test_a_line_and_a_file_says_where_each_setting_is_set(mdmem: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config" / "mdmem").mkdir(parents=True)
    (tmp_path / "config" / "mdmem" / "mdmem.toml").write_text("[pen]\nshrink_min_chars = 99\n[lint]\nmax_lines = 7\n")
    (folder / "mdmem.toml").write_text(
        '# mine\nlang = "en"\n\n[lint]\nmax_lines = 5\n\n[keeper]\nbackend = "openai"\n\n[openai]\nmodel = "m"\n'
    )
    shown = mdmem("config", "show").stdout
    assert 'lang = "en"  mdmem.toml:2' in shown
    assert "lint.max_lines = 5  mdmem.toml:5" in shown
    assert "pen.shrink_min_chars = 99  ~/.config/mdmem/mdmem.toml:2" in shown
    assert 'openai.model = "m"  mdmem.toml:11\n    ignored' in shown
    every = json.loads(mdmem("config", "show", "--all", "--json").stdout)["settings"]
    values = {one["key"]: one["value"] for one in every if not one["ignored"]}
    assert (values["lint.max_lines"], values["keeper.backend"], values["lint.fail_on"]) == (5, "rules", "warning")
    assert len(every) > 80
    (folder / "mdmem.toml").write_text("[lint]\nlines = 5\n")
    assert mdmem("config", "show").returncode == ExitCode.CONFIG


def test_a_long_name_is_neither_broken_nor_cut(mdmem: Run, folder: Path) -> None:
    name = "facts/a_rather_long_name_of_a_file_about_one_thing_that_nobody_would_type_twice.md"
    (folder / "facts").mkdir()
    (folder / name).write_text("# 事实\n\n- x\n", "utf-8")
    for columns in ("80", "40"):
        assert name in mdmem("status", COLUMNS=columns).stdout


def test_one_table_of_exit_codes() -> None:
    """Each error has a code of its own from the one enum, and the page of commands and help show all of them."""
    kinds: list[type[MdmemError]] = [MdmemError, *MdmemError.__subclasses__()]
    used = [one.exit_code for one in kinds]
    assert all(isinstance(code, ExitCode) for code in used)
    assert sorted({*map(int, used), 0, 1, 130, 141}) == sorted(ExitCode)
    assert all(errors.exit_code(one.code) == one.exit_code for one in MdmemError.__subclasses__())
    rows = [line for line in COMMANDS.read_text("utf-8").splitlines() if line.startswith("| ")]
    for code in ExitCode:
        assert f"| {int(code)} | {meaning('en', code)} |" in rows


@pytest.mark.thorough
def test_every_verb_tells_errors_as_json(mdmem: Run) -> None:
    for path in paths():
        if path != ("hook", "run"):
            done = mdmem(*path, "--json", "--nonsense")
            assert json.loads(done.stdout)["error"]["code"] == "usage", path
            assert (done.returncode, done.stderr) == (2, ""), path


HEAVY = {"click", "asyncio", "watchdog"}


@pytest.mark.slow
@pytest.mark.parametrize("words", [("status",), ("show", "MEMORY.md"), ("log",), ("plan",)])
def test_a_verb_loads_its_own_module_alone(words: tuple[str, ...], folder: Path, tmp_path: Path) -> None:
    code = "import sys, mdmem.__main__ as m\ntry: m.main()\nfinally: print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, env=environment(tmp_path), capture_output=True, text=True,
        check=False, encoding="utf-8",
    )  # fmt: skip
    names = set(done.stderr.split())
    assert "mdmem.cli.app" in names
    assert not names & HEAVY
    verbs = {name for name in names if name.startswith("mdmem.cli.commands.")} - {"mdmem.cli.commands.evidence"}
    assert len(verbs) <= 1


@pytest.mark.slow
def test_one_is_no_plural(mdmem: Run, folder: Path) -> None:
    (folder / "mdmem.toml").write_text('lang = "en"\n')
    said = [
        mdmem("rm", "MEMORY.md", "主人说周五", "--dry-run").stdout,
        mdmem("add", "MEMORY.md", "2026-02-14: the interview went well", "-s", "重要事件").stdout,
        mdmem("lint").stdout, mdmem("doctor").stdout, mdmem("index", "status").stdout, mdmem("watch", "--once").stdout,
        mdmem("forget", "主人说周五", "--dry-run").stdout, mdmem("status").stdout,
    ]  # fmt: skip
    assert "removed 1 entry from MEMORY.md" in said[0]
    for text in said:
        assert not re.search(r"(?<!\d)1 [a-z]+(?:ies|[^s]s)\b", text), text
        assert "(s)" not in text
