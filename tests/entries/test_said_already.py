"""A memory that a line says already is answered with that line, on every door; `again` writes it all the same."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import in_process
import pytest
from conftest import Make

from mdmem.workspace import Workspace

HEAD = "# Memory\n\n## Important events\n\n## Notes\n\n"
OLD = "2026-02-01: "
NEW = "2026-02-11: "

SAME = [  # the line, and what says the same
    ("the owner prefers dark mode everywhere, since the screen hurts at night",
     "the owner prefers dark mode everywhere, since the screen hurts at night"),
    ("the owner prefers dark mode everywhere, since the screen hurts at night",
     "The owner prefers dark mode everywhere."),
    ("the owner prefers dark mode everywhere, since the screen hurts at night",
     "the owner prefers dark mode everywhere (since the screen hurts at night)!"),
    ("backups run every Monday at 03:00 on the old server in the cellar of the house",
     "backups run every Monday at 03:00 on the old server in the cellar of house"),
    ("the deploy key is in the safe; Ann has the second one", "the deploy key is in the safe; Ann has the second one"),
    ("Tests run with pytest -q, never with -n", "tests run with pytest -q, never with -n."),
    ("主人喜欢深色模式，晚上屏幕刺眼", "主人喜欢深色模式"),
    ("主人喜欢深色模式，晚上屏幕刺眼", "主人喜欢深色模式，晚上屏幕刺眼。"),
    ("部署用 GitHub Actions，由小安发布", "部署用 GitHub Actions"),
    ("水位站在桥的南边，钥匙在老王那里", "水位站在桥的南边；钥匙在老王那里"),
    ("喜欢猫", "喜欢猫！"),
]  # fmt: skip
OTHER = [  # the line, and what says something else
    ("the server listens on port 8080 behind the proxy", "the server listens on port 8081 behind the proxy"),
    ("backups run on Monday at night on the old server", "backups run on Tuesday at night on the old server"),
    ("Ann has the key of the archive room downstairs", "Bob has the key of the archive room downstairs"),
    ("never push to main, ask first", "push to main, ask first"),
    ("the owner prefers dark mode in the editor", "the owner prefers dark mode"),
    ("we cancel the trip to the lake, if it rains", "we cancel the trip to the lake"),
    ("the port is open to everybody, except for guests", "the port is open to everybody"),
    ("check the lid before you open the large box", "check the large box before you open the lid"),
    ("she likes tea with milk", "she likes tea with milk and honey"),
    ("备份每周一凌晨在旧服务器上跑", "备份每周二凌晨在旧服务器上跑"),
    ("小安有档案室的钥匙，在楼下", "小宁有档案室的钥匙，在楼下"),
    ("不要直接推到主分支，先问我", "直接推到主分支，先问我"),
    ("周末一起去湖边露营，除非下雨", "周末一起去湖边露营"),
    ("主人喜欢深色模式的编辑器", "主人喜欢深色模式"),
    ("the sensor at the north gate of the old harbour does not report its level at night in winter",
     "the sensor at the north gate of the old harbour does report its level at night in winter"),
    ("keep 2 spare lamps in the dry cellar of the long house beside the river near the town",
     "keep spare lamps in the dry cellar of the long house beside the river near the town"),
    ("老港口北门的那个水位传感器在冬天的夜里不上报它的读数给值班的人",
     "老港口北门的那个水位传感器在冬天的夜里上报它的读数给值班的人"),
    ("the build is broken today, wait for Kim", "the build is broken today, wait for Kim"),  # said of another day
]  # fmt: skip


def with_line(make: Make, line: str) -> Workspace:
    return make("en", {"MEMORY.md": f"{HEAD}- {OLD}{line}\n"})


@pytest.mark.parametrize(("line", "text"), SAME)
@pytest.mark.parametrize("actor", ["user", "kim"])
def test_what_a_line_says_is_answered_with_the_line(make: Make, line: str, text: str, actor: str) -> None:
    work = with_line(make, line)
    before = work.read("MEMORY.md").text
    done = work.add("MEMORY.md", NEW + text, actor=actor)
    assert done.status == "unchanged"
    assert "line 7" in done.message
    assert line[:30] in done.message
    assert ("--again" if actor == "user" else "again: true") in done.hint
    assert work.read("MEMORY.md").text == before
    assert work.add("MEMORY.md", NEW + text, actor=actor, again=True).status == "done"
    assert f"- {NEW}{text}\n" in work.read("MEMORY.md").text


@pytest.mark.parametrize(("line", "text"), OTHER)
def test_what_says_something_else_is_written(make: Make, line: str, text: str) -> None:
    work = with_line(make, line)
    assert work.add("MEMORY.md", NEW + text).status == "done"
    assert f"- {NEW}{text}\n" in work.read("MEMORY.md").text


@pytest.mark.parametrize(
    ("path", "section", "text"),
    [
        ("MEMORY.md", "Important events", "had dinner at the harbour with Kim"),
        ("MEMORY.md", "待办", "[ ] pay the rent of the workshop"),
        ("NOTEBOOK.md", None, "all tests of the importer pass"),
        ("FASTMEMO.md", "Context pool", "the importer was tried on all samples"),
        ("SCRATCHPAD.md", None, "importer: all samples read"),
    ],
)
def test_an_event_of_another_day_is_another_event(make: Make, path: str, section: str | None, text: str) -> None:
    work = make("en")
    box, _, said = text.rpartition("] ")
    for day in (OLD, NEW):
        done = work.add(path, f"{box}{'] ' if box else ''}{day}{said}", section=section)
        assert done.status == "done", done.message
    assert work.read(path).text.count(said) == 2
    assert work.add(path, f"{box}{'] ' if box else ''}{NEW}{said}", section=section).status == "unchanged"


def test_a_section_that_is_kept_as_a_log_stays_one(make: Make) -> None:
    runs = "# Memory\n\n## Runs\n\n- 2026-02-01: ran 5 km\n- 2026-02-03: ran 5 km\n\n## Notes\n"
    work = make("en", {"MEMORY.md": runs})
    assert work.add("MEMORY.md", "2026-02-05: ran 5 km", section="Runs").status == "done"


def test_another_section_of_the_file_counts_too(make: Make) -> None:
    work = with_line(make, "the owner prefers dark mode everywhere")
    done = work.add("MEMORY.md", "the owner prefers dark mode everywhere", section="Preferences and habits")
    assert (done.status, "line 7" in done.message) == ("unchanged", True)


def test_a_longer_memory_is_written_and_names_the_line_it_contains(make: Make) -> None:
    work = with_line(make, "the owner prefers dark mode everywhere")
    done = work.add("MEMORY.md", f"{NEW}the owner prefers dark mode everywhere, since the screen hurts at night")
    assert done.status == "done"
    assert "line 7" in done.hint
    assert "a part of it" in done.hint


def test_of_several_only_the_new_ones_are_written(make: Make) -> None:
    work = with_line(make, "the owner prefers dark mode everywhere")
    done = work.add("MEMORY.md", ["the owner prefers dark mode everywhere", "the cat is called Sesame"])
    assert done.status == "done"
    assert "line 7" in done.hint
    assert work.read("MEMORY.md").text.count("dark mode") == 1
    assert "Sesame" in work.read("MEMORY.md").text


def test_what_waits_for_the_user_is_not_proposed_twice(make: Make) -> None:
    work = make("en", {"SOUL.md": "# Soul\n\n## Character\n\n- quiet, brief and friendly to all\n"})
    section = "Character"
    done = work.add("SOUL.md", "Quiet, brief and friendly to all.", section=section, actor="kim")
    assert done.status in ("unchanged", "waiting")
    if work.config.schemas.get("soul").entries.unique:  # type: ignore[union-attr]
        assert done.status == "unchanged"


TEXT = "the owner prefers dark mode everywhere"
DOORS = {
    "add": ("add", "MEMORY.md", NEW + TEXT),
    "remember": ("remember", TEXT, "--as", "preference"),
    "memory_add": ("tool", "call", "memory_add"),
    "memory_remember": ("tool", "call", "memory_remember"),
}
GIVEN = {
    "memory_add": {"path": "MEMORY.md", "section": "notes", "content": NEW + TEXT},
    "memory_remember": {"content": TEXT, "kind": "preference"},
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_answers_and_takes_again(tmp_path: Path, door: str) -> None:
    folder = tmp_path / "diary"
    folder.mkdir()
    (folder / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    (folder / "MEMORY.md").write_text(f"{HEAD}- {OLD}{TEXT}\n\n## Preferences and habits\n", "utf-8")

    def call(*more: str, **given: bool) -> int:
        words = (*DOORS[door], *more) if door not in GIVEN else DOORS[door]
        asked = json.dumps(GIVEN[door] | given) if door in GIVEN else ""
        done = in_process.run_text(*words, cwd=folder, env={"LANG": "C.UTF-8", "PATH": os.defpath}, given=asked)
        assert "Traceback" not in done.stderr
        assert ("line 7" in done.stdout + done.stderr) is not bool(given or more)
        return sum(path.read_text("utf-8").count(TEXT) for path in folder.glob("*.md"))

    assert call() == 1
    again = {"again": True} if door in GIVEN else {}
    assert call(*(() if again else ("--again",)), **again) == 2


def test_today_takes_again(tmp_path: Path) -> None:
    folder = tmp_path / "diary"
    folder.mkdir()
    (folder / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    for more in ((), (), ("--again",)):
        words = ("today", "water level 3.2 m at the bridge", *more)
        in_process.run_text(*words, cwd=folder, env={"LANG": "C.UTF-8", "PATH": os.defpath})
    (file,) = folder.glob("memory/*.md")
    assert file.read_text("utf-8").count("water level") == 2


@pytest.mark.thorough
@pytest.mark.slow
def test_a_long_file_is_looked_through_in_linear_time(make: Make) -> None:
    """The number of comparisons grows with the lines: each is compared once."""
    lines = "".join(f"- {OLD}station {number} stands at the bridge of mile {number}\n" for number in range(3000))
    work = make("en", {"MEMORY.md": HEAD + lines})
    calls = 0

    def count(frame, event: str, _: object) -> None:  # type: ignore[no-untyped-def]
        nonlocal calls
        calls += event == "call" and frame.f_code.co_name == "covers"

    sys.setprofile(count)
    try:
        work.add("MEMORY.md", "the station at the bridge has a new roof")
    finally:
        sys.setprofile(None)
    assert calls <= 2 * 3000
