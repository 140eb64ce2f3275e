"""The samples of the original systems, where they are at hand, import with the numbers that were counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SHARED

from mdmem import Workspace

SAMPLES = SHARED / "samples" / "openakita"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")


def test_the_first_version_is_two_facts_and_a_line_of_a_day(workspace: Workspace) -> None:
    report = workspace.import_from(SAMPLES / "memories_v1.json")
    assert (report.read, report.kinds) == (3, {"fact": 2, "line": 1})
    assert {one.date for one in workspace.facts()} == {"2026-01-31"}


def test_json_and_database_together_add_each_memory_once(workspace: Workspace) -> None:
    report = workspace.import_from(SAMPLES / "v2_f73971eaf")
    assert (report.kinds["fact"], report.duplicate, report.refused) == (9, 6, 0)
    assert (report.kinds["session"], report.kinds["attachment"]) == (1, 1)
    assert workspace.import_from(SAMPLES / "v2_f73971eaf").written == 0


def test_a_section_that_a_person_wrote_is_kept(workspace: Workspace) -> None:
    workspace.import_from(SAMPLES / "head" / "identity" / "MEMORY.md.bak")
    text = (Path(workspace.root) / "MEMORY.md").read_text("utf-8")
    assert "## 我手写的一节" in text
    assert "不要丢" in text


# read, written, known, skipped, refused: counted by hand, so that a record that is lost or comes twice is seen
COUNTS = {"openakita": (55, 21, 9, 25, 0), "aitermux": (46, 29, 8, 9, 0), "react_agent": (44, 38, 1, 3, 2)}


@pytest.mark.thorough
@pytest.mark.parametrize("system", COUNTS)
def test_a_plan_says_what_the_import_does(workspace: Workspace, system: str) -> None:
    work = workspace
    work.init()
    planned, done = (work.import_from(SAMPLES.parent / system, dry_run=dry_run) for dry_run in (True, False))
    for one in (planned, done):
        assert one.read == one.written + one.duplicate + one.skipped + one.refused
    assert (planned.written, planned.duplicate, planned.skipped, planned.refused, planned.kinds) == (
        done.written, done.duplicate, done.skipped, done.refused, done.kinds,
    )  # fmt: skip
    assert (done.read, done.written, done.duplicate, done.skipped, done.refused) == COUNTS[system], done.items
    again = work.import_from(SAMPLES.parent / system)
    assert (again.read, again.written) == (done.read, 0)


def test_a_database_alone_gives_what_was_counted(workspace: Workspace) -> None:
    done = workspace.import_from(SAMPLES / "v2_f73971eaf" / "data" / "memory" / "openakita.db")
    assert done.kinds == {"fact": 9, "session": 1, "episode": 1, "attachment": 1, "line": 4}, "of the scratchpad"
    (session,) = workspace.sessions.list()
    assert [one.role for one in workspace.sessions.show(session.path).turns] == ["user", "assistant", "tool"]


def test_two_lines_that_say_the_same_are_both_in_until_the_night(workspace: Workspace) -> None:
    def windows() -> list[str]:
        return [one.text for one in workspace.facts() if "Windows" in one.text]

    workspace.import_from(SAMPLES / "v2_f73971eaf")
    assert len(windows()) == 2
    workspace.night(now=True, only="dedup")
    assert len(windows()) == 1
    assert workspace.import_from(SAMPLES / "v2_f73971eaf").written == 0
    assert len(windows()) == 1


def test_the_files_of_a_pet_are_the_same_bytes(workspace: Workspace, source: Path) -> None:
    names = {
        "MEMORY.filled.md": "MEMORY.md",
        "USER.migrated_from_user_memory.md": "USER.md",
        "SOUL.default.md": "SOUL.md",
    }
    (source / "pet7").mkdir()
    for name, real in names.items():
        (source / "pet7" / real).write_bytes((SAMPLES.parent / "petgpt" / name).read_bytes())
    report = workspace.import_from(source)
    assert (report.written, report.refused) == (3, 0), report.items
    for name, real in names.items():
        assert (Path(workspace.root) / real).read_bytes() == (SAMPLES.parent / "petgpt" / name).read_bytes()
