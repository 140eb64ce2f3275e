"""A watcher keeps the versions that it meets: hand edits can be listed, shown, undone and restored."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from forms import each
from processes import wait_for

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.store.history.versions import Transaction
from mdmem.watch.board import KeeperRun
from mdmem.watch.service import watch
from mdmem.workspace import Workspace

from .saves import SAVES, Save

pytestmark = pytest.mark.slow

QUICK = 'lang = "en"\n[watch]\ndebounce_ms = 30\npoll_ms = 50\nversion_seconds = 1\n'
TEXT = "# Notes\n\n## One\n\n- first\n- second\n\n## Two\n\n- third\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "mdmem.toml").write_text(QUICK)
    (folder / "notes.md").write_text(TEXT)
    return folder


@contextmanager
def watching(place: Path, tmp_path: Path) -> Iterator[None]:
    """Run `mdmem watch` beside the test, until everything has been met."""
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen([sys.executable, "-m", "mdmem", "watch"], cwd=place, stdout=said, stderr=said)
        try:
            assert wait_for(lambda: Workspace(place).history.log())
            yield
        finally:
            process.terminate()
            assert process.wait(20) == 0, (tmp_path / "said").read_text()


def once(place: Path) -> None:
    """Look once, as `mdmem watch --once` does."""
    list(watch(WorkspaceConfig(str(place)), once=True, poll=False, keep=lambda _: KeeperRun()))


def log(place: Path) -> list[Transaction]:
    """Give the changes but the first meeting, oldest first."""
    return [one for one in reversed(Workspace(place).history.log()) if one.reason != "first met by watch"]


def test_what_was_met_is_told_and_an_edit_since_is_logged(place: Path) -> None:
    once(place)
    (met,) = Workspace(place).history.log()
    assert (met.actor, met.reason) == ("editor", "first met by watch")
    assert Workspace(place).history.diff(met.id) == ""
    once(place)
    assert len(Workspace(place).history.log()) == 1, "nothing new"
    (place / "notes.md").write_text(TEXT.replace("second", "by hand"))
    once(place)
    (edit,) = log(place)
    assert (edit.actor, edit.reason) == ("editor", "saved by hand")
    assert "+- by hand\n" in Workspace(place).history.diff(edit.id)


def test_a_hand_edit_is_undone_by_its_id_and_never_by_chance(place: Path) -> None:
    once(place)
    added = Workspace(place).add("notes.md", ["by mdmem"], section="One").transaction
    (place / "notes.md").write_text((place / "notes.md").read_text().replace("third", "by hand"))
    once(place)
    assert added
    Workspace(place).history.undo()
    assert "by mdmem" not in (place / "notes.md").read_text(), "without an id it is mdmem's own change"
    assert "by hand" in (place / "notes.md").read_text()
    (edit,) = [one for one in log(place) if one.actor == "editor"]
    Workspace(place).history.undo(edit.id)
    assert (place / "notes.md").read_text() == TEXT


def test_a_version_that_mdmem_never_wrote_is_restored(place: Path) -> None:
    once(place)
    (place / "notes.md").write_text(TEXT.replace("first", "better"))
    once(place)
    (place / "notes.md").unlink()
    once(place)
    once(place)
    assert [one.reason for one in log(place)] == ["saved by hand", "deleted by hand"]
    assert {one.code for one in Workspace(place).lint().diagnostics} >= {"MM122"}, "met is not yet meant"
    done = Workspace(place).restore("notes.md")
    assert "last version that mdmem knew" not in done.hint
    assert (place / "notes.md").read_text() == TEXT.replace("first", "better")


def test_a_stub_that_was_met_hides_no_loss_and_what_fills_it_again_is_none(place: Path) -> None:
    (place / "notes.md").write_text(TEXT * 20)
    once(place)
    (place / "notes.md").write_text("# Notes\n\n## One\n\n- stub\n")
    once(place)
    assert [one.code for one in Workspace(place).lint().diagnostics] == ["MM122"]
    (place / "notes.md").write_text(TEXT * 19)
    once(place)
    assert not [one for one in Workspace(place).lint().diagnostics if one.code == "MM122"]
    assert len(log(place)) == 2


def test_a_file_moved_by_hand_is_one_change(place: Path) -> None:
    once(place)
    (place / "notes.md").rename(place / "better.md")
    once(place)
    (moved,) = log(place)
    assert [one.path for one in moved.files] == ["better.md", "notes.md"]
    (place / "better.md").write_text("# Notes\n\nall new\n")
    assert not [one for one in Workspace(place).lint().diagnostics if one.path == "notes.md"]


def test_a_secret_written_by_hand_is_not_kept(place: Path) -> None:
    once(place)
    (place / "notes.md").write_text(f"{TEXT}- the router password is Kz8-river-77\n")
    once(place)
    assert not log(place)
    versions = (place / ".mdmem/history/objects").iterdir()
    assert not any(b"Kz8-river-77" in one.read_bytes() for one in versions)
    (place / "notes.md").write_text(f"{TEXT}- the router password is in the drawer\n")
    once(place)
    assert "+- the router password is in the drawer\n" in Workspace(place).history.diff(log(place)[0].id)


@pytest.mark.parametrize("setting", ["[memory]\nenabled = false\n", "versions = false\n"])
def test_switched_off_it_keeps_no_version(place: Path, setting: str) -> None:
    (place / "mdmem.toml").write_text(QUICK + setting)
    once(place)
    assert not Workspace(place).history.log()


def test_turns_of_a_session_are_no_edits_by_hand(place: Path) -> None:
    session = Workspace(place).sessions.start("a talk", agent="me")
    session.turn("user", "hello")
    once(place)
    session.turn("assistant", "hello to you")
    once(place)
    assert not [one for one in log(place) if one.actor == "editor"]
    session.turn("user", "bye")
    session.end("said")


def test_the_history_stays_within_its_bytes(place: Path) -> None:
    (place / "mdmem.toml").write_text(f"{QUICK}[store]\nkeep_bytes = 100_000\n")
    for number in range(8):
        (place / "notes.md").write_text(TEXT + f"- {number} {'x' * 500}\n" * 60)
        once(place)
    kept = sum(one.stat().st_size for one in (place / ".mdmem/history/objects").iterdir())
    assert kept < 200_000
    assert Workspace(place).restore("notes.md").status == "unchanged"


@pytest.mark.thorough
@pytest.mark.parametrize("save", each(3, SAVES), ids=lambda one: one.__name__)
def test_every_way_of_saving_is_one_version(place: Path, tmp_path: Path, save: Save) -> None:
    with watching(place, tmp_path):
        save(place / "notes.md", f"{TEXT}- one more\n".encode())
        assert wait_for(lambda: log(place))
        edit = log(place)[0]
        assert [one.path for one in edit.files] == ["notes.md"]
        assert Workspace(place).history.diff(edit.id).endswith("+- one more\n")


@pytest.mark.thorough
def test_a_burst_of_saves_is_one_version(place: Path, tmp_path: Path) -> None:
    with watching(place, tmp_path):
        for number in range(6):
            (place / "notes.md").write_text(f"{TEXT}- draft {number}\n")
            time.sleep(0.2)
        assert wait_for(lambda: log(place))
        time.sleep(1.5)
        (edit,) = log(place)
        assert Workspace(place).history.diff(edit.id).endswith("+- draft 5\n")


def test_what_has_not_settled_is_kept_when_the_watcher_ends(place: Path, tmp_path: Path) -> None:
    (place / "mdmem.toml").write_text(QUICK.replace("version_seconds = 1", "version_seconds = 600"))
    with watching(place, tmp_path):
        (place / "notes.md").write_text(f"{TEXT}- late\n")
        assert wait_for(lambda: "notes.md" in (tmp_path / "said").read_text())
        assert not log(place)
    assert [one.reason for one in log(place)] == ["saved by hand"]


@pytest.mark.thorough
def test_what_mdmem_writes_is_logged_once(place: Path, tmp_path: Path) -> None:
    with watching(place, tmp_path):
        Workspace(place).add("notes.md", ["by mdmem"], section="One")
        time.sleep(2)
        assert [one.actor for one in log(place)] == ["user"]
