"""A generated line whose fact no longer holds is written anew by the change that ended the fact."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.model import Outcome
from mdmem.errors import UnreadableFileError, WriteError
from mdmem.portrait import service
from mdmem.portrait.model import PortraitTarget
from mdmem.workspace import Workspace

SHOWN = ("MEMORY.md", "USER.md")
ENDS: dict[str, Callable[[Workspace], object]] = {
    "fact set": lambda work: work.facts.set("user", "editor", "Helix"),
    "rm": lambda work: work.remove("facts/user.md", "Vim"),
    "edit": lambda work: work.edit("facts/user.md", "Vim", "Helix"),
    "tool": lambda work: work.call("memory_remove", {"path": "facts/user.md", "entries": ["Vim"]}),
    "write": lambda work: work.write("facts/user.md", "# user\n\n## Now\n\n## Before\n", confirm=True),
}


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    work = Workspace(tmp_path, lang="en")
    work.init()
    work.facts.set("user", "editor", "Vim")
    work.portrait.refresh()
    assert all("Vim" in (tmp_path / name).read_text("utf-8") for name in SHOWN)
    return work


def shown(work: Workspace) -> str:
    return "".join((Path(work.root) / name).read_text("utf-8") for name in SHOWN)


@pytest.mark.thorough
@pytest.mark.parametrize("way", ENDS)
def test_what_no_longer_holds_is_shown_no_more(work: Workspace, way: str) -> None:
    ENDS[way](work)
    assert "Vim" not in shown(work)
    assert "Vim" not in work.pack().text
    if way in ("fact set", "edit"):
        assert "Helix" in shown(work)


def test_undo_takes_back_the_change_and_what_showed_it(work: Workspace) -> None:
    work.facts.set("user", "editor", "Helix")
    assert "Helix" in shown(work)
    assert work.history.undo().path == "facts/user.md"
    assert [fact.text for fact in work.facts("user")] == ["Vim"]
    assert "Vim" in shown(work)
    assert "Helix" not in shown(work)


def test_an_accepted_update_is_shown(work: Workspace) -> None:
    facts = Path(work.root) / "facts/user.md"
    facts.write_text(facts.read_text("utf-8").replace("Vim [", "Vim, always [").replace(" ^", " by hand ^"), "utf-8")
    work.portrait.refresh()
    work.facts.set("user", "editor", "Helix", actor="claude")
    work.inbox.accept([one.key for one in work.inbox.list()])
    assert "Helix" in "".join(fact.text for fact in work.facts("user"))
    assert "Vim" not in shown(work)


def test_a_line_that_a_person_wrote_stays(work: Workspace) -> None:
    user = Path(work.root) / "USER.md"
    user.write_text(user.read_text("utf-8") + "- Vim is what she taught me\n", "utf-8")
    work.remove("facts/user.md", "Vim")
    assert user.read_text("utf-8").count("Vim") == 1


def test_nothing_is_written_where_nothing_that_is_shown_has_ended(work: Workspace) -> None:
    before = shown(work)
    work.facts.set("user", "shell", "fish")
    work.add("facts/user.md", "plays the cello")
    assert shown(work) == before


def test_a_file_that_is_not_there_is_not_called_unchanged(work: Workspace) -> None:
    (told,) = work.portrait.refresh("persona")
    assert told.message == "there is nothing for personas/user_custom.md yet"


def test_what_hinders_the_renewal_hides_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Workspace(tmp_path, lang="en")
    work.init()

    def refused(*_: object) -> None:
        raise UnreadableFileError("could not be read: {reason}", path="MEMORY.md", facts={"reason": "no"})

    monkeypatch.setattr("mdmem.portrait.service.renew", refused)
    done = work.facts.set("user", "city", "Porto")
    assert done.status == "done"
    assert "could not be updated: could not be read: no" in done.hint
    assert "Porto" in (tmp_path / "facts" / "user.md").read_text("utf-8")


def test_an_error_says_that_what_was_written_before_it_stays(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of three is made anew, the next one is refused: «nothing was changed» is so of that file alone."""
    work.facts.set("user", "city", "Porto")
    refreshed = service._refresh

    def refused(config: WorkspaceConfig, target: PortraitTarget, *, dry_run: bool) -> Outcome:
        if target == "user":
            raise WriteError("could not be written: {reason}", hint="nothing was changed", facts={"reason": "no"})
        return refreshed(config, target, dry_run=dry_run)

    monkeypatch.setattr(service, "_refresh", refused)
    with pytest.raises(WriteError) as told:
        work.portrait.refresh()
    assert told.value.hint == "what was written before this stays, and `mdmem log` shows it"
    with pytest.raises(WriteError) as told:
        work.portrait.refresh("user")
    assert told.value.hint == "nothing was changed"
