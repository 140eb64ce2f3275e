"""What the keeper did, and did not do, is told: in the reply, in the log, by name."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from harness import holding, said

from mdmem.errors import TargetError
from mdmem.keeper.compaction import CompactionRunner
from mdmem.keeper.job_runner import BackendChoice
from mdmem.models import Backend
from mdmem.watch.board import keep

from .conftest import Make

KEPT = ("2026-01-05: the gauge is in NAP", "2026-01-07: ask Bram")
GONE = ("2026-01-06: spikes are 999999999", "2026-02-01: Noor moved to Ghent")
FASTMEMO = "# Surface memory\n\n## Environment\n\n" + "".join(f"- {one}\n" for one in (*KEPT, *GONE))
ANSWER = '[{"tool": "memory_edit", "section": "Environment", "content": "%s"}]'


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_reply_and_the_log_name_what_only_the_archive_holds(make: Make, lang: str) -> None:
    workspace = make({"FASTMEMO.md": FASTMEMO}, lang=lang)
    (done,) = workspace.compact("FASTMEMO.md", now=True, apply=ANSWER % "; ".join(KEPT))
    assert done.status == "done", done
    for told in (done.message, workspace.history.log()[0].reason):
        assert "2 now only in archive/2026-02.md" in told or "2 条现在只在 archive/2026-02.md" in told
        assert "spikes are 999999999" in told
        assert "Noor moved to Ghent" in told
        assert "Bram" not in told


def test_where_everything_stays_nothing_is_named(make: Make) -> None:
    workspace = make({"FASTMEMO.md": FASTMEMO}, lang="en")
    (done,) = workspace.compact("FASTMEMO.md", now=True, apply=ANSWER % "; ".join((*KEPT, *GONE)))
    assert done.status == "done", done
    assert "archive" not in done.message + workspace.history.log()[0].reason


def test_a_refused_plan_is_in_the_log_with_its_reason(make: Make) -> None:
    workspace = make({"FASTMEMO.md": FASTMEMO, "MEMORY.md": "# 🧠 Memory\n"}, lang="en")
    workspace.add("MEMORY.md", ["2026-02-20: bread"], section="notes")
    (refused,) = workspace.compact("FASTMEMO.md", now=True, apply=ANSWER % "the moon fell on 1 March 2031")
    assert refused.status == "refused"
    assert said(workspace, "FASTMEMO.md") == FASTMEMO
    line = workspace.history.log()[0]
    assert (line.actor, line.files) == ("keeper", ())
    assert line.reason == refused.message
    assert workspace.history.log("FASTMEMO.md")[0] == line
    assert line not in workspace.history.log("MEMORY.md")
    with pytest.raises(TargetError):
        workspace.history.undo(line.id)
    assert "bread" in workspace.history.undo().diff, "what is taken back is the last change"


class _Model:
    """A model that takes its time, in which somebody types."""

    def __init__(self, path: Path) -> None:
        self.path, self.calls = path, 0

    def __call__(self, _: str) -> str:
        self.calls += 1
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write("- 2026-02-20: typed just now\n")
        return ANSWER % "; ".join(KEPT)


def test_what_is_typed_while_the_keeper_works_is_left_alone(make: Make) -> None:
    workspace = make({"FASTMEMO.md": FASTMEMO}, lang="en")
    path = Path(workspace.root, "FASTMEMO.md")
    os.utime(path, (time.time() - 600, time.time() - 600))
    model: Backend = _Model(path)
    outcome = CompactionRunner(workspace.config, BackendChoice(now=True, backend=model, quiet=60)).condense_file(
        "FASTMEMO.md"
    )
    assert outcome.status == "waiting", outcome
    assert said(workspace, "FASTMEMO.md") == FASTMEMO + "- 2026-02-20: typed just now\n"
    assert workspace.history.log() == ()


def test_the_watchers_keeper_leaves_a_fresh_file_alone_and_takes_an_old_one(make: Make) -> None:
    full = "# 表层记忆\n\n## 自我感知\n\n" + "".join(f"- 第 {n} 件事\n" for n in range(10))
    workspace = make({"FASTMEMO.md": full})
    assert keep(workspace.config).notices == ()
    assert said(workspace, "FASTMEMO.md") == full
    path = Path(workspace.root, "FASTMEMO.md")
    os.utime(path, (time.time() - 600, time.time() - 600))
    assert [one.kind for one in keep(workspace.config).notices] == ["kept"]


def test_what_is_forgotten_leaves_the_log_too(make: Make, tmp_path: Path) -> None:
    workspace = make({"FASTMEMO.md": FASTMEMO}, lang="en")
    workspace.compact("FASTMEMO.md", now=True, apply=ANSWER % "; ".join(KEPT))
    assert "Noor" in workspace.history.log()[0].reason
    workspace.forget("Noor moved to Ghent")
    assert "Noor" not in " ".join(one.reason for one in workspace.history.log())
    assert holding(tmp_path, "Noor moved") == []
