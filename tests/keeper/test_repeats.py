"""The same statement on another day is merged, with the days kept (P020)."""

from __future__ import annotations

import pytest
from conftest import Lint

from .conftest import Make, entries, said

BEFORE = """# 🧠 Memory

## Important events

- 2026-01-05: the heating was bled
- 2026-02-01: Ida sang in the choir [source:: chat:9]

## Notes

- 2026-01-09: the heating was bled
- 2026-02-16: The heating was bled. #house
- 2026-02-02: the heating was bled
- 2026-02-03: the heating was bled twice
- [ ] 2026-02-04: water the ferns
- [ ] 2026-02-11: water the ferns
- 2026-02-05: the heating was bled ^h1
"""


def test_the_last_day_stays_with_the_earlier_ones(make: Make, lint: Lint) -> None:
    memory = make({"MEMORY.md": BEFORE}, lang="en")
    assert any("later day" in why for file in memory.status() for why in file.pending)
    (done,) = memory.compact("MEMORY.md")
    assert (done.status, done.message) == ("done", "merged 2 repeated entries of MEMORY.md; the dates are kept")
    assert entries(memory, "MEMORY.md", "Notes") == [
        "2026-02-16: The heating was bled. #house [also:: 2026-01-09, 2026-02-02]",
        "2026-02-03: the heating was bled twice",
        "[ ] 2026-02-04: water the ferns",
        "[ ] 2026-02-11: water the ferns",
        "2026-02-05: the heating was bled ^h1",
    ]
    assert entries(memory, "MEMORY.md", "Important events")[0] == "2026-01-05: the heating was bled", "another section"
    kept = said(memory, "archive/2026-02.md")
    assert "2026-01-09: the heating was bled [from:: MEMORY.md#Notes] [why:: merged]" in kept
    assert kept.count("heating") == 2
    assert memory.compact("MEMORY.md")[0].status == "unchanged"
    assert [one.code for one in memory.lint(["MEMORY.md"]).diagnostics if one.severity == "error"] == []


def test_days_gather_from_run_to_run(make: Make) -> None:
    memory = make({"MEMORY.md": "# 🧠 记忆\n\n## 笔记\n\n- 2026-01-02：锅炉加了水\n- 2026-01-20：锅炉加了水。\n"})
    memory.compact()
    memory.add("MEMORY.md", ["2026-02-18：锅炉加了水"], section="笔记", again=True)
    memory.compact()
    assert entries(memory, "MEMORY.md", "笔记") == ["2026-02-18：锅炉加了水 [also:: 2026-01-02, 2026-01-20]"]
    assert "MEMORY.md" in [hit.path for hit in memory.search("2026-01-20 锅炉", limit=2)], (
        "beside the archived original"
    )


@pytest.mark.parametrize("path", ["memory/2026-02-18.md", "NOTEBOOK.md", "archive/2026-01.md", "sessions/x.md"])
def test_what_tells_a_course_of_events_is_left(make: Make, path: str) -> None:
    text = "# X\n\n## Recent\n\n- 2026-01-02: all tests green\n- 2026-01-20: all tests green\n"
    memory = make({path: text}, lang="en")
    memory.compact()
    assert said(memory, path) == text
