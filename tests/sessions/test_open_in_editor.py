"""A session that is open in an editor while turns are added: a save takes no turn away, a deletion stays one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Make

from mdmem.formats.session import lost_turns
from mdmem.sessions.open_session import OpenSession
from mdmem.store.append import AppendIntent, write_note
from mdmem.store.root import Root
from mdmem.workspace import Workspace

Save = Callable[[Path, bytes], None]


def by_rename(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(data)
    beside.replace(path)


def in_place(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(data)


BOTH = pytest.mark.parametrize("save", [by_rename, in_place])


def begun(work: Workspace, turns: int) -> tuple[OpenSession, Path]:
    session = work.sessions.start("keep what was said")
    for number in range(1, turns + 1):
        session.turn("user" if number % 2 else "assistant", f"said {number}")
    return session, Path(work.root) / session.path


def said(work: Workspace, session: OpenSession) -> list[str]:
    return [turn.text.strip() for turn in work.sessions.show(session.id).turns]


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en")


@BOTH
def test_what_was_added_meanwhile_comes_back(work: Workspace, save: Save) -> None:
    """The editor loaded three turns, four were added, it saved its text with a correction: all seven are kept."""
    session, path = begun(work, 3)
    loaded = path.read_bytes()
    session.turn("assistant", "four\n\n## not a heading\n")
    session.turn(
        "assistant", "five", tool_calls=[{"name": "shell", "input": "ls", "id": "1"}],
        tool_results=[{"tool_use_id": "1", "content": "a\nb"}],
    )  # fmt: skip
    before = path.read_bytes()
    save(path, loaded.replace(b"said 2", b"said two"))
    done = session.turn("user", "eight")
    assert "3 turns" in done.hint
    shell = "shell `ls` (ok)\na\nb"
    assert said(work, session) == ["said 1", "said two", "said 3", "four\n\n## not a heading", "five", shell, "eight"]
    assert path.read_bytes().startswith(before.replace(b"said 2", b"said two"))
    newest = work.history.log()[0]
    assert newest.actor == "mdmem"
    assert newest.id in done.hint
    assert "+five" in work.history.diff(newest.id)
    assert session.turn("assistant", "nine").hint == ""
    assert [one for one in work.history.doctor() if one.state == "bad"] == []


@BOTH
def test_again_and_again(make: Make, save: Save) -> None:
    """An editor that never loads again takes nothing away, however often it saves; another process adds the turns."""
    work = make("zh")
    session, path = begun(work, 2)
    loaded = path.read_bytes()
    for number in range(3, 7):
        Workspace(work.root).sessions.resume(session.id).turn("assistant", f"said {number}")
        save(path, loaded)
    session.end("done")
    assert said(work, session) == [f"said {number}" for number in range(1, 7)]


def test_the_end_brings_back_too(work: Workspace) -> None:
    session, path = begun(work, 2)
    loaded = path.read_bytes()
    session.turn("user", "said 3")
    by_rename(path, loaded)
    assert "1 turn " in session.end("over").hint
    found = work.sessions.show(session.id)
    assert ([turn.text.strip() for turn in found.turns], found.ended != "") == (["said 1", "said 2", "said 3"], True)


@BOTH
@pytest.mark.parametrize("first", ["change", "save"])
def test_a_change_by_mdmem_before_or_after_the_save(work: Workspace, save: Save, first: str) -> None:
    """Also what was added before mdmem itself changed the head of the file comes back."""
    session, path = begun(work, 1)
    loaded = path.read_bytes()
    session.turn("assistant", "said 2")
    if first == "save":
        save(path, loaded)
    work.edit(session.path, "extracted_through: 0", "extracted_through: 1")
    if first == "change":
        save(path, loaded)
    else:
        assert said(work, session) == ["said 1", "said 2"]
        assert "extracted_through: 1" in path.read_text()
    session.turn("user", "said 3")
    assert said(work, session) == ["said 1", "said 2", "said 3"]


def test_a_crash_while_turns_are_brought_back(work: Workspace) -> None:
    """Half of what was being added again is set aside, and all of it comes back."""
    session, path = begun(work, 2)
    loaded = path.read_bytes()
    session.turn("user", "said 3")
    session.turn("assistant", "said 4")
    added = path.read_bytes()[len(loaded) :]
    path.write_bytes(loaded + added[: len(added) // 2])
    found = path.stat()
    head = added.lstrip(b"\n").partition(b"\n")[0].decode()
    with Root(work.root) as root:
        key = (found.st_dev, found.st_ino)
        write_note(root, AppendIntent(session.path, len(loaded), len(added), head, key))
    done = session.turn("user", "said 5")
    assert "2 turns" in done.hint
    assert said(work, session) == [f"said {number}" for number in range(1, 6)]


def take_by_edit(work: Workspace, session: OpenSession) -> None:
    work.edit(session.path, "the newest secret plan", "")


def take_by_forget(work: Workspace, session: OpenSession) -> None:
    del session
    work.forget("the newest secret plan")


def take_by_undo(work: Workspace, session: OpenSession) -> None:
    path = Path(work.root) / session.path
    text = path.read_bytes()
    by_rename(path, text[: text.rfind(b"\n### ")])
    session.turn("user", "next")
    assert "the newest secret plan" in path.read_text()
    work.history.undo()


@pytest.mark.parametrize("take", [take_by_edit, take_by_forget, take_by_undo])
def test_what_mdmem_took_out_stays_away(
    work: Workspace, take: Callable[[Workspace, OpenSession], None], traces: Callable[[str], list[str]]
) -> None:
    """What was removed on purpose does not come back, even if an editor saves afterwards."""
    session, path = begun(work, 2)
    session.turn("assistant", "the newest secret plan")
    take(work, session)
    assert "secret plan" not in path.read_text()
    session.turn("user", "further")
    loaded = path.read_bytes()
    session.turn("assistant", "on")
    by_rename(path, loaded)
    session.turn("user", "and on")
    assert "secret plan" not in path.read_text()
    assert said(work, session)[-3:] == ["further", "on", "and on"]
    if take is take_by_forget:
        assert [place for place in traces("the newest secret plan") if "tombstones" not in place.lower()] == []


def test_forgetting_reaches_what_a_save_took_out(work: Workspace, traces: Callable[[str], list[str]]) -> None:
    """A text that only mdmem's own copy still holds is forgotten there too, and does not come back."""
    session, path = begun(work, 2)
    loaded = path.read_bytes()
    session.turn("assistant", "the newest secret plan")
    by_rename(path, loaded)
    work.forget("the newest secret plan")
    session.turn("user", "further")
    assert said(work, session) == ["said 1", "said 2", "further"]
    assert [place for place in traces("the newest secret plan") if "tombstones" not in place.lower()] == []


