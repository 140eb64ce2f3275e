"""Kill the process anywhere in a compaction: the file and its archive are all old or all new (C8-4)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from forms import many
from harness import die_at

from mdmem.workspace import Workspace

from .conftest import Make, entries, said

pytestmark = pytest.mark.slow


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")
def test_all_old_or_all_new(make: Make, tmp_path: Path) -> None:
    rows = [f"第 {n} 件事，用了 {n} 小时，写进 logs/{n}.md" for n in range(10)]
    text = "# 表层记忆\n\n## 历史感知\n\n" + "".join(f"- {row}\n" for row in rows)
    number, ended, outcomes = 0, False, set()
    while not ended:
        number += many(17, 3)
        workspace = make({"FASTMEMO.md": text})
        Path(workspace.root, "archive/2026-02.md").unlink(missing_ok=True)
        ended = die_at(number, workspace)
        fresh = Workspace(workspace.root)
        fresh.history.recover()
        left, kept = entries(fresh, "FASTMEMO.md", "历史感知"), said(fresh, "archive/2026-02.md")
        if left == rows:
            assert "logs/" not in kept
        else:
            assert len(left) == 1
            assert all(row in kept for row in rows)
        outcomes.add(len(left))
    assert outcomes == {1, 10}
    assert number > 50
