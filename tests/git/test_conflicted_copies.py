"""`mdmem resolve` merges what a sync program left beside a file, loses nothing, and can be undone."""

from __future__ import annotations

from pathlib import Path

import in_process
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdmem import TargetError, UsageError, Workspace
from mdmem.linter.detect.conflicted_copies import original_of
from mdmem.watch.board import WatchState
from mdmem.watch.watcher import Batch

COPIES = {
    "Syncthing": "MEMORY.sync-conflict-20260213-101112-ABCDEFG.md",
    "Dropbox": "MEMORY (Ann's conflicted copy 2026-02-13).md",
    "Nextcloud": "MEMORY (conflicted copy 2026-02-13 101112).md",
    "Obsidian Sync": "MEMORY (Conflicted copy laptop 202602131011).md",
    "ownCloud, before 2.5": "MEMORY_conflict-ann-20260213-101112.md",
    "ownCloud": "MEMORY (Conflict ann 2026-02-13 101112).md",
    "Seafile": "MEMORY (SFConflict ann@example.org 2026-02-13-10-11-12).md",
    "Mergin": "MEMORY (edit conflict, ann v12).md",
    "OneDrive": "MEMORY-DESKTOP-AB12CD3.md",
    "iCloud": "MEMORY 2.md",
    "Google Drive": "MEMORY (1).md",
}
HEAD = "# Memory\n\n## To-dos and promises\n\n"
BASE = f"{HEAD}- 2026-02-12: call Ann\n- 2026-02-13: send the report\n- 2026-02-13: old\n"
FIRST = "2026-02-14: from this machine"


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    made = Workspace(tmp_path, lang="en")
    made.write("MEMORY.md", BASE)
    return made


def text(work: Workspace, name: str = "MEMORY.md") -> str:
    return (Path(work.root) / name).read_text("utf-8")


def leave(work: Workspace, content: str, name: str = COPIES["Syncthing"]) -> str:
    (Path(work.root) / name).write_text(content, "utf-8")
    return name


@pytest.mark.parametrize("program", COPIES)
def test_each_program_s_copy_is_found_and_merged(work: Workspace, program: str) -> None:
    name = leave(work, BASE + "- 2026-02-15: from the phone\n", COPIES[program])
    found = [one for one in work.lint().diagnostics if one.code == "MM114"]
    assert [one.path for one in found] == [name]
    assert name in found[0].hint
    work.add("MEMORY.md", FIRST, section="to-dos")
    done = work.resolve(name)
    assert done.status == "done"
    assert not (Path(work.root) / name).exists()
    assert text(work) == BASE + f"- {FIRST}\n- 2026-02-15: from the phone\n"
    assert [one for one in work.lint().diagnostics if one.code == "MM114"] == []


def test_undo_brings_both_back(work: Workspace) -> None:
    name = leave(work, BASE + "- 2026-02-15: from the phone\n")
    before = text(work)
    work.resolve(name)
    work.history.undo()
    assert text(work) == before
    assert text(work, name) == BASE + "- 2026-02-15: from the phone\n"


def test_from_a_known_version_what_one_side_removed_is_removed(work: Workspace) -> None:
    name = leave(work, HEAD + "- 2026-02-12: call Ann at 9\n- 2026-02-13: send the report\n- ✅ 2026-02-13: old\n")
    work.remove("MEMORY.md", "send the report")
    done = work.resolve(name)
    assert "the history knows the version" in done.hint
    assert text(work) == HEAD + "- 2026-02-12: call Ann at 9\n- ✅ 2026-02-13: old\n"


def test_the_copy_is_the_version_of_this_machine(work: Workspace) -> None:
    """Syncthing renames the local version, and puts the other machine's in its place."""
    work.add("MEMORY.md", FIRST, section="to-dos")
    name = leave(work, text(work))
    (Path(work.root) / "MEMORY.md").write_text(BASE.replace("- 2026-02-13: old\n", "- 2026-02-15: from the phone\n"))
    work.resolve(name)
    assert text(work) == BASE.replace("- 2026-02-13: old\n", f"- 2026-02-15: from the phone\n- {FIRST}\n")


def test_a_watcher_that_logged_the_other_version_changes_nothing_of_that(work: Workspace) -> None:
    work.add("MEMORY.md", FIRST, section="to-dos")
    name = leave(work, text(work))
    (Path(work.root) / "MEMORY.md").write_text(BASE + "- 2026-02-15: from the phone\n")
    work.add("MEMORY.md", "2026-02-16: later", section="to-dos")  # its transaction begins with what the editor saved
    work.resolve(name)
    assert all(one in text(work) for one in (FIRST, "from the phone", "later"))