@BOTH
def test_a_turn_deleted_by_hand_stays_away(work: Workspace, save: Save) -> None:
    """A writer that keeps a newer turn has seen the older one, so removing or changing it is intended."""
    session, path = begun(work, 5)
    text = path.read_text()
    second = text[text.index("\n### 1 assistant") : text.index("\n### 2 user")]
    save(path, text.replace(second, "").replace("said 5", "said five, changed by hand").encode())
    assert session.turn("assistant", "said 6").hint == ""
    assert said(work, session) == ["said 1", "said 3", "said 4", "said five, changed by hand", "said 6"]


def test_the_newest_turn_deleted_by_hand_comes_back_and_undo_takes_it_out(work: Workspace) -> None:
    """It cannot be distinguished from a turn that was added while the editor was open; the reply says what to do."""
    session, path = begun(work, 3)
    text = path.read_bytes()
    by_rename(path, text[: text.rfind(b"\n### ")])
    done = session.turn("assistant", "said 4")
    assert "`mdmem undo" in done.hint
    assert said(work, session) == ["said 1", "said 2", "said 3", "said 4"]
    work.history.undo()
    assert said(work, session) == ["said 1", "said 2", "said 4"]
    session.turn("user", "said 5")
    assert said(work, session) == ["said 1", "said 2", "said 4", "said 5"]


@pytest.mark.parametrize("change", [
    lambda text: text.replace(b"\n", b"\r\n"), lambda text: text.rstrip() + b"\n\n\n", lambda text: text.rstrip(),
    lambda text: b"\xef\xbb\xbf" + text, lambda text: text.replace(b"said", b"SAID"), lambda text: text + b"more\n",
])  # fmt: skip
def test_other_edits_bring_nothing_back(work: Workspace, change: Callable[[bytes], bytes]) -> None:
    """Line ends, blank lines, corrections in every turn: nothing is missing, so nothing is added."""
    session, path = begun(work, 4)
    by_rename(path, change(path.read_bytes()))
    assert session.turn("user", "next").hint == ""
    assert len(said(work, session)) == 5


def test_an_append_reads_the_copy_only_after_somebody_else_has_written(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn costs the same however long the session is, and the copy is compared once after a save."""
    session = work.sessions.start("long")
    path = Path(work.root) / session.path
    with path.open("a") as file:
        file.write("".join(f"\n### {number} user 10:00\n\n{'x' * 400}\n" for number in range(1, 3000)))
    session.turn("user", "first")
    sizes = list[int]()
    pread, read = os.pread, os.read

    def counted(call: Callable[..., bytes], *given: int) -> bytes:
        found = call(*given)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(os, "pread", lambda *given: counted(pread, *given))
    monkeypatch.setattr(os, "read", lambda *given: counted(read, *given))
    session.turn("user", "second")
    assert sum(sizes) < 40_000
    by_rename(path, path.read_bytes())
    session.turn("user", "third")
    assert sum(sizes) > 1_000_000
    sizes.clear()
    session.turn("user", "fourth")
    assert sum(sizes) < 40_000


def turn(number: int, text: str, who: str = "user") -> str:
    return f"\n### {number} {who} 10:00\n\n{text}\n"


A, B, C, D = turn(1, "a"), turn(1, "b", "tool"), turn(1, "b", "tool"), turn(2, "d")


@pytest.mark.parametrize(
    ("known", "now", "lost"),
    [
        (A + B + C + D, A + B + C + D, ""),
        (A + B + C + D, A + B, C + D),
        (A + B + C, A + B, C),  # twice the same
        (A + B + C + D, "", A + B + C + D),
        (B + D, A + B, D),  # the copy began later than the file
        (A + B + D, A + D, ""),
        (A + D, A + D + turn(3, "by hand"), ""),
        ("", A, ""),
        (A + D, A + turn(2, "changed"), ""),
    ],
)
def test_what_is_lost(known: str, now: str, lost: str) -> None:
    assert lost_turns(known, f"# Session\n\n## Turns\n{now}") == (lost, lost.count("###"))
