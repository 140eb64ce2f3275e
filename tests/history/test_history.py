"""What was written can be listed, looked at and taken back; what a bad disk changes is noticed; the old is pruned."""

from __future__ import annotations

import datetime as dt
import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Make, Text

from mdmem.errors import ConflictError, TargetError
from mdmem.store import capabilities
from mdmem.store.history.retention import prune
from mdmem.store.history.versions import VersionStore
from mdmem.store.root import Root
from mdmem.workspace import Workspace

MEMORY = "# 🧠 记忆\n\n## 重要事件\n\n- 2026-02-13：面试\n\n## 笔记\n\n- 2026-02-14：买菜\n"


@pytest.fixture
def memory(make: Make) -> Workspace:
    return make(files={"MEMORY.md": MEMORY})


def test_a_change_is_logged_with_who_why_and_what(memory: Workspace) -> None:
    memory.add("MEMORY.md", ["2026-02-15：回家"], section="笔记", actor="nian", reason="她说的")
    memory.tick("MEMORY.md", "面试")
    newest, first = memory.history.log()
    assert (first.actor, first.reason, [one.path for one in first.files]) == ("nian", "她说的", ["MEMORY.md"])
    assert dt.datetime.fromisoformat(first.time).tzinfo is not None
    assert newest.files[0].before == first.files[0].after
    assert memory.history.log("MEMORY.md", limit=1) == (newest,)
    assert memory.history.log("USER.md") == ()
    assert "+- 2026-02-15：回家\n" in memory.history.diff(first.id)
    assert memory.history.diff(first.id[-8:]) == memory.history.diff(first.id)


def test_undo_goes_back_one_change_after_the_other_and_forth_again(memory: Workspace, text: Text) -> None:
    memory.add("MEMORY.md", ["2026-02-15：回家"], section="笔记")
    once = text("MEMORY.md")
    memory.tick("MEMORY.md", "面试")
    twice = text("MEMORY.md")
    assert memory.history.undo(dry_run=True).status == "planned"
    assert text("MEMORY.md") == twice
    undone = memory.history.undo()
    assert undone.transaction
    assert text("MEMORY.md") == once
    memory.history.undo()
    assert text("MEMORY.md") == MEMORY
    with pytest.raises(TargetError, match="没有可以撤销的改动"):
        memory.history.undo()
    memory.history.undo(undone.transaction.id)  # to take back the taking back of the tick is to tick again
    assert "✅ 2026-02-13：面试" in text("MEMORY.md")


def test_undo_leaves_what_was_written_since(memory: Workspace, text: Text, tmp_path: Path) -> None:
    added = memory.add("MEMORY.md", ["2026-02-15：回家"], section="笔记").transaction
    path = tmp_path / "workspace/MEMORY.md"
    path.write_bytes(path.read_bytes().replace("面试".encode(), "面试（手改）".encode()))
    assert added
    memory.history.undo(added.id)
    assert text("MEMORY.md") == MEMORY.replace("面试", "面试（手改）")


def test_undo_of_what_was_changed_again_shows_both_and_writes_neither(memory: Workspace, text: Text) -> None:
    first = memory.edit("MEMORY.md", "买菜", "买鱼").transaction
    memory.edit("MEMORY.md", "买鱼", "买肉")
    assert first
    with pytest.raises(ConflictError) as caught:
        memory.history.undo(first.id)
    assert "买菜" in caught.value.ours
    assert "买肉" in caught.value.theirs
    assert "买肉" in text("MEMORY.md")


def test_undo_without_an_id_names_the_change_that_cannot_be_undone_and_the_one_before_it(make: Make) -> None:
    memory = make(lang="en", files={"MEMORY.md": MEMORY, "USER.md": "# User\n\n- 2026-02-14: likes tea\n"})
    before = memory.edit("USER.md", "likes tea", "likes coffee").transaction
    last = memory.edit("MEMORY.md", "买菜", "买鱼").transaction
    path = Path(memory.root) / "MEMORY.md"
    path.write_bytes(path.read_bytes().replace("买鱼".encode(), "买肉".encode()))
    assert before
    assert last
    with pytest.raises(ConflictError) as caught:
        memory.history.undo()
    assert last.id in caught.value.message
    assert before.id in caught.value.hint
    assert memory.history.undo(before.id).status == "done"


def test_undo_passes_over_what_changed_nothing_and_over_the_beginning_of_a_conversation(make: Make) -> None:
    memory = make(files={"MEMORY.md": MEMORY, "mdmem.toml": '[keeper]\nbackend = "command"\n'})
    added = memory.add("MEMORY.md", ["2026-02-15：回家"], section="笔记").transaction
    session = memory.sessions.start("修门", agent="木匠")
    session.turn("user", "门关不上")
    assert added
    assert memory.history.undo().status == "done"
    assert "回家" not in (Path(memory.root) / "MEMORY.md").read_text("utf-8")
    assert "门关不上" in (Path(memory.root) / session.path).read_text("utf-8")


def test_undo_of_a_first_entry_takes_the_file_away_and_of_a_removal_brings_it_back(make: Make, text: Text) -> None:
    memory = make()
    memory.add("MEMORY.md", ["2026-02-15：回家"], section="笔记")
    whole = text("MEMORY.md")
    memory.delete("MEMORY.md")
    memory.history.undo()
    assert text("MEMORY.md") == whole
    memory.history.undo()
    assert not os.path.exists(os.path.join(memory.root, "MEMORY.md"))


