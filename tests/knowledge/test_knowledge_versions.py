"""Saved versions of a piece: readable files, byte for byte, which nobody searches or packs (D061, D063)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import Make, Run, Text

from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.workspace import Workspace

PIECE = """---
name: tea
description: how tea is made for Ann
---
# Tea

## Steps

1. Boil the water
2. Wait three minutes

## What works

- A warm pot keeps the taste.
"""
SECOND = PIECE.replace("Wait three minutes", "Wait five minutes").replace("Boil the water", "Boil fresh water")


def replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.fixture
def work(make: Make) -> Workspace:
    """A piece with two versions; the second is current."""
    made = make("en", {"knowledge/tea.md": PIECE})
    made.knowledge.save("tea", "plain", note="as Ann showed it")
    file = Path(made.root) / "knowledge/tea.md"
    file.write_text(SECOND.replace("---\n#", "version: plain\n---\n#"), "utf-8")
    made.knowledge.save("tea", "strong")
    return made


def test_a_version_is_a_readable_file_with_the_piece_as_it_was_below_why(work: Workspace, text: Text) -> None:
    saved = text("knowledge/tea/versions/plain.md")
    head, _, body = saved.partition("\n---\n")
    assert "note: as Ann showed it" in head
    assert body == PIECE.replace("---\n#", "version: plain\n---\n#")
    assert [(one.name, one.note, one.current) for one in work.knowledge.versions("tea")] == [
        ("plain", "as Ann showed it", False),
        ("strong", "", True),
    ]
    shown = work.knowledge.diff("tea", "plain", "strong").splitlines()
    assert {"-2. Wait three minutes", "+2. Wait five minutes"} <= set(shown)


def test_nobody_finds_or_recalls_an_old_version(work: Workspace) -> None:
    assert {hit.path for hit in work.search("wait minutes")} == {"knowledge/tea.md"}
    assert "three" not in work.pack("minimal", query="how is tea made for Ann").text
    assert not [one for one in work.lint().diagnostics if "versions/" in one.path]


def test_a_version_keeps_its_text_for_ever(work: Workspace, text: Text) -> None:
    before = text("knowledge/tea/versions/plain.md")
    with pytest.raises(RefusedError, match="another text"):
        work.knowledge.save("tea", "plain")
    assert work.knowledge.save("tea", "strong").status == "unchanged"
    assert text("knowledge/tea/versions/plain.md") == before
    for bad in ("a/b", "..", "a b", "v@1", "x:y"):
        with pytest.raises(UsageError):
            work.knowledge.save("tea", bad)
    with pytest.raises(TargetError) as stopped:
        work.knowledge.back("tea", "storng")
    assert stopped.value.candidates == ("plain", "strong")
    with pytest.raises(RefusedError):
        work.knowledge.save("tea", "x", source="chat:no_such_session")


def test_going_back_keeps_what_was_added_since(work: Workspace, text: Text) -> None:
    file = Path(work.root) / "knowledge/tea.md"
    file.write_text(text("knowledge/tea.md") + "- Ann likes it without milk.\n", "utf-8")
    work.knowledge.back("tea", "plain")
    plain = PIECE.replace("---\n#", "version: plain\n---\n#")
    assert text("knowledge/tea.md") == plain + "- Ann likes it without milk.\n"
    work.history.undo()
    assert "five minutes" in text("knowledge/tea.md")


def test_where_it_collides_the_version_holds_and_the_text_from_before_is_a_version(work: Workspace, text: Text) -> None:
    file = Path(work.root) / "knowledge/tea.md"
    edited = replaced(text("knowledge/tea.md"), "Wait five minutes", "Wait six minutes")
    file.write_text(edited, "utf-8")
    told = work.knowledge.back("tea", "plain")
    assert "Wait three minutes" in text("knowledge/tea.md")
    assert "version 1" in told.hint
    assert work.knowledge.show("tea", "1") == edited


def test_without_a_name_it_goes_back_one_step(work: Workspace, text: Text) -> None:
    work.knowledge.back("tea")
    assert "three" in text("knowledge/tea.md")
    with pytest.raises(TargetError, match="the first version"):
        work.knowledge.back("tea")


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_back_and_forth_a_hundred_times_with_edits_between_loses_nothing(make: Make, verb: Run, ending: str) -> None:
    draw = random.Random(7)
    root = Path(make("en", {"knowledge/tea.md": PIECE.replace("\n", ending)}).root)
    file = root / "knowledge/tea.md"
    verb("knowledge", "save", "tea", "a")
    first = file.read_bytes()
    file.write_bytes(first.replace(b"three", b"five").replace(b"Boil the", b"Boil fresh"))
    verb("knowledge", "save", "tea", "b")
    second, added = file.read_bytes(), list[str]()
    for turn in range(100):
        if draw.random() < 0.4:
            added.append(f"- note {turn} of the {draw.randrange(1000)}th cup")
            file.write_bytes(file.read_bytes() + (added[-1] + ending).encode())
        verb("knowledge", "back", "tea", "ab"[turn % 2])
        wanted = (second if turn % 2 else first) + "".join(one + ending for one in added).encode()
        assert file.read_bytes() == wanted, turn
    assert {one.name for one in (root / "knowledge/tea/versions").iterdir()} == {"a.md", "b.md"}


def test_status_has_one_row_for_a_piece_and_counts_its_versions(work: Workspace, verb: Run) -> None:
    rows = {row.path: row for row in work.status() if row.path.startswith("knowledge/")}
    assert list(rows) == ["knowledge/tea.md"]
    assert rows["knowledge/tea.md"].versions == 2
    shown = verb("status").stdout
    assert "knowledge (2 versions)" in shown
    assert "beside them" not in shown
    Path(work.root, "knowledge/tea/versions/plain.md").unlink()
    lost = [(row.path, row.lost) for row in work.status() if row.lost]
    assert lost == [("knowledge/tea/versions/plain.md", "gone")], "one of which there is something to say is listed"


def test_a_text_that_began_with_the_wanted_version_is_it_again_and_is_kept_aside(make: Make) -> None:
    work = make()
    work.knowledge.add("release", "how we release", ["run the tests", "push"])
    work.knowledge.save("release")
    piece = Path(work.root) / "knowledge/release.md"
    saved = piece.read_bytes()
    piece.write_bytes(saved.replace(b"2. push", b"2. push the tag\n3. tell the team"))
    edited = piece.read_bytes()
    done = work.knowledge.back("release", "1")
    assert piece.read_bytes() == saved
    assert "version 1 again" in done.message or "又是版本 1" in done.message
    work.knowledge.back("release", "2")
    assert b"tell the team" in piece.read_bytes()
    assert edited.count(b"tell the team") == 1
