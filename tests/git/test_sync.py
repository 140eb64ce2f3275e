"""One sync: what is committed and by whom, what is taken in, what collides, and what is never carried."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from git.machines import MEMORY, Machines, files_of, git
from mdmem.errors import GitError, RefusedError
from mdmem.store.git import program
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow
SECRET = "- 2026-02-02: the router password is Kz8-river-77\n"


@pytest.fixture
def two(tmp_path: Path) -> Machines:
    """Two machines with one memory."""
    return Machines(tmp_path)


def note(two: Machines, name: str, text: str, actor: str = "user") -> None:
    """Let somebody write a note on a machine."""
    assert two.work(name).add("MEMORY.md", text, section="Notes", actor=actor).status == "done"


def both(two: Machines) -> dict[str, bytes]:
    """Sync both machines until they are the same, and return the files."""
    for name in "aba":
        two.work(name).sync()
    assert files_of(two.root("a")) == files_of(two.root("b"))
    return files_of(two.root("a"))


def call_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("mdmem.git.authors.platform.node", lambda: name)


def test_plain_git_tells_who_changed_what_on_which_machine(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    call_machine(monkeypatch, "ann's laptop")
    note(two, "a", "2026-02-02: the heron waits", actor="claude")
    assert two.work("a").sync().sent == ("MEMORY.md",)
    shown = git(two.remote, "log", "-1", "--format=%an%n%B", "main").splitlines()
    (done,) = [one for one in two.work("a").history.log() if one.actor == "claude"]
    assert shown[:2] == ["claude", "Update MEMORY.md (1 file)"]
    assert {f"Mdmem-Transaction: {done.id}", "Mdmem-Actor: claude", "Mdmem-Machine: ann-s-laptop"} <= set(shown)


def test_the_log_names_machine_and_agent_of_what_came_in(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    call_machine(monkeypatch, "laptop")
    note(two, "a", "2026-02-02: the heron waits", actor="claude")
    two.work("a").sync()
    assert two.work("b").sync().taken == ("MEMORY.md",)
    newest = two.work("b").history.log()[0]
    assert (newest.actor, newest.reason) == ("claude@laptop", "taken in from claude@laptop")
    two.work("b").history.undo()
    assert "heron" not in (two.root("b") / "MEMORY.md").read_text("utf-8")


def test_a_trailer_that_somebody_forged_is_no_name(two: Machines) -> None:
    (two.root("a") / "MEMORY.md").write_text(MEMORY + "- 2026-02-02: new\n", "utf-8")
    git(two.root("a"), "commit", "-qam", "x\n\nMdmem-Actor: a b[c]\nMdmem-Machine: \x1b[31m../x")
    git(two.root("a"), "push", "-q")
    two.work("b").sync()
    assert two.work("b").history.log()[0].actor == "a-b-c@31m..-x"


def test_a_collision_waits_in_the_inbox_and_blocks_nothing(two: Machines) -> None:
    two.work("a").edit("MEMORY.md", "nests", "sleeps")
    two.work("b").edit("MEMORY.md", "nests", "hunts")
    note(two, "b", "2026-02-03: the river is high")
    assert two.work("a").sync().status == "same"
    found = two.work("b").sync()
    assert (found.status, found.waiting) == ("conflicts", 1)
    files = both(two)
    assert b"sleeps" in files["MEMORY.md"]
    assert b"river is high" in files["MEMORY.md"]
    assert b"<<<" not in b"".join(files.values())
    (item,) = two.work("a").inbox.list()
    assert item.change.splitlines() == [
        "-- 2026-02-01: the owl sleeps in the barn",
        "+- 2026-02-01: the owl hunts in the barn",
    ]
    two.work("a").inbox.accept([item.key])
    files = both(two)
    assert b"hunts" in files["MEMORY.md"]
    assert two.work("b").sync().status == "same"


@pytest.mark.parametrize("remover", "ab")
def test_an_entry_that_one_removed_and_the_other_changed_waits_too(two: Machines, remover: str) -> None:
    editor = "b" if remover == "a" else "a"
    two.work(remover).remove("MEMORY.md", "owl")
    two.work(editor).edit("MEMORY.md", "nests", "hunts")
    both(two)
    (item,) = two.work("a").inbox.list()
    two.work("a").inbox.accept([item.key])
    first = "" if remover == "b" else "hunts"
    assert first in (two.root("a") / "MEMORY.md").read_text("utf-8")


def test_findings_stop_the_push_and_not_the_commit(two: Machines) -> None:
    (two.root("a") / "MEMORY.md").write_text(MEMORY + SECRET, "utf-8")
    found = two.work("a").sync()
    assert (found.status, [one.code for one in found.findings]) == ("stopped", ["MM502"])
    assert "river-77" in git(two.root("a"), "show", "HEAD:MEMORY.md")
    assert "river-77" not in git(two.remote, "show", "main:MEMORY.md")
    state = two.work("a").sync_state()
    assert state
    assert (state.ahead, "stops the push" in state.trouble) == (1, True)
    git(two.root("a"), "reset", "-q", "--soft", "@{upstream}")
    (two.root("a") / "MEMORY.md").write_text(MEMORY, "utf-8")
    assert two.work("a").sync().status == "same"


def test_a_secret_that_somebody_pushed_is_not_taken_in(two: Machines) -> None:
    (two.root("a") / "MEMORY.md").write_text(MEMORY + SECRET, "utf-8")
    git(two.root("a"), "commit", "-qam", "Oh")
    git(two.root("a"), "push", "-q")
    before = files_of(two.root("b"))
    with pytest.raises(RefusedError, match="MM502") as caught:
        two.work("b").sync()
    assert (caught.value.path, files_of(two.root("b"))) == ("MEMORY.md", before)


@pytest.mark.parametrize("path", [".mdmem/history/log", ".MDMEM/sync.json", "notes/.mdmem/history/log"])
def test_the_state_of_mdmem_is_not_taken_from_a_remote(two: Machines, path: str) -> None:
    file = two.root("a") / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("forged\n", "utf-8")
    git(two.root("a"), "add", "-f", str(file))
    git(two.root("a"), "commit", "-qm", "Forged")
    git(two.root("a"), "push", "-q")
    with pytest.raises(RefusedError, match="not taken from a remote"):
        two.work("b").sync()
    assert not (two.root("b") / path).exists()


def test_a_link_is_neither_committed_nor_taken_in(two: Machines) -> None:
    (two.root("a") / "secret.md").symlink_to("/etc/hostname")
    assert two.work("a").sync().status == "same"
    assert "secret.md" not in git(two.root("a"), "ls-tree", "--name-only", "HEAD")
    git(two.root("a"), "add", "secret.md")
    git(two.root("a"), "commit", "-qm", "Link")
    git(two.root("a"), "push", "-q")
    with pytest.raises(GitError, match="as a link"):
        two.work("b").sync()


def test_a_project_goes_its_own_way(tmp_path: Path) -> None:
    """In a repository that holds more than a memory, sync carries the memory's files, and those alone."""
    two = Machines(tmp_path, below="my notes 记忆")
    code, other = two.folder / "a" / "code.py", two.folder / "b" / "code.py"
    code.write_text("half = 1\n", "utf-8")
    git(two.folder / "a", "add", "code.py")  # staged for a commit of the user's
    note(two, "a", "2026-02-02: the heron waits")
    (two.root("a") / "data.csv").write_text("1\n", "utf-8")
    assert two.work("a").sync().status == "same"
    assert git(two.folder / "a", "status", "-s").splitlines() == [
        "A  code.py",
        '?? "my notes \\350\\256\\260\\345\\277\\206/data.csv"',
    ]
    two.work("b").sync()
    assert "heron" in (two.root("b") / "MEMORY.md").read_text("utf-8")
    assert not other.exists()
    git(two.folder / "a", "commit", "-qm", "Code")
    note(two, "a", "2026-02-03: the river is high")
    found = two.work("a").sync()
    assert (found.status, "code.py" in found.message) == ("stopped", True)
    git(two.folder / "a", "push", "-q")
    with pytest.raises(GitError, match=r"code\.py"):
        two.work("b").sync()
    git(two.folder / "b", "pull", "-q", "--ff-only")
    assert two.work("b").sync().status == "same"


