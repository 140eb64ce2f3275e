"""`mdmem lint` as a person and a program meet it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import SHARED
from verbs import commands

from mdmem.messages.catalog import label, say

from .conftest import CLEAN, Run

BOM = "\ufeff" + CLEAN


def test_clean_folder_exits_0_and_says_so(process: Run) -> None:
    done = process("lint")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "✓ 1 file checked, all clean\n"


def test_finding_exits_1_with_place_line_mark_and_advice(process: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    done = process("lint")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "MEMORY.md:1:1: warning MM102 the file begins with a byte order mark [*]",
        "    1 │ <FEFF># 🧠 记忆",
        "      │ ^^^^^^",
        "      hint: save it as UTF-8 without BOM",
        "✗ 1 warning in 1 file checked · 1 fixable with --fix",
    ]


def test_messages_speak_chinese(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    assert "文件开头有字节顺序标记" in mdmem("lint", "--lang", "zh").stdout
    assert "文件开头有字节顺序标记" in mdmem("lint", LANG="zh_CN.UTF-8").stdout
    (folder / "mdmem.toml").write_text('lang = "zh"\n')
    assert "文件开头有字节顺序标记" in mdmem("lint").stdout


def test_fix_mends_keeps_mode_and_link_and_is_a_fixed_point(mdmem: Run, folder: Path) -> None:
    real = folder / "real.md"
    real.write_text(BOM, "utf-8")
    real.chmod(0o640)
    (folder / "MEMORY.md").unlink()
    (folder / "MEMORY.md").symlink_to("real.md")
    done = mdmem("lint", "--fix", "MEMORY.md")
    assert (done.returncode, done.stdout) == (
        0,
        "  MEMORY.md:1 MM102\nfixed 1 in 1 file\n✓ 1 file checked, all clean\n",
    )
    assert real.read_text("utf-8") == CLEAN
    assert (folder / "MEMORY.md").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(os.listdir(folder)) == [".mdmem", "MEMORY.md", "real.md"], "no temporary is left"
    assert "fixed" not in mdmem("lint", "--fix").stdout
    assert "nothing to fix" in mdmem("lint", "--diff").stdout


def test_diff_shows_and_writes_nothing(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    done = mdmem("lint", "--diff")
    assert done.returncode == 1
    assert "--- a/MEMORY.md\n+++ b/MEMORY.md\n" in done.stdout
    assert "would fix 1 in 1 file" in done.stdout
    assert (folder / "MEMORY.md").read_text("utf-8") == BOM


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (CLEAN, 0, ""),
        (BOM, 0, "the commit goes on: nothing that is listed stops it"),
        (f"{CLEAN}- 2026-02-13: the router password is Kz8-river-77\n", 1, "the commit was stopped: correct what"),
    ],
)
def test_the_hook_says_last_what_becomes_of_the_commit(
    text: str, code: int, told: str, process: Run, folder: Path
) -> None:
    (folder / "MEMORY.md").write_text(text, "utf-8")
    for words in (("init", "-q"), ("add", ".")):
        subprocess.run(["git", *words], cwd=folder, check=True)
    call = ("lint", "--staged", "--fail-on", "error", "--lang", "en")
    done = process(*call, GIT_INDEX_FILE=str(folder / ".git/index"))
    assert (done.returncode, "the commit" in done.stdout) == (code, bool(told)), done.stdout
    assert done.stdout.splitlines()[-1].startswith(told)
    assert "the commit was" not in process(*call).stdout


def test_second_run_answers_the_same_from_the_cache(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    first, second, bare = mdmem("lint"), mdmem("lint"), mdmem("lint", "--no-cache")
    assert first.stdout == second.stdout == bare.stdout
    (folder / "MEMORY.md").write_text(CLEAN, "utf-8")
    assert mdmem("lint").returncode == 0


@pytest.mark.parametrize("poison", [b"", b"\x00\xff", b"no tab", b"a\t[", b"a\tnull\nb\t[1,2]"])
def test_a_broken_cache_is_no_cache(mdmem: Run, folder: Path, tmp_path: Path, poison: bytes) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    first = mdmem("lint")
    (cache,) = (tmp_path / "cache" / "mdmem").glob("lint-*")
    records = [line.split(b"\t")[0] for line in cache.read_bytes().split(b"\n")]
    cache.write_bytes(poison + b"\n" + b"\n".join(key + b'\t{"x":1}' for key in records))
    assert mdmem("lint").stdout == first.stdout


def test_reading_writes_nothing_into_the_folder(mdmem: Run, folder: Path) -> None:
    for verb in (["lint"], ["status"], ["lint", "--format", "json"]):
        mdmem(*verb)
    assert os.listdir(folder) == ["MEMORY.md"]


def test_json_carries_place_code_and_fix(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    done = mdmem("lint", "--json")
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["path"], found["line"], found["code"], found["fix"]) == ("MEMORY.md", 1, "MM102", [[0, 1, ""]])


def test_github_and_sarif(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    github = mdmem("lint", "--format", "github").stdout
    assert github.startswith("::warning file=MEMORY.md,line=1,col=1,endLine=1,title=MM102 byte-order-mark::the file")
    log = json.loads(mdmem("lint", "--format", "sarif").stdout)
    (run,) = log["runs"]
    (result,) = run["results"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "MM102"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}


def test_rules_are_chosen_and_severity_decides_the_exit(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(BOM, "utf-8")
    assert mdmem("lint", "--ignore", "MM102").returncode == 0
    assert mdmem("lint", "--select", "byte-order-mark,MM4").returncode == 1
    assert mdmem("lint", "--select", "MM4").returncode == 0
    assert mdmem("lint", "--fail-on", "error").returncode == 0
    wrong = mdmem("lint", "--select", "MM999")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no rule is called `MM999`" in wrong.stderr


def test_finds_the_workspace_above_and_paths_read_from_here(mdmem: Run, folder: Path) -> None:
    below = folder / "notes" / "deep"
    below.mkdir(parents=True)
    (folder / "mdmem.toml").touch()
    (folder / "notes" / "a.md").write_text(BOM, "utf-8")
    done = mdmem("lint", cwd=below)
    assert done.stdout.startswith("../a.md:1:1:")


def test_no_workspace_is_an_error_with_a_way_out(mdmem: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = mdmem("lint", cwd=empty)
    assert done.returncode == 3
    assert done.stderr == (
        "mdmem: no memory folder here or above\n"
        "  hint: `--root DIR` names one, `mdmem init` creates one; or name the files to lint\n"
    )


CONFIG = [
    ("lnag = 1", 1, "unknown key `lnag`", "did you mean `lang`?"),
    ("\n[lint]\nmax_bites = 3\n", 3, "unknown key `lint.max_bites`", "max_bytes"),
    ('[lint]\nmax_bytes = "3"', 2, "`lint.max_bytes` must be a whole number", ""),
    ("[lint]\nselect = [1]", 2, "`lint.select` must be a list of texts", ""),
    ("lang = 'zh", 1, "", ""),
    ("lang = 'fr'", 1, "`lang` must be one of: en, zh, auto", ""),
    ("[lint]\nfail_on = 'never'", 2, "`lint.fail_on` must be one of: error, warning, note", ""),
    ("[lint]\nmax_bytes = -5", 2, "`lint.max_bytes` must be a whole number above 0", ""),
    ("[lint]\nnear_duplicate = 85", 2, "`lint.near_duplicate` must be a share between 0 and 1", ""),
]


@pytest.mark.parametrize(("text", "line", "message", "hint"), CONFIG)
def test_wrong_settings_say_where_and_what_is_valid(
    mdmem: Run, folder: Path, text: str, line: int, message: str, hint: str
) -> None:
    (folder / "mdmem.toml").write_text(text)
    done = mdmem("lint")
    assert done.returncode == 4
    assert f"mdmem.toml:{line}: " in done.stderr
    assert message in done.stderr
    assert hint in done.stderr


def test_own_template_wins_and_a_wrong_one_is_an_error(mdmem: Run, folder: Path) -> None:
    own = folder / "templates" / "MEMORY.md"
    own.parent.mkdir()
    own.write_text("---\nmdmem:\n  kind: memory\n  files: [MEMORY.md]\n  create: never\n  file: {max_chars: 5}\n---\n")
    assert mdmem("lint", "--select", "MM4").returncode in (0, 1)
    own.write_text("---\nmdmem:\n  kind: memory\n  fiels: [MEMORY.md]\n---\n")
    done = mdmem("lint")
    assert done.returncode == 4
    assert "templates/MEMORY.md:" in done.stderr


def test_gitignored_and_tool_folders_are_skipped_but_named_files_are_not(mdmem: Run, folder: Path) -> None:
    for name in ("node_modules/a.md", ".git/a.md", "kept/a.md", "drafts/a.md", "drafts/keep.md", "sub/x/b.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(BOM, "utf-8")
    (folder / ".gitignore").write_text("drafts/*\n!drafts/keep.md\n")
    (folder / "sub" / ".gitignore").write_text("x/\n")
    found = {one["path"] for one in json.loads(mdmem("lint", "--json").stdout)["findings"]}
    assert found == {"kept/a.md", "drafts/keep.md"}
    assert mdmem("lint", "drafts/a.md").returncode == 1


@pytest.mark.thorough
@pytest.mark.slow
def test_jobs_change_nothing_but_time(process: Run, folder: Path) -> None:
    for number in range(40):
        (folder / f"{number}.md").write_text(BOM, "utf-8")
    one = process("lint", "--no-cache", "--jobs", "1")
    two = process("lint", "--no-cache", "--jobs", "2")
    assert one.stdout == two.stdout
    assert one.stdout.count("MM102") == 40


def test_odd_names_and_host_paths(mdmem: Run, folder: Path) -> None:
    (folder / "a\nb\x1b[31m.md").write_text(BOM, "utf-8")
    done = mdmem("lint")
    assert "\x1b" not in done.stdout
    assert str(folder) not in done.stdout + done.stderr
    missing = mdmem("lint", "nowhere.md")
    assert (missing.returncode, str(folder) in missing.stderr) == (5, False)


@pytest.mark.slow
def test_a_reader_that_stops_early_is_no_error(mdmem: Run, folder: Path) -> None:
    import subprocess
    import sys

    for number in range(300):
        (folder / f"{number}.md").write_text(BOM, "utf-8")
    done = subprocess.run(
        f"{sys.executable} -m mdmem lint --no-cache | head -1", shell=True, cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_help_shows_every_option_of_lint(mdmem: Run) -> None:
    shown = " ".join(mdmem("lint", "--help", "--lang", "en", COLUMNS="200").stdout.split())
    for option in dict(commands())[("lint",)].params:
        own = label("en", f"help.lint.{option.name}", "")
        assert (own or say("en", f"help.option.{option.name}")) in shown
        assert option.param_type_name == "argument" or option.opts[0] in shown


def test_a_wrong_option_exits_2(mdmem: Run) -> None:
    done = mdmem("lint", "--nonsense")
    assert done.returncode == 2
    assert "--nonsense" in done.stderr


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "corpus").is_dir(), reason="the corpus is not part of the project")
def test_corpus_has_no_crash(mdmem: Run) -> None:
    done = mdmem("lint", str(SHARED / "corpus"), str(SHARED / "samples"), "--json", "--no-cache")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["files"] > 80


def test_explain_lists_every_rule_and_shows_a_page(mdmem: Run) -> None:
    from mdmem.linter.registry import RULES

    listed = mdmem("explain", COLUMNS="200").stdout
    assert all(rule.code in listed and rule.name in listed for rule in RULES)
    assert "{" not in listed
    assert mdmem("explain", "MM102").stdout == mdmem("explain", "byte-order-mark").stdout
    assert "## Why" in mdmem("explain", "mm102").stdout
    assert mdmem("explain", "MM999").returncode == 2


def test_init_writes_only_what_is_missing(mdmem: Run, folder: Path) -> None:
    (folder / "USER.md").write_text("# mine\n")
    done = mdmem("init", "--lang", "en")
    assert "+ FASTMEMO.md" in done.stdout
    assert "USER.md" not in done.stdout
    assert (folder / "USER.md").read_text() == "# mine\n"
    assert (folder / "MEMORY.md").read_text("utf-8") == CLEAN
    assert mdmem("lint").returncode == 0
    assert "+" not in mdmem("init").stdout


def test_status_tells_fill_and_what_waits(mdmem: Run, folder: Path) -> None:
    mdmem("init", "--lang", "zh")
    full = (folder / "FASTMEMO.md").read_text("utf-8")
    items = "\n".join(f"- 2026-02-{day:02d} 阶段摘要第{day}条" for day in range(1, 11))
    (folder / "FASTMEMO.md").write_text(f"{full}\n{items}\n", "utf-8")
    files = {one["path"]: one for one in json.loads(mdmem("status", "--json").stdout)["files"]}
    pool = files["FASTMEMO.md"]["sections"][-1]
    assert (pool["name"], pool["entries"], pool["max"], pool["pending"]) == ("动态context池", 10, 10, True)
    assert files["FASTMEMO.md"]["pending"]
    assert files["MEMORY.md"]["kind"] == "memory"
    table = mdmem("status", COLUMNS="100").stdout
    assert "10/10" in table
    assert max(map(len, table.splitlines())) <= 100


def test_a_note_is_no_failure_and_has_another_mark(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(CLEAN.rstrip("\n") + "\n- likes tea\n", "utf-8")
    done = mdmem("lint")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "· 1 note in 1 file checked"


@pytest.mark.parametrize("line", ["my password is hunter2-aTx93kk", "昨天我的密码是 hunter2-aTx93kk"])
def test_no_finding_quotes_a_line_that_has_a_secret(line: str, mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(f"# 🧠 记忆\n\n## 重要事件\n\n- {line}\n", "utf-8")
    told = mdmem("lint", "--lang", "en").stdout
    assert told.count("MEMORY.md:5:") > 1, "another rule finds something on this line"
    assert "hunter2" not in told


SECRET = "Larch!Moss77"
LINES = {
    "MM303": f"* the wifi password is {SECRET}",
    "MM310": f"- since yesterday the wifi password is {SECRET}",
    "MM308": f"- the wifi password is {SECRET}",
    "MM103": f"- the wifi password is {SECRET}\r\n- tea\n- more",
}


@pytest.mark.parametrize("output", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize("code", LINES)
def test_a_rule_by_itself_quotes_no_secret(mdmem: Run, folder: Path, code: str, output: str) -> None:
    (folder / "MEMORY.md").write_bytes(f"# Memory\n\n## Key Events\n\n{LINES[code]}\n".encode())
    done = mdmem("lint", "--select", code, "--format", output, "MEMORY.md")
    assert SECRET not in done.stdout + done.stderr


def test_other_lines_are_quoted(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(
        f"# Memory\n\n## Key Events\n\n- since yesterday Ann likes tea\n{LINES['MM310']}\n"
    )
    done = mdmem("lint", "--select", "MM310", "MEMORY.md")
    assert "Ann likes tea" in done.stdout
    assert done.stdout.count("MM310") == 2
    assert SECRET not in done.stdout
