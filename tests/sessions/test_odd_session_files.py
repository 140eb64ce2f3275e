"""What stands among the sessions and is no session stops no verb, and is not read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Make

from mdmem.errors import UnreadableFileError
from mdmem.keeper.session_extraction import waiting_sessions
from mdmem.sessions import open_session
from mdmem.store import mirror
from mdmem.workspace import Workspace

SAID = "canary-of-another-folder"


@pytest.fixture
def work(make: Make, tmp_path: Path) -> Workspace:
    work = make("en", {"sessions/20260101_080000_inside.md": "---\nagent: a\n---\n# inside\n"})
    sessions = Path(work.root, "sessions")
    outside = tmp_path / "elsewhere.md"
    outside.write_text(f"---\nagent: a\n---\n# x\n\n### 1 user 10:00\n\nI live in {SAID}\n", "utf-8")
    os.mkfifo(sessions / "20260101_100000_fifo.md")
    (sessions / "20260102_100000_link.md").symlink_to(outside)
    (sessions / "20260103_100000_nowhere.md").symlink_to("nowhere.md")
    (sessions / "20260104_100000_folder.md").mkdir()
    (sessions / "20260105_100000_again.md").symlink_to("20260101_080000_inside.md")
    return work


def test_only_files_of_the_workspace_are_listed(work: Workspace) -> None:
    assert [one.path.rpartition("_")[2] for one in work.sessions.list()] == ["again.md", "inside.md"]


def test_no_verb_over_all_sessions_waits_for_one_or_reads_elsewhere(work: Workspace) -> None:
    session = work.sessions.start("mend the boat", agent="main")
    session.turn("user", "I live in Rome")
    session.end("noted")
    work.sessions.prune(older="1d")
    assert not [one for one in work.keeper.extract(now=True) if one.status == "refused"]
    work.night(now=True)
    assert SAID not in "".join(
        one.read_text("utf-8") for one in Path(work.root).rglob("*.md") if one.is_file() and not one.is_symlink()
    )


def test_one_that_became_a_fifo_is_told_and_not_waited_for(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the listing and the reading, the name may get another file."""
    path = "sessions/20260101_100000_fifo.md"
    monkeypatch.setattr("mdmem.keeper.session_extraction.latest_sessions", lambda _: [path])
    assert waiting_sessions(work.config, None) == [path]
    [done] = work.keeper.extract(now=True)
    assert (done.status, done.path) == ("refused", path)
    assert "not a regular file" in done.message


def test_what_a_disk_refuses_after_the_end_of_a_session_hides_no_end(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journey after the end reads the file again: each step that cannot is told, and the session is ended."""
    work = make("en")
    session = work.sessions.start("mend the boat", agent="main")
    session.turn("user", "I live in Rome")

    def refused(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    def ended(*given: Any) -> int:
        count = end_session(*given)
        monkeypatch.setattr(os, "pread", refused)
        return count

    end_session = open_session.end_session
    monkeypatch.setattr(open_session, "end_session", ended)
    told = session.end("done")
    with pytest.raises(UnreadableFileError, match="could not be read: Input/output error"):
        work.sessions.list()
    monkeypatch.undo()
    assert (told.status, work.sessions.list()[0].ended != "") == ("done", True)
    assert "the session has ended, but the record of what was run failed: could not be read" in told.hint


def test_a_copy_that_cannot_be_written_hides_no_turn(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    work = make("en")
    session = work.sessions.start("mend the boat", agent="main")

    def refused(*_: object) -> int:
        raise UnreadableFileError(
            "its folder could not be opened: {reason}", path=mirror.FOLDER, facts={"reason": "no"}
        )

    monkeypatch.setattr(mirror, "open_private", refused)
    assert session.turn("user", "I live in Rome").status == "done"


def test_a_session_that_cannot_be_read_to_its_end_is_told(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("mdmem.sessions.read.torn_tail", refused)
    with pytest.raises(UnreadableFileError, match=r"inside\.md: could not be read: Input"):
        work.sessions.show("20260101_080000_inside")