def test_files_that_are_no_text_go_along(two: Machines) -> None:
    photo = bytes(range(256)) * 50
    (two.root("a") / "photo.jpg").write_bytes(photo)
    two.work("a").attach(str(two.root("a") / "photo.jpg"), description="the owl on the roof")
    os.unlink(two.root("a") / "photo.jpg")
    files = both(two)
    assert photo in files.values()


@pytest.mark.thorough
def test_no_push_and_dry_run(two: Machines) -> None:
    note(two, "a", "2026-02-02: the heron waits")
    planned = two.work("a").sync(dry_run=True)
    assert (planned.status, planned.sent, git(two.root("a"), "status", "-s")) == (
        "planned",
        ("MEMORY.md",),
        " M MEMORY.md\n",
    )
    kept = two.work("a").sync(push=False)
    assert (kept.status, "heron" in git(two.remote, "show", "main:MEMORY.md")) == ("kept", False)
    note(two, "b", "2026-02-03: the river is high")
    two.work("b").sync()
    planned = two.work("a").sync(dry_run=True)
    assert (planned.sent, planned.taken) == ((), ("MEMORY.md",))
    assert two.work("a").sync().status == "same"


@pytest.mark.thorough
def test_both_sides_fill_a_section_and_what_finds_no_room_waits(two: Machines) -> None:
    for name in "ab":
        for number in range(20):
            two.work(name).add("FASTMEMO.md", f"{name} learnt thing {number}", section="Self")
    files = both(two)
    text = b"".join(files[name] for name in ("FASTMEMO.md", "inbox.md")).decode()
    for name in "ab":
        for number in range(20):
            assert text.count(f"{name} learnt thing {number}\n") + text.count(f"{name} learnt thing {number} [") == 1
    assert not [one for one in two.work("a").lint(["FASTMEMO.md"]).diagnostics if one.severity == "error"]


