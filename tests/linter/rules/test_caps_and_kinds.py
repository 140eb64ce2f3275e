"""Caps and kinds beyond the pages: pointers, phases, times, last days; and that real files do not drown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import SHARED, Lint

OURS = re.compile("MM(2|40|6)")


def codes(lint: Lint, text: str | bytes, path: str) -> list[str]:
    return [d.code for d in lint(text, path) if OURS.match(d.code)]


# kinds


def task(pointer: str, *steps: str) -> str:
    return f"# T\n\n## 当前状态\n\n- 指令指针: {pointer}\n\n## TODO列表\n\n" + "".join(f"- {step}\n" for step in steps)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (task("1", "[ ] a ← 当前", "[ ] b"), []),
        (task("2", "[x] a", "[ ] b  ←当前"), []),
        (task("2", "[x] a\n  - [x] c", "[ ] b\n  - [ ] d ← 当前"), []),
        (task("3", "[x] a", "[x] b"), []),
        (task("0", "[ ] a", "[ ] b"), []),
        (task("第二步", "[ ] a", "[ ] b"), []),
        (task("", "a", "b"), []),
        (task("9", "a", "b"), []),
        (task("3", "[x] a", "[ ] b"), ["MM601"]),
        (task("0", "[x] a", "[ ] b"), ["MM601"]),
        (task("1", "[x] a", "[ ] b ← 当前"), ["MM601"]),
        (task("1", "[ ] a ← 当前", "[ ] b ← 当前"), ["MM601"]),
        (task("99999999999999999999", "[ ] a"), []),
        ("# T\n\n- [ ] a ← current\n- [ ] b ← current\n", ["MM601"]),
        ("# T\n\n```\n指令指针: 7\n```\n\n- [ ] a\n", []),
        ("# T\n\n```\n指令指针: 1\n```\n\n```\nx\n```\n\n指令指针：7\n\n- [ ] a\n", ["MM601"]),
    ],
)
def test_task_pointers(text: str, found: list[str], lint: Lint) -> None:
    assert codes(lint, text, "notes/task_process.md") == found


@pytest.mark.parametrize("phase", ["executing", "执行中", "**Done**", "验证（第二轮）", ""])
def test_phases_that_are_understood(phase: str, lint: Lint) -> None:
    assert codes(lint, task("1", "[ ] a").replace("指针: 1", f"指针: 1\n- 阶段: {phase}"), "task_process.md") == []


@pytest.mark.parametrize("path", [*(SHARED / "samples").rglob("*.md")] if SHARED.exists() else [], ids=lambda p: p.name)
def test_real_files_do_not_drown(path: Path, lint: Lint) -> None:
    # a long memory is long, whoever wrote it; nothing else of these families is wrong with a real file
    found = codes(lint, path.read_bytes(), path.relative_to(SHARED).as_posix())
    assert set(found) <= {"MM403", "MM404", "MM405"}


@pytest.mark.parametrize("ended", ["2026-02-05", "2026-02-05T10:31:00Z", "soon", "", "2026-02-05 10:30"])
def test_session_times_that_cannot_be_wrong(ended: str, lint: Lint) -> None:
    text = f"---\nstarted: 2026-02-05 10:30\nended: {ended}\n---\n# Session\n"
    assert codes(lint, text, "sessions/20260205_103000_a.md") == []


# caps


def test_fields_say_when_an_entry_ends(lint: Lint) -> None:
    def expired(entry: str, path: str = "MEMORY.md") -> bool:
        return "MM406" in codes(lint, f"# t\n\n- {entry}\n", path)

    assert expired("2026-02-12：a [ttl:: 7d]")
    assert not expired("2026-02-13：a [ttl:: 7d]")
    assert expired("a [created:: 2026-02-01] [ttl:: P1W]")
    assert expired("2026-02-19：a [created:: 2026-02-01] [ttl:: 24h]")
    assert not expired("a [ttl:: 7d]")
    assert not expired("2026-01-01：a [ttl:: 30s]")
    assert not expired("2026-01-01：a [ttl:: soon]")
    assert not expired("2026-01-01：a `[ttl:: 7d]`")
    assert expired("a [until:: 2026-02-19]")
    assert not expired("a [until:: 2026-02-20]")
    assert not expired("a [expires:: 2026-02-30]")
    assert expired("2026-02-01：a", "PINS.md")
    assert not expired("2026-02-01：a [ttl:: 30d]", "PINS.md")
