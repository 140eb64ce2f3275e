"""What `status` and `lint` answer from the cache: the same as without one, and without judging a file again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mdmem.linter import worker
from mdmem.text import blocks
from mdmem.workspace import Workspace

SESSION = """---
id: 20260301_090000_harbour
started: 2026-03-01T09:00:00
agent: default
---
# Harbour plan

## Turns

### 1 user 09:00

Which berth is free? Namespaces such as std::vector are no fields.

### 1 assistant 09:01

Berth 7, until the tide turns.
"""


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "memory"
    (root / "sessions").mkdir(parents=True)
    (root / "mdmem.toml").write_text('lang = "en"\n')
    for day in range(10, 20):
        name = f"202603{day}_090000_harbour"
        (root / "sessions" / f"{name}.md").write_text(SESSION.replace("20260301_090000_harbour", name))
    lines = "".join(f"- 2026-03-{day}: moved crane {day}\n" for day in range(10, 22))
    (root / "FASTMEMO.md").write_text(f"# Surface\n\n## Context pool\n\n{lines}")
    (root / "MEMORY.md").write_text("# Memory\n\n## Notes\n\n- 2026-01-01: the pilot is ill [expires:: 2026-01-03]\n")
    (root / "readme.md").write_text("# Not a memory\n")
    Workspace(root).add(
        "inbox.md", ["a crane of its own"], section="overflow", fields={"to": "FASTMEMO.md#context pool"}
    )
    return root


def test_status_from_the_cache_is_that_without_one(memory: Path) -> None:
    plain = Workspace(memory, cache=False).status()
    Workspace(memory).lint()
    assert Workspace(memory).status() == plain == Workspace(memory).status()
    waits = {one.path: one.pending for one in plain}
    assert waits["FASTMEMO.md"]
    assert waits["MEMORY.md"]
    assert "readme.md" not in waits
    assert [one.path for one in plain] == sorted(waits)


def test_after_a_lint_status_judges_nothing_and_parses_no_session(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace(memory).lint()
    monkeypatch.setattr(worker, "lint_all", _never)
    parsed: Counter[str] = Counter()
    read = blocks.read
    monkeypatch.setattr(blocks, "read", lambda text, *rest: parsed.update([text]) or read(text, *rest))
    assert len(Workspace(memory).status()) == 13
    assert not [text for text in parsed if "Berth 7" in text]


def test_a_kept_workspace_lints_from_what_another_has_remembered(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Workspace(memory)
    kept.add("MEMORY.md", ["2026-03-02: the tug is booked"], section="notes")  # it has read the cache now
    found = Workspace(memory).lint()
    monkeypatch.setattr(worker, "lint_all", _never)
    assert kept.lint() == found


def test_what_one_workspace_remembers_does_not_drop_what_another_did(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = Workspace(memory), Workspace(memory)
    one.config.cache.refresh()
    other.config.cache.refresh()
    one.lint(["MEMORY.md"])
    other.lint(["FASTMEMO.md"])
    monkeypatch.setattr(worker, "lint_all", _never)
    assert Workspace(memory).lint(["MEMORY.md", "FASTMEMO.md"]).files == 2


def test_a_file_whose_structure_nobody_reads_is_measured_by_its_characters(memory: Path) -> None:
    text = "# Memory\n\n" + "- x\n" * 10_001
    (memory / "MEMORY.md").write_text(text)
    (row,) = [one for one in Workspace(memory).status() if one.path == "MEMORY.md"]
    assert (row.kind, row.chars, row.pending) == ("memory", len(text), ())


def _never(*_: object) -> None:
    raise AssertionError("a file was judged again")
