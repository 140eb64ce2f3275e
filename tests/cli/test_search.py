"""`mdmem search` and `mdmem index`, as typed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import in_process
import pytest

from .conftest import Run, environment

HEAVY = ("rich", "click", "watchdog", "asyncio", "ssl")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "archive").mkdir(parents=True)
    (folder / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    text = "# Memory\n\n## Habits\n\n- 2026-02-13: prefers short answers #style\n- \x1b[31mred alert\n"
    (folder / "MEMORY.md").write_text(text, "utf-8")
    (folder / "archive" / "2026-01.md").write_text("- sold the guitar\n", "utf-8")
    return folder


def mdmem(root: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return in_process.run_text(*arguments, cwd=root, env=environment(root.parent) | more)


def test_a_hit_says_where_when_and_why(root: Path) -> None:
    done = mdmem(root, "search", "answer")
    assert done.returncode == 0
    where, text, why = done.stdout.splitlines()
    assert where == "MEMORY.md:5  2026-02-13  Habits"
    assert "prefers short answers #style" in text
    assert why.strip() == "found by: answers"
    assert "\x1b" not in done.stdout
    assert "\x1b[33manswers\x1b[0m" in mdmem(root, "search", "answer", FORCE_COLOR="1").stdout


def test_how_much_of_a_hit_is_shown_is_a_setting(root: Path) -> None:
    (root / "mdmem.toml").write_text('lang = "en"\n[search]\nsnippet_chars = 12\nsnippet_before = 60\n', "utf-8")
    assert mdmem(root, "search", "answer").stdout.splitlines()[1].strip() == "…short answer…"


def test_a_text_can_do_nothing_to_the_terminal(root: Path) -> None:
    done = mdmem(root, "search", "alert")
    assert "red alert" in done.stdout.replace("[31m", "")
    assert "\x1b" not in done.stdout


def test_nothing_found_says_what_next_and_exits_as_grep_does(root: Path) -> None:
    done = mdmem(root, "search", "trombone")
    assert done.returncode == 1
    assert "other words" in done.stdout
    assert json.loads(mdmem(root, "search", "trombone", "--json").stdout) == []
    assert mdmem(root, "search").returncode == 2
    assert mdmem(root, "search", "x", "--since", "soon").returncode == 2
    assert mdmem(root, "search", "x", "--sinc", "soon").returncode == 2


def test_an_archived_hit_is_told_as_such_and_a_cut_question_too(root: Path) -> None:
    assert mdmem(root, "search", "guitar").stdout.splitlines()[0].endswith("archive")
    assert "归档" in mdmem(root, "search", "guitar", "--lang", "zh").stdout
    assert mdmem(root, "search", "guitar", "--kind", "memory").returncode == 1
    long = mdmem(root, "search", "guitar " + "and so on " * 300)
    assert "sold the guitar" in long.stdout
    assert "its first 2000 of 3007 characters" in long.stderr


def test_json_holds_what_the_terminal_shows_and_more(root: Path) -> None:
    [hit] = json.loads(mdmem(root, "search", "answer", "--json", "--tag", "style", "--kind", "memory").stdout)
    assert (hit["path"], hit["line"], hit["date"], hit["section"]) == ("MEMORY.md", 5, "2026-02-13", "Habits")
    assert hit["key"]


def test_a_tag_alone_or_among_the_words_is_a_filter(root: Path) -> None:
    by_option, by_word, among_words = (
        [(hit["path"], hit["line"]) for hit in json.loads(mdmem(root, "search", "--json", *words).stdout)]
        for words in (("--tag", "style"), ("tag:style",), ("tag:style", "answer"))
    )
    assert by_option == by_word
    assert ("MEMORY.md", 5) in by_option
    assert among_words == [("MEMORY.md", 5)]


def test_the_index_is_told_of_checked_and_rebuilt(root: Path) -> None:
    assert "files" in mdmem(root, "index", "status").stdout
    assert mdmem(root, "index", "check").returncode == 0
    status = json.loads(mdmem(root, "index", "rebuild", "--json").stdout)
    assert status["files"] == 2
    assert status["place"] == "file"


@pytest.mark.slow
def test_a_search_loads_nothing_heavy(root: Path) -> None:
    code = (
        "import sys; sys.argv[0] = 'mdmem'; import mdmem.__main__ as m;"
        "m._leave = lambda code: sys.exit(print(' '.join(sys.modules), file=sys.stderr)); m.main()"
    )
    for _ in range(2):
        command = [sys.executable, "-c", code, "search", "answer"]
        done = subprocess.run(
            command, cwd=root, env=environment(root.parent), capture_output=True, text=True, check=False
        )
    loaded = done.stderr.split()
    assert "sqlite3" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_an_unknown_kind_is_a_usage_error_that_lists_the_kinds(root: Path) -> None:
    done = mdmem(root, "search", "answer", "--kind", "memory,diary")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no kind `diary`" in done.stderr
    assert "fastmemo" in done.stderr
    assert "daily" in done.stderr


def test_a_file_too_large_to_search_is_named_by_search_and_status(root: Path) -> None:
    (root / "mdmem.toml").write_text('lang = "en"\n[lint]\nmax_bytes = 2000\n', "utf-8")
    (root / "chronicle.md").write_text("- answers of all kinds\n" * 200, "utf-8")
    done = mdmem(root, "search", "answer")
    assert done.returncode == 0
    assert "chronicle.md" not in done.stdout
    assert done.stderr == "too large to search: chronicle.md (over 2000 bytes)\n"
    shown = mdmem(root, "status").stdout
    assert "chronicle.md" in shown
    assert "too large" in shown
    files = json.loads(mdmem(root, "status", "--json").stdout)["files"]
    assert {one["path"]: one["too_large"] for one in files}["chronicle.md"] == 4600


def test_the_name_of_a_kind_is_a_file_beside_a_folder_of_that_name(root: Path) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / "facts").mkdir()
    for name in ("kiln", "boat"):
        (root / "facts" / f"{name}.md").write_text(f"# {name}\n\n## Now\n\n- 2026-01-01: is old\n", "utf-8")
    done = mdmem(root, "add", "memory", "2026-02-14: a hat", "--section", "Habits")
    assert done.returncode == 0, done.stderr
    assert "a hat" in (root / "MEMORY.md").read_text("utf-8")
    assert mdmem(root, "add", "daily", "swam", "--section", "today").returncode == 0
    assert [one.name for one in (root / "memory").glob("20*.md")] != []
    shown = mdmem(root, "show", "facts").stdout
    assert shown.index("boat.md") < shown.index("kiln.md")
    refused = mdmem(root, "add", "facts", "x", "--section", "Now")
    assert refused.returncode != 0
    assert "facts/boat.md, facts/kiln.md" in refused.stderr
    said = mdmem(root, "compact", "facts", "--plan", "--now")
    assert "facts/boat.md" in said.stdout
    assert "facts/kiln.md" in said.stdout
    assert "MEMORY.md" in mdmem(root, "compact", "memory", "--plan", "--now").stdout


def test_a_bare_value_is_shown_with_its_property(root: Path) -> None:
    assert mdmem(root, "fact", "set", "user", "morning_drink", "black tea").returncode == 0
    assert mdmem(root, "search", "tea").stdout.splitlines()[1].strip().endswith("morning drink: black tea")


@pytest.fixture
def asking(tmp_path: Path) -> None:
    """A user who asks for a backend, and names no model."""
    place = tmp_path / "config" / "mdmem"
    place.mkdir(parents=True)
    (place / "mdmem.toml").write_text('[vectors]\nbackend = "openai"\n')


@pytest.mark.usefixtures("asking")
def test_a_backend_that_is_missing_is_told_beside_what_words_find(mdmem: Run) -> None:
    done = mdmem("search", "面试", "--lang", "en")
    assert (done.returncode, done.stderr) == (
        0, "search by words only, not by meaning: no embedding model is set; set `model` in [vectors]\n",
    )  # fmt: skip
    assert "MEMORY.md:5" in done.stdout
    assert json.loads(mdmem("search", "面试", "--json").stdout)[0]["line"] == 5


@pytest.mark.usefixtures("asking")
def test_the_index_tells_how_it_stands(mdmem: Run) -> None:
    assert "没有指定嵌入模型" in mdmem("index", "status", "--lang", "zh").stdout
    told = json.loads(mdmem("index", "rebuild", "--json").stdout)["meaning"]
    assert (told["backend"], told["available"], told["vectors"]) == ("openai", False, 0)


def test_who_asks_for_no_backend_hears_of_none(mdmem: Run) -> None:
    assert mdmem("search", "面试").stderr == ""
    assert len(mdmem("index", "status").stdout.splitlines()) == 1