def test_of_two_versions_the_copy_began_with_the_one_whose_words_it_repeats(work: Workspace) -> None:
    work.edit("MEMORY.md", "call Ann", "call Ann at eight")
    common = text(work)
    work.edit("MEMORY.md", "the report", "the long report")
    work.resolve(leave(work, common.replace("call Ann", "call Ann at nine, not")))
    assert text(work) == common.replace("call Ann", "call Ann at nine, not").replace("the report", "the long report")
    assert not (Path(work.root) / "inbox.md").exists()


def test_without_a_common_version_all_entries_are_kept(tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    work = Workspace(tmp_path, lang="en")
    (tmp_path / "MEMORY.md").write_text(BASE.replace("call Ann", "write to Tom"))
    name = leave(work, BASE.replace("- 2026-02-13: old\n", ""))
    done = work.resolve(name)
    assert "all entries of both are kept" in done.hint
    assert all(one in text(work) for one in ("write to Tom", "call Ann\n", "send the report", "old"))


TWO = f"{HEAD}- 2026-02-12: call Ann\n- 2026-02-13: send the report\n- [ ] 2026-02-14: water the plants\n"
CHANGES = {
    "said more": ("call Ann\n", "call Ann at nine\n"),
    "ticked": ("- 2026-02-13", "- ✅ 2026-02-13"),
    "checked": ("- [ ] ", "- [x] "),
    "a tag": ("report\n", "report #work\n"),
    "a field": ("plants\n", "plants [source:: doc:plants.md]\n"),
    "an id": ("plants\n", "plants ^p1\n"),
    "added": (HEAD, f"{HEAD}- 2026-02-20: read the map\n"),
}


def machine(folder: Path, name: str, *versions: str, knows: bool) -> Workspace:
    """Return the memory of a machine whose history knows these versions, or none."""
    (folder / name).mkdir()
    (folder / name / "mdmem.toml").write_text('lang = "en"\n')
    made = Workspace(folder / name, lang="en")
    for version in versions if knows else ():
        made.write("MEMORY.md", version)
    return made


def met(work: Workspace, won: str, lost: str) -> str:
    """Let a sync program leave both versions, and return what the file says when the copy is resolved."""
    (Path(work.root) / "MEMORY.md").write_text(won, "utf-8")
    work.resolve(leave(work, lost))
    return text(work)


@pytest.mark.thorough
@pytest.mark.parametrize("mine", CHANGES)
@pytest.mark.parametrize("other", ["said more", "ticked", "added"])
@pytest.mark.parametrize("who_lost", ["who knows", "who does not"])
def test_a_machine_without_the_common_version_makes_the_same_bytes(
    tmp_path: Path, mine: str, other: str, who_lost: str
) -> None:
    ours, theirs = TWO.replace(*CHANGES[mine]), TWO.replace(*CHANGES[other])
    won, lost = (theirs, ours) if who_lost == "who knows" else (ours, theirs)
    known = met(machine(tmp_path, "a", TWO, ours, knows=True), won, lost)
    assert met(machine(tmp_path, "b", knows=False), won, lost) == known
    assert [known.count(one) for one in ("call Ann", "send the report", "water the plants")] == [1, 1, 1]


def test_two_texts_of_one_entry_stand_once_and_the_other_one_waits(tmp_path: Path) -> None:
    work = machine(tmp_path, "b", knows=False)
    here = TWO.replace("send the report", "send the yearly report to Tom")
    (tmp_path / "b" / "MEMORY.md").write_text(here, "utf-8")
    done = work.resolve(leave(work, here.replace("yearly", "monthly")))
    assert "1 entry say something else in the copy" in done.hint
    assert text(work) == here
    (item,) = work.inbox.list()
    work.inbox.accept([item.key])
    assert text(work) == here.replace("yearly", "monthly")


@pytest.mark.parametrize("new", ["2026-02-13: call Tom", "2026-02-20: send the report"])
def test_an_entry_of_another_day_or_of_other_words_is_another_entry(tmp_path: Path, new: str) -> None:
    work = machine(tmp_path, "b", knows=False)
    known = met(work, TWO, TWO.replace("2026-02-13: send the report", new))
    assert known == TWO.replace("report\n", f"report\n- {new}\n")
    assert work.inbox.list() == ()


def test_an_older_history_still_joins_what_it_does_not_know(tmp_path: Path) -> None:
    work = machine(tmp_path, "b", HEAD + "- 2026-02-12: call Ann\n", knows=True)
    ours, theirs = TWO.replace(*CHANGES["ticked"]), TWO.replace(*CHANGES["a tag"])
    assert met(work, ours, theirs) == TWO.replace(
        "- 2026-02-13: send the report", "- ✅ 2026-02-13: send the report #work"
    )


def test_the_older_text_of_an_entry_is_in_any_version_that_the_history_has(tmp_path: Path) -> None:
    first, second = TWO, TWO.replace("call Ann\n", "call Ann at nine\n")
    work = machine(tmp_path, "b", first, second, knows=True)
    won, lost = (second.replace(*one) for one in (("Ann at", "Ann and Tom at"), ("the plants", "all plants")))
    assert met(work, won, lost) == won.replace("the plants", "all plants")
    assert work.inbox.list() == ()


LINES = (
    "call Ann", "call Ann at nine", "call Tom", "send the report", "send the letter", "给安打电话",
    "给安打电话，九点",
)  # fmt: skip


@settings(max_examples=12)
@given(*[st.lists(st.sampled_from(LINES), unique=True, max_size=4) for _ in "ab"])
def test_nothing_is_lost_whatever_both_say(
    tmp_path_factory: pytest.TempPathFactory, one: list[str], other: list[str]
) -> None:
    work = machine(tmp_path_factory.mktemp("m"), "b", knows=False)
    sides = [HEAD + "".join(f"- 2026-02-13: {line}\n" for line in lines) for lines in (one, other)]
    merged = met(work, *sides) + "".join(item.change + item.text for item in work.inbox.list())
    assert [line for line in (*one, *other) if line not in merged] == []


def test_a_copy_that_says_something_else_waits_in_the_inbox(work: Workspace) -> None:
    name = leave(work, BASE.replace("call Ann", "call Ann at 9"))
    work.edit("MEMORY.md", "call Ann", "call Ann at 10")
    done = work.resolve(name)
    assert "1 entry say" in done.hint
    assert text(work) == BASE.replace("call Ann", "call Ann at 10")
    (item,) = work.inbox.list()
    work.inbox.accept([item.key])
    assert text(work) == BASE.replace("call Ann", "call Ann at 9")


def test_what_has_no_room_waits_in_the_inbox(work: Workspace) -> None:
    work.write("FASTMEMO.md", "# Memo\n\n## Self\n\n")
    for number in range(8):
        work.add("FASTMEMO.md", f"2026-02-0{number + 1}: known thing {'abcdefgh'[number] * 3}", section="me")
    phone = [f"- 2026-03-0{number + 1}: from the phone {'uvwx'[number] * 3}\n" for number in range(4)]
    name = leave(work, text(work, "FASTMEMO.md").rstrip("\n") + "\n" + "".join(phone), "FASTMEMO (conflicted copy).md")
    done = work.resolve(name)
    assert "2 entries of the copy had no room" in done.hint
    assert text(work, "FASTMEMO.md").count("\n- 2026") == 10
    assert [one.text for one in work.inbox.list()] == [line[2:-1] for line in phone[2:]]


def test_a_removed_entry_that_the_copy_changed_comes_back(work: Workspace) -> None:
    name = leave(work, BASE.replace("call Ann", "call Ann at 9"))
    work.remove("MEMORY.md", "call Ann")
    work.resolve(name)
    assert "call Ann at 9" in text(work)


def test_a_copy_with_nothing_new_only_goes(work: Workspace) -> None:
    work.add("MEMORY.md", FIRST, section="to-dos")
    name = leave(work, BASE)
    before = text(work)
    assert work.resolve(name).status == "done"
    assert text(work) == before
    assert not (Path(work.root) / name).exists()


def test_a_dry_run_changes_nothing(work: Workspace) -> None:
    name = leave(work, BASE + "- 2026-02-15: from the phone\n")
    done = work.resolve(name, dry_run=True)
    assert done.status == "planned"
    assert "+- 2026-02-15: from the phone" in done.diff
    assert text(work) == BASE
    assert (Path(work.root) / name).exists()


def test_what_cannot_be_resolved_is_refused_with_a_way_out(work: Workspace) -> None:
    with pytest.raises(UsageError, match="not that of a conflicted copy"):
        work.resolve("MEMORY.md")
    alone = leave(work, "# U\n", "USER (conflicted copy 2026).md")
    with pytest.raises(TargetError, match=r"USER\.md.* does not exist"):
        work.resolve(alone)
    with pytest.raises(TargetError):
        work.resolve(COPIES["Dropbox"])
    assert text(work) == BASE


def test_a_watcher_finds_the_copy(work: Workspace) -> None:
    name = leave(work, BASE)
    notices = WatchState(work.config).changed(Batch((name,), ()))
    assert "MM114" in [one.code for notice in notices for one in notice.diagnostics]


def test_a_name_that_is_no_copy() -> None:
    for name in ("MEMORY.md", "facts/Python 3.md", "notes (draft).md", "conflict.md", "2026-02-13.md"):
        assert original_of(name, is_memory=True, exists=lambda _: True) == ""


def test_the_command_line(work: Workspace, tmp_path: Path) -> None:
    name = leave(work, BASE + "- 2026-02-15: from the phone\n")
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "LANG": "C.UTF-8"}
    done = in_process.run_text("resolve", name, "--lang", "en", cwd=work.root, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"✓ merged {name} into MEMORY.md")
    assert "  + 2026-02-15: from the phone\n" in done.stdout
