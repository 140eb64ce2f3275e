"""Whoever replaces an entry of several lines by a shorter text is told which lines went with it."""

from __future__ import annotations

import pytest
from conftest import Make

COMPOSITE = "# Memory\n\n## Notes\n\n- 2026-02-01: {}\n- 2026-02-02: other\n"
ENTRIES = (
    ("tools of the house\n  pump: in the cellar\n  ladder: in the shed\n  saw: lent to Bo", "ladder: in the shed"),
    ("家里的工具\n  水泵：在地下室\n  梯子：在棚里\n  锯子：借给小波了", "梯子：在棚里"),
    ("keys\n  gate: Ann\n  mill: Bo", "gate: Ann"),
)


@pytest.mark.parametrize("door", ["replace", "memory_replace"])
@pytest.mark.parametrize(("entry", "part"), ENTRIES)
def test_the_reply_names_the_lines_that_went(make: Make, entry: str, part: str, door: str) -> None:
    work = make("en", {"MEMORY.md": COMPOSITE.format(entry)})
    new = f"{part} today"
    if door == "replace":
        told = work.replace("MEMORY.md", part, new).hint
    else:
        told = str(work.call(door, {"path": "MEMORY.md", "entry": part, "content": new}))
    gone = [line.strip() for line in entry.split("\n") if line.strip() != part]
    assert all(line in told for line in gone)


def test_a_text_that_keeps_all_lines_says_nothing_more(make: Make) -> None:
    work = make("en", {"MEMORY.md": COMPOSITE.format("keys\n  gate: Ann\n  mill: Bo")})
    done = work.replace("MEMORY.md", "gate: Ann", "2026-02-01: keys, gate: Ann, mill: Bo")
    assert "went with" not in done.hint or "keys" in done.hint


def test_an_entry_of_one_line_is_replaced_without_a_word(make: Make) -> None:
    work = make("en", {"MEMORY.md": COMPOSITE.format("keys")})
    assert "went with" not in work.replace("MEMORY.md", "keys", "2026-02-01: the keys hang at the gate").hint
