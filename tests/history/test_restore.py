"""A file that was deleted or clobbered by hand is told of, and comes back; what is meant so is told no more."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from conftest import Make, Text

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError, RefusedError, TargetError
from mdmem.linter.service import known_of
from mdmem.store.history.versions import EDITOR
from mdmem.workspace import Workspace

YEAR = (
    "# 🧠 记忆\n\n## 重要事件\n\n"
    + "".join(f"- 2025-{m:02}-10：第 {m} 个月的大事\n" for m in range(1, 13))
    + "\n## 笔记\n"
)


def known(make: Make, **more: str) -> Workspace:
    """A workspace whose MEMORY.md mdmem has written."""
    memory = make("en", {"MEMORY.md": YEAR, **more})
    memory.add("MEMORY.md", ["2026-02-15: came home"], section="笔记")
    return memory


def lost(memory: Workspace) -> dict[str, str]:
    """Give the files that a new lint calls lost, with the sentence about each."""
    found = Workspace(memory.root).lint().diagnostics
    return {one.path: one.message for one in found if one.code == "MM122"}


def place(memory: Workspace, name: str = "MEMORY.md") -> Path:
    return Path(memory.root, name)


CLOBBERED: dict[str, bytes] = {
    "emptied": b"",
    "blank": b"\n  \n",
    "a stub": "# 🧠 记忆\n".encode(),
    "binary": b"PK\3\4\0\0\0\0" + bytes(range(256)) * 20,
    "another text": b"# Shopping\n\n" + b"- a bag of apples\n" * 60,
}


@pytest.fixture
def memory(make: Make) -> Workspace:
    return known(make)


@pytest.mark.parametrize("now", CLOBBERED.values(), ids=CLOBBERED)
def test_a_clobbered_file_is_told_of_and_comes_back(memory: Workspace, text: Text, now: bytes) -> None:
    whole = text("MEMORY.md")
    assert not lost(memory)
    place(memory).write_bytes(now)
    assert lost(memory).keys() == {"MEMORY.md"}
    assert lost(memory).keys() == {"MEMORY.md"}, "and again, from the cache"
    (row,) = [one for one in memory.status() if one.path == "MEMORY.md"]
    assert row.lost
    planned = memory.restore("MEMORY.md", dry_run=True)
    assert (planned.status, "+- 2025-03-10：第 3 个月的大事\n" in planned.diff) == ("planned", True)
    assert place(memory).read_bytes() == now
    done = memory.restore("MEMORY.md")
    assert (done.status, text("MEMORY.md")) == ("done", whole)
    assert not lost(memory)
    memory.history.undo()
    assert place(memory).read_bytes() == now


def test_a_deleted_file_is_told_of_and_comes_back(memory: Workspace, text: Text) -> None:
    whole, mode = text("MEMORY.md"), stat.S_IMODE(place(memory).stat().st_mode)
    place(memory).unlink()
    report = Workspace(memory.root).lint()
    (found,) = [one for one in report.diagnostics if one.path == "MEMORY.md"]
    assert (found.code, found.severity) == ("MM122", "warning")
    assert "mdmem restore MEMORY.md" in found.hint
    assert [one.lost for one in memory.status() if one.path == "MEMORY.md"] == ["gone"]
    done = memory.restore("MEMORY.md")
    assert "mdmem watch" in done.hint, "what was changed by hand is not known"
    assert text("MEMORY.md") == whole
    assert stat.S_IMODE(place(memory).stat().st_mode) & 0o077 == mode & 0o077 & 0
    assert not lost(memory)
    assert memory.history.log()[0].reason.startswith("restore ")


def test_an_edit_like_any_other_is_no_loss(memory: Workspace) -> None:
    place(memory).write_text(YEAR.replace("大事", "小事")[: len(YEAR) // 2], "utf-8")
    assert not lost(memory)
    memory.write("list.md", "# To buy\n\n- milk and bread and cheese and a newspaper\n")
    place(memory, "list.md").write_text("# To buy\n")
    assert not lost(memory), "a short list may be done"


def test_a_lost_front_matter_is_a_loss(make: Make) -> None:
    memory = make("en")
    memory.write("facts/nian.md", "---\nsubject: Nian\n---\n\n# Nian\n\n- lives in Ghent\n")
    place(memory, "facts/nian.md").write_text("# Nian\n\n- lives in Ghent\n- likes tea\n")
    assert "front matter" in lost(memory)["facts/nian.md"]


def test_what_mdmem_deleted_or_moved_is_not_lost(memory: Workspace) -> None:
    memory.rename("MEMORY.md", "old.md")
    memory.delete("old.md")
    assert not lost(memory)
    done = memory.restore("old.md")
    assert done.status == "done", "but it can be had back"
    assert YEAR.splitlines()[4] in place(memory, "old.md").read_text("utf-8")


def test_what_was_moved_by_hand_is_not_lost_also_when_it_is_changed_there(memory: Workspace) -> None:
    (Path(memory.root) / "2025").mkdir()
    place(memory).rename(place(memory, "2025/year.md"))
    assert not lost(memory)
    with place(memory, "2025/year.md").open("a") as stream:
        stream.write("- one more\n")
    assert not lost(memory)


def test_a_copy_that_was_known_before_is_no_new_home(make: Make) -> None:
    memory = make("en")
    for name in ("one.md", "two.md"):
        memory.write(name, "# Same\n\n- text\n")
    place(memory, "one.md").unlink()
    assert lost(memory).keys() == {"one.md"}


def test_what_is_meant_so_is_told_no_more_until_the_next_loss(memory: Workspace) -> None:
    place(memory).unlink()
    assert memory.dismiss("MEMORY.md", dry_run=True).status == "planned"
    assert lost(memory)
    done = memory.dismiss("MEMORY.md")
    assert done.status == "done"
    assert not lost(memory)
    assert memory.dismiss("MEMORY.md").status == "unchanged"
    assert done.transaction
    memory.history.undo(done.transaction.id)
    assert YEAR.splitlines()[4] in place(memory).read_text("utf-8")
    place(memory).write_text("x")
    assert lost(memory)
    memory.dismiss(".")
    assert not lost(memory)
    place(memory).unlink()
    assert lost(memory)


def test_a_folder_is_dismissed_with_all_that_it_held(make: Make) -> None:
    memory = make("en")
    for day in range(1, 5):
        memory.write(f"memory/2026-02-0{day}.md", f"# 2026-02-0{day}\n\n- it rained all day\n")
    for file in Path(memory.root, "memory").iterdir():
        file.unlink()
    assert len(lost(memory)) == 4
    assert memory.dismiss("memory").status == "done"
    assert not lost(memory)


@pytest.mark.parametrize("now", [None, *CLOBBERED.values()], ids=["gone", *CLOBBERED])
def test_what_was_written_upon_the_ruin_stays_when_the_file_comes_back(
    memory: Workspace, text: Text, now: bytes | None
) -> None:
    whole = text("MEMORY.md")
    place(memory).unlink()
    if now is not None:
        place(memory).write_bytes(now)
    newer = ["2026-02-16: the first after the loss", "2026-02-17: the second"]
    for one in newer:
        try:
            memory.add("MEMORY.md", [one], section="notes")
        except MdmemError:  # nothing is written onto what is no text, or has no such section
            memory.write("MEMORY.md", f"# Memory\n\n## 笔记\n\n- {one}\n", confirm=True)
    assert lost(memory).keys() == {"MEMORY.md"}
    done = memory.restore("MEMORY.md")
    assert "since stays" in done.hint
    lines = text("MEMORY.md").splitlines()
    assert [line for line in whole.splitlines() if line not in lines] == []
    assert [line for line in lines if line.startswith("- 2026-02-17")]
    assert not lost(memory)
    memory.history.undo()
    assert b"- 2026-02-17" in place(memory).read_bytes()
    assert b"came home" not in place(memory).read_bytes()


def test_a_version_that_is_named_comes_back_whole(memory: Workspace, text: Text) -> None:
    whole, known_id = text("MEMORY.md"), memory.history.log()[0].id
    place(memory).unlink()
    memory.add("MEMORY.md", ["2026-02-16: the first after the loss"], section="notes")
    memory.restore("MEMORY.md", known_id)
    assert text("MEMORY.md") == whole


def test_the_version_after_a_change_or_of_a_time(memory: Workspace, text: Text) -> None:
    first = text("MEMORY.md")
    added = memory.add("MEMORY.md", ["2026-02-16: later"], section="笔记").transaction
    assert added
    second = text("MEMORY.md")
    memory.tick("MEMORY.md", "later")
    memory.restore("MEMORY.md", added.id)
    assert text("MEMORY.md") == second
    memory.restore("MEMORY.md", memory.history.log()[3].id[-8:])
    assert text("MEMORY.md") == first
    memory.restore("MEMORY.md", "2020-01-01")
    assert text("MEMORY.md") == YEAR, "what mdmem found there when it first wrote"
    memory.restore("MEMORY.md", added.time[:10])
    assert memory.restore("MEMORY.md", added.time[:10]).status == "unchanged", "a day is its end"


@pytest.mark.parametrize("at", ["yesterday", "2026-13-01", "", "9999-99-99", "ffffffff", "0001-01-01"])
def test_what_cannot_be_restored_is_told(make: Make, at: str) -> None:
    memory = make("en")
    memory.write("new.md", "# New\n\n- entry\n")
    with pytest.raises(TargetError):
        memory.restore("new.md" if at else "unknown.md", at)


@pytest.mark.parametrize("path", ["../x.md", "/etc/passwd", ".mdmem/history/log", ".git/config"])
def test_nothing_outside_is_restored(memory: Workspace, path: str) -> None:
    with pytest.raises(RefusedError):
        memory.restore(path)


def test_a_persons_own_words_come_back_as_they_were_and_an_agent_may_not_bring_them(make: Make, text: Text) -> None:
    """The history has what a person wrote by hand; a restoring brings in nothing new."""
    secret = YEAR + "- 2026-02-14：路由器的密码是 Kz8-river-77\n"
    memory = make("en", {"MEMORY.md": secret})
    memory.tick("MEMORY.md", "第 3 个月")
    whole = text("MEMORY.md")
    place(memory).unlink()
    with pytest.raises(RefusedError):
        memory.restore("MEMORY.md", actor="agent")
    memory.restore("MEMORY.md")
    assert text("MEMORY.md") == whole


def test_a_version_that_is_gone_or_damaged_is_told(memory: Workspace) -> None:
    place(memory).unlink()
    for version in Path(memory.root, ".mdmem/history/objects").iterdir():
        version.write_bytes(b"flipped")
    assert not lost(memory), "nothing could be restored"
    with pytest.raises(TargetError, match="no longer kept"):
        memory.restore("MEMORY.md")


def test_a_broken_log_stops_no_lint(memory: Workspace) -> None:
    log = Path(memory.root, ".mdmem/history/log")
    for data in (b"", b"garbage\n" * 50, log.read_bytes()[:-20], b"\0" * 5000):
        log.write_bytes(data)
        assert Workspace(memory.root).lint().files
    log.unlink()
    log.symlink_to("/dev/zero")
    assert Workspace(memory.root).lint().files


def test_what_a_cache_remembers_is_what_the_log_says(memory: Workspace) -> None:
    """Read piece by piece, and read anew, the log gives the same."""
    for number in range(6):
        memory.write(f"n{number}.md", f"# {number}\n\n- text\n")
        lost(memory)
    memory.delete("n1.md")
    memory.forget("came home")  # writes the log anew
    lost(memory)
    fresh = WorkspaceConfig(memory.root, remember=False)
    assert known_of(WorkspaceConfig(memory.root)).files == known_of(fresh).files
    assert set(known_of(fresh).files) >= {"MEMORY.md", "n0.md", "n5.md"} - {"n1.md"}


def test_new_files_of_ours_are_for_our_eyes_only(memory: Workspace) -> None:
    place(memory).write_text("x")
    memory.dismiss("MEMORY.md")
    for folder, folders, files in os.walk(Path(memory.root, ".mdmem")):
        for name in (*folders, *files):
            if os.path.basename(os.path.dirname(folder)) == "displaced":
                continue  # a displaced file is the replaced file itself, with its own mode, in a folder of ours
            mode = stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)
            assert not mode & 0o077, (folder, name, oct(mode))


def test_undo_keeps_what_a_hand_wrote_between_two_changes(make: Make, text: Text) -> None:
    memory = make("en", {"MEMORY.md": YEAR})
    first = memory.add("MEMORY.md", ["2026-02-15: first"], section="笔记").transaction
    path = place(memory)
    path.write_text(text("MEMORY.md").replace("第 2 个月的大事", "第 2 个月，手改过"), "utf-8")
    second = memory.add("MEMORY.md", ["2026-02-16: second"], section="笔记").transaction
    assert first
    assert second
    memory.history.undo(first.id)
    assert "first" not in text("MEMORY.md")
    assert "手改过" in text("MEMORY.md")
    assert "second" in text("MEMORY.md")
    memory.history.undo(second.id)
    assert text("MEMORY.md") == YEAR.replace("第 2 个月的大事", "第 2 个月，手改过")
    assert EDITOR not in {one.actor for one in memory.history.log()}


def test_a_file_that_was_edited_by_hand_is_not_lost(make: Make) -> None:
    work = make("en", {})
    work.add("MEMORY.md", ["likes tea"])
    path = Path(work.root) / "MEMORY.md"
    path.write_text(path.read_text("utf-8") + "- 2026-02-19: by hand\n", "utf-8")
    assert work.restore("MEMORY.md").status == "unchanged"
    assert "by hand" in path.read_text("utf-8")


@pytest.mark.parametrize("empty", [True, False])
def test_a_write_onto_a_loss_does_not_hide_it(make: Make, empty: bool) -> None:
    work = make("en", {})
    work.add("MEMORY.md", ["likes tea", "met Anna in Delft"])
    path = Path(work.root) / "MEMORY.md"
    path.write_bytes(b"") if empty else path.unlink()
    work.add("MEMORY.md", ["bought a kettle"])
    assert [one.code for one in work.lint().diagnostics if one.path == "MEMORY.md"] == ["MM122"]
    assert work.restore("MEMORY.md").status == "done"
    assert "met Anna in Delft" in path.read_text("utf-8")
    work.history.undo()
    assert "bought a kettle" in path.read_text("utf-8"), "what came after the loss is one undo away"
