"""Old sessions go to the archive once they have ended and were extracted; nothing is lost (K025, K076)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import UsageError


def session(ended: str, extracted: int, text: str = "the walrus sings") -> str:
    return (
        f"---\nagent: main\ntask: t\nstarted: 2026-01-01 10:00\nended: {ended}\noutcome: success\n"
        f"extracted_through: {extracted}\ncondensed_through: 0\n---\n# Session: x\n\n## Request\n\n## Response\n\n"
        f"## Metadata\n\n## Turns\n\n### 1 user 10:00\n\n{text}\n\n### 2 user 10:01\n\nyes\n"
    )


FILES = {
    "sessions/20260101_100000_old.md": session("2026-01-01 11:00", 2),
    "sessions/20260102_100000_unextracted.md": session("2026-01-02 11:00", 1),
    "sessions/20260103_100000_open.md": session("", 2),
    "sessions/20260121_100000_edge.md": session("2026-01-21 11:00", 2),
    "sessions/20260122_100000_young.md": session("2026-01-22 11:00", 2),
}


def test_only_old_ended_and_extracted_sessions_move(make: Make) -> None:
    """Thirty days after the end, on the day itself; each is one change, and undo brings it back."""
    work = make("en", FILES)
    planned = work.sessions.prune(older="30d", dry_run=True)
    assert (planned.status, planned.moved) == ("planned", ("20260101_100000_old", "20260121_100000_edge"))
    assert planned.waiting == ("20260102_100000_unextracted",)
    assert work.history.log() == ()
    done = work.sessions.prune(older="30d")
    assert (done.status, done.moved, done.waiting) == ("done", planned.moved, planned.waiting)
    assert "1 old session stays" in done.hint
    assert len(work.history.log()) == 2
    names = sorted(path.relative_to(work.root).as_posix() for path in Path(work.root).rglob("2026*.md"))
    assert names == [
        "archive/sessions/20260101_100000_old.md", "archive/sessions/20260121_100000_edge.md",
        "sessions/20260102_100000_unextracted.md", "sessions/20260103_100000_open.md",
        "sessions/20260122_100000_young.md",
    ]  # fmt: skip
    for name in ("old", "edge"):
        moved = next(Path(work.root).glob(f"archive/sessions/*_{name}.md"))
        assert moved.read_text() == FILES[f"sessions/{moved.name}"]
    assert work.sessions.prune(older="30d").status == "unchanged"
    work.history.undo()
    assert len(list(Path(work.root).glob("sessions/*.md"))) == 4


def test_what_moved_is_still_found(make: Make) -> None:
    """By its id, as a source of a pin, in the archive; not among the sessions that are listed."""
    work = make("en", FILES)
    name = "20260101_100000_old"
    days = len(work.sessions.list(limit=50))
    pin = work.pins.add("conclusion", "Walrus", "The walrus sings", f"chat:{name}#1")
    before = [one.message for one in work.lint().diagnostics]
    work.sessions.prune()
    assert work.sessions.show(name).turns[0].text == "the walrus sings"
    assert [turn.number for turn in work.sessions.recent_turns(name[:13], 1)] == [2]
    assert f"archive/sessions/{name}.md" in str(work.history.why("walrus"))
    assert [one.message for one in work.lint().diagnostics] == before
    assert pin.status == "done"
    assert len(work.sessions.list(limit=50)) == days - 2
    live = {hit.path for hit in work.search("walrus", kinds=["session"])}
    assert f"archive/sessions/{name}.md" not in live
    assert {hit.path for hit in work.search("walrus", archive="only")} == {
        f"archive/sessions/{name}.md", "archive/sessions/20260121_100000_edge.md",
    }  # fmt: skip
    found = work.search("walrus", archive="only", session=name)
    assert {hit.path for hit in found} == {f"archive/sessions/{name}.md"}
    with pytest.raises(UsageError, match="has already ended"):
        work.sessions.resume(name)


def test_a_name_that_the_archive_has_already_stays(make: Make) -> None:
    work = make("en", FILES | {"archive/sessions/20260101_100000_old.md": "another"})
    assert work.sessions.prune(older="30d").moved == ("20260121_100000_edge",)
    assert (Path(work.root) / "archive/sessions/20260101_100000_old.md").read_text() == "another"


@pytest.mark.parametrize("age", ["soon", "30 sessions", "", "0d", "-1d"])
def test_an_age_that_is_none(make: Make, age: str) -> None:
    with pytest.raises(UsageError, match="is not an age"):
        make("en", FILES).sessions.prune(older=age)


def test_what_waits_for_extraction(make: Make) -> None:
    """Of ended sessions at once, of open ones when they rest; oldest first, only the rounds behind the mark."""
    work = make("en", FILES | {"sessions/20260104_100000_resting.md": session("", 0), ".sessions/2026-01-05_x.md": "x"})
    for name, minutes in (("20260103_100000_open", 1), ("20260104_100000_resting", 31)):
        seen = time.time() - minutes * 60
        os.utime(Path(work.root) / f"sessions/{name}.md", (seen, seen))
    found = work.sessions.unextracted()
    assert [(one.id, one.extracted_through, one.ended) for one in found] == [
        ("20260102_100000_unextracted", 1, True), ("20260104_100000_resting", 0, False),
    ]  # fmt: skip
    assert [[turn.number for turn in turns] for turns in found[1].rounds] == [[1], [2]]
    assert [turns[0].text for turns in found[0].rounds] == ["yes"]
    assert found[0].path == "sessions/20260102_100000_unextracted.md"
