"""An archive that has reached the bound of a file goes on in a second one, which is read with the first."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make

from mdmem.entries.archive import archives, current_archive
from mdmem.workspace import Workspace

SETTINGS = "[lint]\nmax_bytes = 4000\n"
NESTS = [f"2026-02-1{number}: the heron nest number {number} is on the chimney of the mill" for number in range(8)]
MEMORY = "# Memory\n\n## Notes\n\n" + "".join(f"- {nest}\n" for nest in NESTS)


def full(month: str = "2026-02") -> str:
    line = "- 2026-02-01: 水位尺 {} 号读过了 gauge read [from:: MEMORY.md] [why:: removed] [archived:: 2026-02-01]\n"
    head = f"# Archive\n\n## {month}-01\n\n"
    return head + "".join(line.format(number) for number in range((3_900 - len(head)) // len(line.encode())))


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"MEMORY.md": MEMORY, "archive/2026-02.md": full()}, settings=SETTINGS)


def archived(work: Workspace) -> str:
    return "".join(Path(work.root, name).read_text("utf-8") for name in archives(work.config))


def test_what_is_removed_goes_on_in_a_second_file(work: Workspace) -> None:
    for number in range(8):
        work.remove("MEMORY.md", f"nest number {number} ")
    assert archives(work.config) == ["archive/2026-02.md", "archive/2026-02-2.md"]
    assert current_archive(work.config) == "archive/2026-02-2.md"
    assert all(archived(work).count(f"nest number {number} ") == 1 for number in range(8))
    assert all(Path(work.root, name).stat().st_size <= 4_000 for name in archives(work.config))


def test_one_change_may_fill_several_files(make: Make) -> None:
    lines = [f"2026-02-1{number % 9}: " + f"the mill wheel {number} turns " * 20 for number in range(12)]
    memory = "# Memory\n\n## Notes\n\n" + "".join(f"- {line.strip()}\n" for line in lines)
    work = make("en", {"MEMORY.md": memory[:3_900].rpartition("\n")[0] + "\n", "archive/2026-02.md": full()},
                settings=SETTINGS)  # fmt: skip
    count = Path(work.root, "MEMORY.md").read_text("utf-8").count("\n- ")
    work.delete("MEMORY.md")
    assert archived(work).count("the mill wheel") == 20 * count
    assert len(archives(work.config)) == 3
    assert all(Path(work.root, name).stat().st_size <= 4_000 for name in archives(work.config))


def test_an_undo_takes_it_back(work: Workspace) -> None:
    work.remove("MEMORY.md", "nest number 3 ")
    assert "nest number 3 " in archived(work)
    work.history.undo()
    assert "nest number 3 " not in archived(work)
    assert NESTS[3] in Path(work.root, "MEMORY.md").read_text("utf-8")


def test_the_second_file_is_searched_and_forgotten_as_the_first(work: Workspace) -> None:
    work.remove("MEMORY.md", "nest number 5 ")
    (hit, *_) = work.search("heron nest number 5", archive=True)
    assert hit.path == "archive/2026-02-2.md"
    work.forget("the heron nest number 5 is on the chimney of the mill")
    assert "nest number 5 " not in archived(work)


def test_the_parts_of_a_month_stand_in_their_order(make: Make) -> None:
    names = ["2026-01.md", "2026-01-2.md", "2026-01-10.md", "2026-02.md", "2026-02-2.md", "2025-12.md", "2026-01-1.md"]
    work = make("en", {f"archive/{name}": "# Archive\n" for name in names})
    assert archives(work.config) == [
        f"archive/{name}"
        for name in ("2025-12.md", "2026-01.md", "2026-01-2.md", "2026-01-10.md", "2026-02.md", "2026-02-2.md")
    ]


def test_an_archive_that_is_too_large_already_blocks_nothing(make: Make) -> None:
    work = make("en", {"MEMORY.md": MEMORY, "archive/2026-02.md": full() + "- x\n" * 100}, settings=SETTINGS)
    assert work.remove("MEMORY.md", "nest number 3 ").status == "done"
    assert "nest number 3 " in Path(work.root, "archive/2026-02-2.md").read_text("utf-8")
