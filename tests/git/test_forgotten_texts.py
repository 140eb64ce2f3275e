"""Forgetting over a remote (law 12): the tombstone travels, and no clone brings the text back."""

from __future__ import annotations

from pathlib import Path

import pytest

from git.machines import Machines, files_of, git

pytestmark = pytest.mark.slow
TEXT = "the falcon lives in Leiden"


@pytest.fixture
def three(tmp_path: Path) -> Machines:
    """Three machines that know a text in an entry."""
    made = Machines(tmp_path, "abc")
    made.work("a").add("MEMORY.md", f"2026-02-02: {TEXT}", section="Notes")
    for name in "abc":
        made.work(name).sync()
    return made


def holds(made: Machines, name: str, text: str = TEXT) -> list[str]:
    """Return the files of a machine that hold a text."""
    return [path for path, data in files_of(made.root(name)).items() if text in data.decode()]


@pytest.mark.thorough
def test_a_clone_that_comes_back_later_brings_nothing_in(three: Machines) -> None:
    late = three.work("c")
    late.add("USER.md", f"2026-02-03: {TEXT}, as they said")
    late.edit("MEMORY.md", TEXT, f"{TEXT} now")
    session = late.sessions.start("talk")
    session.turn("user", f"I think that {TEXT}, by the river.")
    three.work("a").forget(TEXT)
    assert not holds(three, "a")
    three.work("a").sync()
    three.work("b").sync()
    assert not holds(three, "b")
    three.work("c").sync()
    three.work("a").sync()
    three.work("b").sync()
    for name in "abc":
        assert not holds(three, name), name
        assert "by the river" in "".join(map(bytes.decode, files_of(three.root(name)).values()))
    assert files_of(three.root("a")) == files_of(three.root("b")) == files_of(three.root("c"))


@pytest.mark.thorough
def test_what_a_person_writes_again_on_purpose_stays(three: Machines) -> None:
    three.work("a").forget(TEXT)
    three.work("a").sync()
    three.work("b").sync()
    assert three.work("b").add("MEMORY.md", f"2026-02-05: {TEXT}", section="Notes").status == "done"
    three.work("b").sync()
    three.work("a").sync()
    assert holds(three, "a") == ["MEMORY.md"]


def test_it_tells_what_git_still_holds_and_how_that_is_purged(three: Machines) -> None:
    done = three.work("a").forget(TEXT)
    assert "2 versions" not in done.hint
    assert "1 version of MEMORY.md" in done.hint
    assert "git filter-repo --force --replace-text" in done.hint
    assert TEXT in git(three.root("a"), "log", "-p"), "nobody ran it"


def test_a_clone_with_the_older_history_does_not_push_it_back(three: Machines) -> None:
    """After the remote's history was purged, the other clones are told to begin with it."""
    three.work("a").forget(TEXT)
    three.work("a").sync()
    tree = git(three.root("a"), "rev-parse", "HEAD^{tree}").strip()
    purged = git(three.root("a"), "commit-tree", "-m", "Purged", tree).strip()
    git(three.root("a"), "push", "-qf", "origin", f"{purged}:main")
    with pytest.raises(Exception, match="rewritten"):
        three.work("b").sync()
    assert git(three.remote, "rev-parse", "main").strip() == purged
