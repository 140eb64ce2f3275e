"""What waits is derived from the files: which section, which file, why, and in which order (F020, F033, G039)."""

from __future__ import annotations

import pytest
from conftest import TODAY

from mdmem.formats.template import Schemas
from mdmem.keeper.backlog.pending import pending
from mdmem.keeper.backlog.status import load_workspace_files, pending_work
from mdmem.text.document import parse

from .conftest import Make


def waits(schemas: Schemas, path: str, text: str, *waiting: tuple[str, str]) -> list[tuple[str, str]]:
    document = parse(text.encode())
    template = schemas.match(path, document)
    assert template
    return [(one.kind, one.section) for one in pending({path: document}, {path: template}, TODAY, waiting)]


def section(count: int) -> str:
    return "# 表层记忆\n\n## 用户感知\n\n" + "".join(f"- 第 {n} 条\n" for n in range(count))


@pytest.mark.parametrize(("count", "inbox", "kinds"), [
    (9, 0, []), (10, 0, ["compact"]), (12, 0, ["compact"]), (10, 2, ["compact"]), (8, 1, ["return"]),
    (9, 1, ["compact"]), (1, 8, ["return"]), (1, 9, ["compact", "return"]), (0, 3, ["return"]),
])  # fmt: skip
def test_a_section_waits_at_its_threshold(schemas: Schemas, count: int, inbox: int, kinds: list[str]) -> None:
    waiting = [("FASTMEMO.md", "用户")] * inbox + [("MEMORY.md", "用户感知")]
    assert waits(schemas, "FASTMEMO.md", section(count), *waiting) == [(kind, "用户感知") for kind in kinds]


@pytest.mark.parametrize(
    ("path", "text", "kinds"),
    [
        ("MEMORY.md", "# m\n" + "字" * 4900, []),
        ("MEMORY.md", "# m\n" + "字" * 5000, ["tidy"]),
        ("NOTEBOOK.md", "# n\n" + "字" * 5001, ["roll"]),
        ("PINS.md", "# p\n\n- a [created:: 2026-02-12]\n", ["expire"]),
        ("PINS.md", "# p\n\n- a [created:: 2026-02-13]\n", []),
        ("PINS.md", "# p\n\n" + "- a\n" * 21, ["tidy"]),
        ("MEMORY.md", "# m\n\n- a [expires:: 2026-02-19]\n", ["expire"]),
        ("inbox.md", "# i\n" + "字" * 9000, []),
        ("archive/2026-01.md", "# a\n\n- a [expires:: 2026-02-19]\n", []),
    ],
)
def test_a_file_waits_by_its_size_and_its_time(schemas: Schemas, path: str, text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in waits(schemas, path, text)] == kinds


def test_work_comes_in_its_order(make: Make) -> None:
    workspace = make(
        {
            "MEMORY.md": "# 🧠 记忆\n" + "字" * 4900,
            "PINS.md": "# 钉住的事\n\n- a [type:: path] [source:: chat:1] [created:: 2026-01-01]\n",
            "FASTMEMO.md": section(10),
            "inbox.md": "# 收件箱\n\n## 放不下的\n\n- 新 [to:: FASTMEMO.md#环境感知]\n",
        }
    )
    found = pending_work(workspace.config, load_workspace_files(workspace.config))
    assert [one.kind for one in found] == ["compact", "return", "expire", "tidy"]
