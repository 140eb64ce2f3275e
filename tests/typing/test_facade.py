"""The types of the facade: its namespaces, what `dir` and `repr` say, and wrong calls that are named at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_type

import pytest

import mdmem
from mdmem import (
    Artifacts,
    Attachments,
    History,
    Inbox,
    Index,
    Keeper,
    Outcome,
    Pin,
    Pins,
    Plan,
    Session,
    Sessions,
    TaskPlan,
    Transaction,
    Workspace,
)

NAMESPACES = {
    "artifacts": Artifacts, "attachments": Attachments, "history": History, "inbox": Inbox, "index": Index,
    "keeper": Keeper, "pins": Pins, "plan": Plan, "sessions": Sessions,
}  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path, lang="en", cache=False)
    made.init()
    return made


def test_the_namespaces_are_objects(workspace: Workspace) -> None:
    for name, kind in NAMESPACES.items():
        assert isinstance(getattr(workspace, name), kind)
        assert getattr(workspace, name) is getattr(workspace, name)
    assert_type(workspace.pins.list(), tuple[Pin, ...])
    assert_type(workspace.sessions.list(), tuple[Session, ...])
    assert_type(workspace.history.log(), tuple[Transaction, ...])
    assert_type(workspace.plan.show(), TaskPlan)
    if TYPE_CHECKING:
        assert_type(workspace.add("MEMORY.md", "one"), Outcome)
        workspace.history.undo(3)  # type: ignore[arg-type]
        workspace.history.log("MEMORY.md", 1)  # type: ignore[call-arg]
        workspace.pack(budget="100")  # type: ignore[arg-type]
        workspace.add("MEMORY.md", None)  # type: ignore[arg-type]


def test_one_text_is_one_text_and_never_its_letters(workspace: Workspace) -> None:
    workspace.add("MEMORY.md", "2026-02-13: the boat is green")
    assert "- 2026-02-13: the boat is green\n" in workspace.read("MEMORY.md").text
    workspace.plan.add("paint the boat")
    assert [step.text for step in workspace.plan.show().steps] == ["paint the boat"]
    assert workspace.remove("MEMORY.md", "the boat is green").status == "done"
    workspace.pins.add("constraint", "Calls", "Never call before noon", "file:MEMORY.md")
    assert workspace.pins.remove("Calls").status == "done"


@pytest.mark.parametrize(("call", "told"), [
    (lambda w: w.lint("MEMORY.md"), "Workspace.lint: `paths` takes a list of str, not one text"),
    (lambda w: w.lint(["a", 5]), "`paths[1]` takes str, not int"),
    (lambda w: w.pack(budget="100"), "Workspace.pack: `budget` takes int or None, not str"),
    (lambda w: w.pack(rounds="hello"), "`rounds` takes a list or None, not one text"),
    (lambda w: w.add("MEMORY.md", None), "`texts` takes str or a list of str, not NoneType"),
    (lambda w: w.add("MEMORY.md", ["one", 2]), "`texts[1]` takes str, not int"),
    (lambda w: w.add("MEMORY.md", "x", fields="a=b"), "`fields` takes a dict or None, not str"),
    (lambda w: w.add(None, "x"), "`path` takes str, not NoneType"),
    (lambda w: w.search("x", limit=True), "`limit` takes int or None, not bool"),
    (lambda w: w.search("x", kinds="memory"), "`kinds` takes a list of str, not one text"),
    (lambda w: w.search(["x"]), "`q` takes str, not list"),
    (lambda w: w.remember(5), "Workspace.remember: `text` takes str, not int"),
    (lambda w: w.facts.set("Ann", "lives_in", 5), "Facts.set: `text` takes str, not int"),
    (lambda w: w.facts(5), "Facts.__call__: `subject` takes str or None, not int"),
    (lambda w: w.history.undo(3), "History.undo: `name` takes str or None, not int"),
    (lambda w: w.sessions.start("x").turn("user", 5), "OpenSession.turn: `text` takes str, not int"),
    (lambda w: w.add("MEMORY.md"), "Workspace.add() missing 1 required positional argument: 'texts'"),
    (lambda w: w.search("x", n=3), "Workspace.search() got an unexpected keyword argument 'n'"),
    (lambda w: w.export_to(form=5), ""),
])  # fmt: skip
def test_a_wrong_type_is_named_in_one_sentence(workspace: Workspace, call: Any, told: str) -> None:
    before = {path: path.read_bytes() for path in Path(workspace.root).rglob("*.md")}
    if not told:
        with pytest.raises(mdmem.UsageError):
            call(workspace)
        return
    with pytest.raises(TypeError) as raised:
        call(workspace)
    assert told in str(raised.value)
    assert before.items() <= {path: path.read_bytes() for path in Path(workspace.root).rglob("*.md")}.items()


def test_dir_lists_the_public_names(workspace: Workspace) -> None:
    assert set(dir(mdmem)) == set(mdmem.__all__)
    names = [name for name in dir(workspace) if not name.startswith("__")]
    assert {"add", "search", "pins", "pack", "tools"} <= set(names)
    assert not [name for name in names if name.startswith("_")]


def test_repr_says_what_it_is(workspace: Workspace) -> None:
    assert repr(workspace) == f"Workspace({workspace.root!r})"
    assert repr(workspace.pins) == f"<Pins of {workspace.root!r}>"
    assert repr(workspace.add("MEMORY.md", "2026-02-13: x")).startswith("Outcome(status='done'")
    assert "OpenSession" in repr(workspace.sessions.start("x"))


@pytest.mark.parametrize("call", [
    lambda w: w.add("MEMORY.md", "x"), lambda w: w.show("MEMORY.md"), lambda w: w.search("x"), lambda w: w.recall("x"),
    lambda w: w.pack(), lambda w: w.lint(), lambda w: w.status(),
])  # fmt: skip
@pytest.mark.parametrize("name", ["nothere", "note.md"])
def test_a_root_that_is_no_folder_is_told_and_is_no_empty_memory(tmp_path: Path, call: Any, name: str) -> None:
    (tmp_path / "note.md").write_text("# Note\n", "utf-8")
    with pytest.raises(mdmem.WorkspaceNotFoundError) as raised:
        call(mdmem.Workspace(tmp_path / name, lang="en"))
    assert str(raised.value) == f"there is no folder `{name}`"
    assert "mdmem init" in raised.value.hint
    assert {path.name for path in tmp_path.iterdir()} <= {"note.md", "cache"}