@pytest.mark.thorough
def test_the_files_of_a_user_collide_in_the_users_inbox(two: Machines) -> None:
    for name in "ab":
        (two.root(name) / "users" / "ann").mkdir(parents=True)
    ann = two.work("a").of("ann")
    ann.add("MEMORY.md", "2026-02-02: Ann likes tea")
    both(two)
    for name, word in (("a", "coffee"), ("b", "milk")):
        two.work(name).of("ann").edit("users/ann/MEMORY.md", "tea", word)
    both(two)
    assert len(two.work("b").of("ann").inbox.list()) == 1
    assert not (two.root("b") / "inbox.md").exists()


def test_the_first_sync_fills_an_empty_remote(two: Machines) -> None:
    git(two.remote, "update-ref", "-d", "refs/heads/main")
    git(two.folder, "init", "-q", "--bare", "new.git")
    git(two.root("a"), "remote", "set-url", "origin", str(two.folder / "new.git"))
    git(two.root("a"), "update-ref", "-d", "refs/remotes/origin/main")
    assert two.work("a").sync().status == "same"
    assert "owl" in git(two.folder / "new.git", "show", "main:MEMORY.md")


def test_git_is_called_no_more_often_for_many_files(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    program.version()  # git is asked for it once
    started = Mock(side_effect=program._start)
    monkeypatch.setattr(program, "_start", started)
    numbers = []
    for count in (3, 40):
        for number in range(count):
            (two.root("a") / f"{count}-{number}.md").write_text(f"# File {number} of {count}\n", "utf-8")
        for name in "ab":
            started.reset_mock()
            assert two.work(name).sync().status == "same"
            numbers.append((name, started.call_count))
        assert (two.root("b") / f"{count}-{count - 1}.md").exists()
    assert numbers[:2] == numbers[2:]


def test_a_program_reads_json(two: Machines, capsys: pytest.CaptureFixture[str]) -> None:
    from mdmem.cli import app

    assert app.main(["sync", "--json", "--root", two.work("a").root]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "same"
    assert app.main(["status", "--json", "--root", str(two.root("a"))]) == 0
    assert json.loads(capsys.readouterr().out)["sync"]["ahead"] == 0


def test_a_memory_that_was_never_synced_says_nothing(tmp_path: Path) -> None:
    assert Workspace(tmp_path).sync_state() is None


def test_a_change_of_the_same_size_in_the_second_of_a_sync_is_sent_by_a_later_one(two: Machines) -> None:
    """Git compares whole seconds, and looks into a file that is as young as its index: a copy must stay as old."""
    note, second = two.root("a") / "note.md", (1_790_000_000, 1_790_000_000)
    git(two.root("a"), "config", "core.trustctime", "false")
    note.write_text("# Note\n\n- the boat is red\n", "utf-8")
    os.utime(note, second)
    two.work("a").sync()
    for kept in (two.root("a") / ".git").glob("*index*"):
        os.utime(kept, second)
    note.write_text("# Note\n\n- the boat is tan\n", "utf-8")
    os.utime(note, second)
    assert two.work("a").sync().sent == ("note.md",)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such mark")
def test_the_mark_that_makes_a_script_executable_goes_along(two: Machines) -> None:
    script = "knowledge/nets/mend/scripts/check.sh"
    for name in "ab":
        (two.root(name) / "mdmem.toml").write_text('lang = "en"\n[sync]\nwhole_folder = true\n', "utf-8")
        two.work(name).trust()
    two.work("a").sync()
    one, other = two.root("a") / script, two.root("b") / script
    one.parent.mkdir(parents=True)
    one.write_text("#!/bin/sh\necho a\necho b\necho c\n", "utf-8")
    one.chmod(0o755)
    for name in "aba":
        two.work(name).sync()
    assert other.stat().st_mode & 0o100
    assert "100755" in git(two.folder / "remote.git", "ls-tree", "main", script)
    one.write_text("#!/bin/sh\necho A\necho b\necho c\n", "utf-8")
    other.write_text("#!/bin/sh\necho a\necho b\necho C\n", "utf-8")
    for name in "aba":
        two.work(name).sync()
    assert one.read_text("utf-8") == other.read_text("utf-8") == "#!/bin/sh\necho A\necho b\necho C\n"
    assert "100755" in git(two.folder / "remote.git", "ls-tree", "main", script), "a file that both changed keeps it"
    assert other.stat().st_mode & 0o100
    one.chmod(0o644)
    for name in "ab":
        two.work(name).sync()
    assert not other.stat().st_mode & 0o100
