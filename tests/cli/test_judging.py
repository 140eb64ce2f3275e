"""What a commit does not change does not stop it, and what a baseline knows does not count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdmem.linter.known_findings import FindingName, read_baseline, write_baseline

from .conftest import CLEAN, Run

FULL = (
    "# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：主人说周五有面试\n- 2026-02-13：路由器的密码是 Kz8-river-77\n\n"
    "## 笔记\n\n- 好\x00\n"
)
OLD_TOML = 'lang = "en"\n'
NUL = "- 2026-02-14：坏\x00\n"


@pytest.fixture
def old(git: Run, folder: Path) -> Path:
    """Return a file with findings, which was committed before anybody linted it."""
    (folder / "mdmem.toml").write_text(OLD_TOML, "utf-8")
    memory = folder / "MEMORY.md"
    memory.write_text(FULL, "utf-8")
    git("add", ".")
    git("commit", "-qm", "old")
    return memory


def staged(mdmem: Run, git: Run, *more: str) -> tuple[int, list[tuple[str, int]], list[tuple[str, int]]]:
    """Return the exit code, the findings that count, and the known ones."""
    git("add", "-A")
    done = mdmem("lint", "--staged", "--fail-on", "note", "--json", *more)
    found = json.loads(done.stdout)
    assert {one["severity"] for one in found.get("known", ())} <= {"note"}
    new, known = ([(one["code"], one["line"]) for one in found.get(name, ())] for name in ("findings", "known"))
    return done.returncode, new, known


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("周五有面试", "周四有面试"),  # a line is edited
        ("## 笔记\n", "## 笔记\n\n- 2026-02-14：水位 3.2 米\n"),  # a line is added above an old finding
        ("# 🧠 记忆\n", "# 🧠 记忆\n\n\n\n"),  # everything moves
        ("- 2026-02-13：主人说周五有面试\n", ""),  # a line goes
        ("## 笔记\n\n", "## 笔记\n\n- 2026-02-15：买了 tea\n- 2026-02-16: the cat is called Sesame\n"),
    ],
)
def test_what_the_commit_does_not_touch_is_a_note(mdmem: Run, git: Run, old: Path, was: str, now: str) -> None:
    old.write_text(FULL.replace(was, now), "utf-8")
    code, new, known = staged(mdmem, git)
    assert (code, new) == (0, [])
    assert {"MM502", "MM104"} <= {rule for rule, _ in known}
    code, new, known = staged(mdmem, git, "--all")
    assert (code, known) == (1, [])
    assert {"MM502", "MM104"} <= {rule for rule, _ in new}


@pytest.mark.parametrize(
    ("was", "now", "rule"),
    [
        ("- 好\x00\n", f"- 好\x00\n{NUL}", "MM104"),  # one more of a kind that is there
        ("- 好\x00", "- 很好\x00", "MM104"),  # the line with the old finding is edited
        ("Kz8-river-77", "Kz9-brook-78", "MM502"),  # another password on the same line
        (
            "周五有面试\n",
            "周五有面试\n- the API key is sk-ant-REDACTED\n".replace("REDACTED", "api03-" + "Ab3" * 25),
            "MM5",
        ),
        ("## 笔记\n\n", "## 笔记\n\n- 2026-02-13：主人说周五有面试\n", "MM305"),  # an old line is said again
    ],
)
def test_what_the_commit_brings_counts(mdmem: Run, git: Run, old: Path, was: str, now: str, rule: str) -> None:
    old.write_text(FULL.replace(was, now), "utf-8")
    code, new, _ = staged(mdmem, git)
    assert code == 1
    assert [found for found, _ in new if found.startswith(rule)], new


def test_a_section_over_its_cap_may_shrink_and_not_grow(mdmem: Run, git: Run, folder: Path) -> None:
    (folder / "mdmem.toml").write_text(OLD_TOML, "utf-8")
    lines = [f"- 第 {number} 条规矩：每天记一次水位\n" for number in range(14)]
    sections = "".join(f"## {name}\n\n" for name in ("用户感知", "环境感知", "历史感知", "动态context池"))

    def write(count: int) -> None:
        own = "".join(lines[:count])
        (folder / "FASTMEMO.md").write_text(f"# 表层记忆\n\n## 自我感知\n\n{own}\n{sections}", "utf-8")

    write(12)
    git("add", ".")
    git("commit", "-qm", "old")
    for count, counts in ((11, False), (12, False), (13, True)):
        write(count)
        (folder / "USER.md").write_text(f"# 用户\n\n- 第 {count} 次\n", "utf-8")
        _, new, _ = staged(mdmem, git)
        assert ("MM401" in {rule for rule, _ in new}) is counts, count


def test_a_renamed_file_is_judged_against_its_older_name(mdmem: Run, git: Run, old: Path) -> None:
    git("mv", "MEMORY.md", "notes.md")
    code, new, _ = staged(mdmem, git)
    assert (code, [rule for rule, _ in new if rule in ("MM104", "MM502")]) == (0, [])


def test_a_first_commit_and_a_new_file_count_whole(mdmem: Run, git: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(FULL, "utf-8")
    assert "MM104" in {rule for rule, _ in staged(mdmem, git)[1]}
    git("commit", "-qm", "first")
    (folder / "USER.md").write_text(FULL, "utf-8")
    code, new, known = staged(mdmem, git)
    assert (code, known) == (1, [])
    assert "MM104" in {rule for rule, _ in new}


def test_more_findings_than_are_listed_are_still_known(mdmem: Run, git: Run, old: Path) -> None:
    many = FULL + "".join(f"- 第 {number} 个坏字\x00\n" for number in range(60))
    old.write_text(many, "utf-8")
    git("commit", "-qam", "many")
    old.write_text(many.replace("- 好\x00\n", "").replace("周五", "周四"), "utf-8")
    assert staged(mdmem, git)[:2] == (0, [])


def test_the_hook_lets_a_clean_line_through_and_stops_a_bad_one(mdmem: Run, git: Run, old: Path) -> None:
    mdmem("hook", "install")
    old.write_text(FULL.replace("周五", "周四"), "utf-8")
    assert git("commit", "-qam", "clean").returncode == 0
    old.write_text(FULL + NUL, "utf-8")
    refused = git("commit", "-qam", "bad")
    assert refused.returncode != 0
    assert "MM104" in refused.stdout + refused.stderr


def test_a_baseline_knows_what_is_there_and_nothing_that_comes(mdmem: Run, old: Path, folder: Path) -> None:
    assert mdmem("lint", "--write-baseline", "past.txt").returncode == 0
    told = mdmem("lint", "--write-baseline", "past.txt").stdout
    assert "1 secret is not in it" in told
    assert "Kz8" not in (folder / "past.txt").read_text("utf-8")
    ignored = ("--ignore", "MM502", "--fail-on", "note")
    assert mdmem("lint", "--baseline", "past.txt", *ignored).returncode == 0
    old.write_text(FULL.replace("# 🧠 记忆\n", "# 🧠 记忆\n\n\n"), "utf-8")
    moved = mdmem("lint", "--baseline", "past.txt", *ignored)
    assert moved.returncode == 0
    assert "known to the baseline" in moved.stdout
    old.write_text(FULL + NUL, "utf-8")
    done = mdmem("lint", "--baseline", "past.txt", *ignored)
    assert done.returncode == 1
    assert done.stdout.count("MM104") == 1
    assert mdmem("lint", "--baseline", "past.txt").stdout.count("MM502") == 1, "a secret is never known"


def test_a_baseline_goes_with_its_folder(mdmem: Run, old: Path, folder: Path, tmp_path: Path) -> None:
    mdmem("lint", "--write-baseline", "past.txt", "--ignore", "MM502")
    known = mdmem("lint", str(folder), "--baseline", str(folder / "past.txt"), "--ignore", "MM502", cwd=tmp_path)
    assert known.returncode == 0, known.stdout
    other = tmp_path / "elsewhere.txt"
    mdmem("lint", "--write-baseline", str(other), "--ignore", "MM502")
    assert mdmem("lint", "--baseline", str(other), "--ignore", "MM502").returncode == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--all",),
        ("--baseline", "past.txt", "--fix"),
        ("--write-baseline", "past.txt", "--staged"),
        ("--write-baseline", "past.txt", "--baseline", "past.txt"),
        ("--baseline", ""),
        ("-", "--baseline", "past.txt"),
    ],
)
def test_options_that_contradict_are_refused(mdmem: Run, old: Path, folder: Path, options: tuple[str, ...]) -> None:
    assert mdmem("lint", *options).returncode == 2
    assert not (folder / "past.txt").exists()


def test_a_missing_or_broken_baseline_is_told(mdmem: Run, old: Path, folder: Path) -> None:
    assert "no such file" in mdmem("lint", "--baseline", "none.txt", "--lang", "en").stderr
    (folder / "past.txt").write_text("# head\nMM104 one - MEMORY.md\n", "utf-8")
    told = mdmem("lint", "--baseline", "past.txt", "--lang", "en").stderr
    assert "past.txt:2" in told
    assert "Traceback" not in told


@pytest.mark.parametrize("path", ["a b.md", "中文 笔记.md", "back\\slash.md", "two\nlines.md", "-.md"])
def test_a_baseline_is_read_as_it_was_written(path: str) -> None:
    known = {FindingName("MM104", path, "ab12"): 2, FindingName("MM404", path, ""): 5100}
    assert read_baseline(write_baseline(known), "b") == known


def test_one_clean_file_needs_no_baseline(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(CLEAN, "utf-8")
    mdmem("lint", "--write-baseline", "past.txt")
    assert [line for line in (folder / "past.txt").read_text("utf-8").splitlines() if not line.startswith("#")] == []
