"""Kill the process anywhere in an update: scratchpad and archive are both old or both new."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from conftest import Make
from forms import many
from harness import die_at

from mdmem import Workspace

pytestmark = pytest.mark.slow


def prepare(make: Make) -> Workspace:
    """Return a workspace in which an update changes a section, moves a line by hand and archives progress."""
    work = make("en", settings='[scratchpad]\nprogress = 1\n\n[memory]\nreview = "off"\n')
    for name in ("SCRATCHPAD.md", "archive/2026-02.md"):
        Path(work.root, name).unlink(missing_ok=True)
    for path in Path(work.root).glob("sessions/*.md"):
        path.unlink()
    for number, response in enumerate(("The bass is strung.", "The treble is strung.")):
        Path(work.root, "sessions").mkdir(exist_ok=True)
        Path(work.root, f"sessions/2026021{number}_090000_harp.md").write_text(
            f"---\nagent: main\ntask: string the harp {number}\nstarted: 2026-02-1{number} 09:00\n"
            f"ended: 2026-02-1{number} 10:00\noutcome: success\n---\n# Session\n\n## Request\n\n"
            f"## Response\n\n{response}\n\n## Metadata\n\n## Turns\n", "utf-8",
        )  # fmt: skip
        if not number:
            work.scratchpad.update()
    pad = Path(work.root, "SCRATCHPAD.md")
    pad.write_text(pad.read_text("utf-8").replace("<!-- /mdmem", "- mine\n<!-- /mdmem", 1), "utf-8")
    return work


def state(work: Workspace) -> tuple[str, int]:
    archive = Path(work.root, "archive/2026-02.md")
    text = archive.read_text("utf-8") if archive.exists() else ""
    pad = Path(work.root, "SCRATCHPAD.md").read_text("utf-8")
    return re.sub(r"\s+", " ", pad), text.count("bass is strung")


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")
def test_all_old_or_all_new_and_run_again_without_doubles(make: Make) -> None:
    number, ended, seen, whole = 0, False, set[int](), ("", -1)
    while not ended:
        number += many(31, 9)
        work = prepare(make)
        before = state(work)
        ended = die_at(number, work, lambda one: one.scratchpad.update())
        fresh = Workspace(work.root)
        fresh.config.day = work.config.day
        fresh.history.recover()
        now = state(fresh)
        assert now == before or now[1] == 1
        seen.add(now[1])
        fresh.scratchpad.update()
        whole = state(fresh) if whole[1] < 0 else whole
        assert state(fresh) == whole
        assert whole[0].count("- mine") == 1
        assert whole[1] == 1
    assert seen == {0, 1}