def test_what_a_person_changed_since_is_shown(memory: Workspace, tmp_path: Path) -> None:
    memory.tick("MEMORY.md", "面试")
    assert memory.history.diff() == ""
    path = tmp_path / "workspace/MEMORY.md"
    path.write_bytes(path.read_bytes() + "- 2026-02-16：手写\n".encode())
    assert memory.history.diff("MEMORY.md").endswith("+- 2026-02-16：手写\n")
    with pytest.raises(TargetError, match="没有叫 nothing"):
        memory.history.diff("nothing")


def test_a_flipped_bit_is_found_and_never_served(memory: Workspace) -> None:
    done = memory.tick("MEMORY.md", "面试").transaction
    assert done
    assert {one.state for one in memory.history.doctor()} == {"good"}
    digest = done.files[0].before
    path = Path(memory.root, ".mdmem/history/objects", str(digest))
    data = bytearray(path.read_bytes())
    data[7] ^= 1
    path.write_bytes(data)
    bad = [one for one in memory.history.doctor() if one.state == "bad"]
    assert [one.name for one in bad] == ["damaged-object"]
    assert str(digest) in bad[0].message
    with pytest.raises(TargetError, match="旧版本已经不在了"):
        memory.history.undo()


def test_a_changed_or_torn_line_of_the_log_counts_for_none(memory: Workspace) -> None:
    memory.tick("MEMORY.md", "面试")
    memory.tick("MEMORY.md", "面试", done=False)
    log = Path(memory.root, ".mdmem/history/log")
    first, second = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first.replace(b'"user"', b'"eve"') + second + first[:40])
    assert [one.actor for one in memory.history.log()] == ["user"]
    assert [one.name for one in memory.history.doctor() if one.state == "bad"] == ["damaged-line"]
    memory.tick("MEMORY.md", "面试")
    assert log.read_bytes().count(b"\n") == 3, "the torn line was cut off"


def test_doctor_checks_also_where_nothing_can_be_written(memory: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.tick("MEMORY.md", "面试")

    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(capabilities, "fill", refused)
    checks = {one.name: one for one in memory.history.doctor()}
    assert checks["can-write"].state == "bad"
    assert "没有权限" in checks["can-write"].message
    assert checks["history"].state == "good"


def test_old_versions_go_and_each_files_last_one_stays(memory: Workspace) -> None:
    for number in range(4):
        memory.add("MEMORY.md", [f"2026-02-15：第{number}件"], section="笔记")
    last = memory.history.log()[0].files[0].after
    settings = memory.config.settings.store
    with Root(memory.root) as root:
        history = VersionStore(root, 1)
        assert prune(history, settings, dt.datetime.now().astimezone()).versions == 5
        assert prune(history, settings._replace(keep_bytes=1), dt.datetime.now().astimezone()).versions == 1
        assert list(history.objects()) == [last]
        later = dt.datetime.now().astimezone() + dt.timedelta(days=settings.keep_days + 1)
        assert prune(history, settings, later).versions == 1


def test_reading_verbs_write_nothing(memory: Workspace) -> None:
    memory.add("MEMORY.md", ["2026-02-15：回家"], section="笔记")
    before = {path: path.stat().st_mtime_ns for path in Path(memory.root).rglob("*")}
    memory.read("MEMORY.md")
    memory.show("MEMORY.md")
    memory.history.log()
    memory.history.diff()
    memory.inbox.list()
    memory.status()
    memory.history.undo(dry_run=True)
    memory.forget("回家", dry_run=True)
    assert {path: path.stat().st_mtime_ns for path in Path(memory.root).rglob("*")} == before


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("folder", ["displaced", "graves"])  # earlier versions kept displaced files in `graves`
def test_a_save_into_a_displaced_file_comes_home(make: Make, text: Text, folder: str) -> None:
    """An editor that opened the file just before it was replaced writes into what is no longer live."""
    memory = make(files={"MEMORY.md": MEMORY}, settings="[store]\ndisplaced_seconds = 1\n")
    with open(os.path.join(memory.root, "MEMORY.md"), "r+b", buffering=0) as stream:
        data = stream.read()
        memory_in_another_process(memory, "2026-02-15：回家")
        history = Path(memory.root, ".mdmem", "history")
        (history / "displaced").rename(history / folder)
        stream.seek(0)
        stream.write(data + "- 2026-02-16：编辑器里写的\n".encode())
    assert "编辑器里写的" not in text("MEMORY.md")
    time.sleep(1.1)
    (merged,) = memory.history.recover()
    assert merged.actor == "editor"
    assert "- 2026-02-15：回家\n" in text("MEMORY.md")
    assert "- 2026-02-16：编辑器里写的\n" in text("MEMORY.md")
    assert memory.history.recover() == ()


@pytest.mark.slow
def test_forgetting_looks_into_the_former_folder_of_displaced_files(memory: Workspace) -> None:
    memory.add("MEMORY.md", ["2026-02-15：秘密咖啡馆"], section="笔记")
    memory.add("MEMORY.md", ["2026-02-16：买菜"], section="笔记")
    history = Path(memory.root, ".mdmem", "history")
    (history / "displaced").rename(history / "graves")
    memory.forget("秘密咖啡馆")
    left = [
        path.name
        for path in (history / "graves").rglob("*")
        if path.is_file() and "秘密咖啡馆" in path.read_text("utf-8")
    ]
    assert left == []


def memory_in_another_process(memory: Workspace, entry: str) -> None:
    code = "import sys, mdmem; mdmem.Workspace(sys.argv[1]).add('MEMORY.md', [sys.argv[2]], section='笔记')"
    subprocess.run([sys.executable, "-c", code, memory.root, entry], check=True)
