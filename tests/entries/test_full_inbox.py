"""An inbox at the bound of a file is moved aside whole; what waits in both files is listed, accepted and drained."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make, Run

from mdmem.workspace import Workspace

SETTINGS = "[lint]\nmax_bytes = 4000\n"
TEA = "2026-02-01: Ann drinks tea at four"
SOUL = "# Soul\n\n## Ways\n\n- I answer in short sentences\n"


def full(*lines: str) -> str:
    text = "# Inbox\n\n## No room yet\n\n## Waiting for your word\n\n" + "".join(f"- [ ] {line}\n" for line in lines)
    number = 0
    while len(text.encode()) < 3_850:
        text, number = text + f"- [ ] the barge {number} is tarred [to:: MEMORY.md#Notes] [by:: claude]\n", number + 1
    return text


@pytest.fixture
def work(make: Make) -> Workspace:
    files = {
        "MEMORY.md": "# Memory\n\n## Notes\n\n- the mill is old\n", "SOUL.md": SOUL,
        "inbox.md": full(f"{TEA} [to:: MEMORY.md#Notes] [by:: claude]"),
    }  # fmt: skip
    return make("en", files, settings=SETTINGS)


def proposed(work: Workspace, number: int = 1) -> None:
    work.edit("SOUL.md", "short sentences", f"short sentences, at most {number} words long", actor="claude")


def stored(work: Workspace) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(Path(work.root).glob("inbox*.md"))}


def test_a_proposal_goes_to_an_empty_inbox(work: Workspace) -> None:
    before, count = stored(work)["inbox.md"], len(work.inbox.list())
    proposed(work)
    assert stored(work)["inbox-2.md"] == before
    assert "at most 1 words" in stored(work)["inbox.md"]
    assert len(work.inbox.list()) == count + 1


def test_what_waits_in_both_is_accepted_and_rejected(work: Workspace) -> None:
    proposed(work)
    keys = {item.text: item.key for item in work.inbox.list()}
    (tea,) = (key for text, key in keys.items() if text.startswith(TEA))
    assert work.inbox.accept([tea])[0].status == "done"
    assert TEA in Path(work.root, "MEMORY.md").read_text("utf-8")
    assert TEA not in stored(work)["inbox-2.md"]
    (own,) = (item.key for item in work.inbox.list() if item.path == "SOUL.md")
    assert work.inbox.accept([own])[0].status == "done"
    assert "at most 1 words" in Path(work.root, "SOUL.md").read_text("utf-8")
    (barge, *_) = (item.key for item in work.inbox.list())
    work.inbox.reject([barge])
    assert barge not in {item.key for item in work.inbox.list()}


def test_the_same_is_not_asked_twice(work: Workspace) -> None:
    proposed(work)
    count = len(work.inbox.list())
    proposed(work)
    assert len(work.inbox.list()) == count


@pytest.mark.thorough
def test_several_full_files(work: Workspace) -> None:
    for number in range(1, 40):
        proposed(work, number)
    files = stored(work)
    assert len(files) > 2
    assert all(len(text.encode()) <= 4_000 for text in files.values())
    assert sum(item.path == "SOUL.md" for item in work.inbox.list()) == 39


def test_an_undo_brings_the_one_file_back(work: Workspace) -> None:
    before = stored(work)
    proposed(work)
    work.history.undo()
    assert stored(work) == before


def test_entries_without_room_return_from_both(make: Make) -> None:
    memory = "# Surface memory\n\n## User\n\n" + "".join(
        f"- 2026-02-{n:02}: the barge {n} is tarred\n" for n in range(1, 11)
    )
    waits = "# Inbox\n\n## No room yet\n\n- 2026-02-11: an old anchor lies in the reeds [to:: FASTMEMO.md#User]\n"
    work = make("en", {"FASTMEMO.md": memory, "inbox-2.md": waits}, settings=SETTINGS)
    work.add("FASTMEMO.md", ["2026-02-12: the new lock opens at dawn"], section="User")
    assert "new lock" in stored(work)["inbox.md"]
    for number in range(1, 6):
        work.remove("FASTMEMO.md", f"the barge {number} is")
    work.compact("FASTMEMO.md", backend="rules")
    text = Path(work.root, "FASTMEMO.md").read_text("utf-8")
    assert "old anchor" in text
    assert "new lock" in text
    assert not work.inbox.list()


def test_a_statement_in_doubt_waits_in_the_new_file(work: Workspace) -> None:
    work.facts.set("riverlog", "lives in", "lives in Turin", type="rule")
    done = work.facts.set("riverlog", "lives in", "lives in Oslo", actor="claude")
    assert done.status == "waiting"
    assert "Oslo" in stored(work)["inbox.md"]
    assert len(stored(work)) == 2


def over(work: Workspace) -> str:
    """Fill the inbox above the bound, as a person or another program may."""
    path = Path(work.root, "inbox.md")
    path.write_text(path.read_text("utf-8") + "- [ ] the buoy is painted [to:: MEMORY.md#Notes]\n" * 20, "utf-8")
    return path.read_text("utf-8")


@pytest.mark.thorough
def test_an_inbox_above_the_bound_blocks_no_proposal(work: Workspace) -> None:
    text = over(work)
    proposed(work)
    assert stored(work)["inbox.md"] == text
    assert "at most 1 words" in stored(work)["inbox-2.md"]
    (item,) = work.inbox.list()
    assert work.inbox.unread() == ("inbox.md",)
    assert work.inbox.accept([item.key])[0].status == "done"
    assert "at most 1 words" in Path(work.root, "SOUL.md").read_text("utf-8")
    for number in range(2, 40):
        proposed(work, number)
    assert stored(work)["inbox.md"] == text
    assert all(len(one.encode()) <= 4_000 for name, one in stored(work).items() if name != "inbox.md")
    assert len(work.inbox.list()) == 38


def test_the_other_ways_into_an_inbox_above_the_bound(work: Workspace) -> None:
    text = over(work)
    work.facts.set("riverlog", "lives in", "lives in Turin", type="rule")
    assert work.facts.set("riverlog", "lives in", "lives in Oslo", actor="claude").status == "waiting"
    assert work.inbox.ask_forget("the mill is old", actor="claude").status == "waiting"
    assert len(work.inbox.list()) == 2
    work.compact(backend="rules")
    assert stored(work)["inbox.md"] == text


def test_an_inbox_above_the_bound_is_told(work: Workspace, mdmem: Run) -> None:
    over(work)
    told = mdmem("inbox", "--root", work.root, "--lang", "en")
    assert "not listed: inbox.md" in told.stdout + told.stderr
