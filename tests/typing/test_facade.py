"""The types of the facade: its namespaces, its former names, and the protocol that tools are written for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_type

import pytest

from mdmem import (
    Artifact,
    Artifacts,
    Attachments,
    History,
    Inbox,
    InboxItem,
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
from mdmem.former_names import FormerNames, Renamed

if TYPE_CHECKING:
    from mdmem.tools.model import ToolHost

NAMESPACES = {
    "artifacts": Artifacts, "attachments": Attachments, "history": History, "inbox": Inbox, "index": Index,
    "keeper": Keeper, "pins": Pins, "plan": Plan, "sessions": Sessions,
}  # fmt: skip
FORMER = {name: value for name, value in vars(FormerNames).items() if isinstance(value, Renamed)}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, lang="en", cache=False)


def test_a_workspace_is_a_host_of_tools(workspace: Workspace) -> None:
    host: ToolHost = workspace
    assert host.lang == "en"


def test_the_namespaces_are_objects(workspace: Workspace) -> None:
    for name, kind in NAMESPACES.items():
        assert isinstance(getattr(workspace, name), kind)
        assert getattr(workspace, name) is getattr(workspace, name)
    assert_type(workspace.pins.list(), tuple[Pin, ...])
    assert_type(workspace.sessions.list(), tuple[Session, ...])
    assert_type(workspace.history.log(), tuple[Transaction, ...])
    assert_type(workspace.plan.show(), TaskPlan)


def test_a_former_name_has_the_type_of_the_new_one(workspace: Workspace) -> None:
    with pytest.warns(DeprecationWarning, match=r"`Workspace\.log` is deprecated; use `Workspace\.history\.log`"):
        assert_type(workspace.log("MEMORY.md", limit=1), tuple[Transaction, ...])
    if TYPE_CHECKING:
        assert_type(workspace.pin_add("path", "title", "summary", "file:a.md", ttl="7d"), Outcome)
        workspace.pin_add("path")  # type: ignore[call-arg]
        workspace.pin_add("path", "title", "summary", "file:a.md", days=7)  # type: ignore[call-arg]
        workspace.undo(3)  # type: ignore[arg-type]
        workspace.log("MEMORY.md", 1)  # type: ignore[call-arg]
        workspace.pin_gone()  # type: ignore[attr-defined]


def test_a_namespace_that_was_a_method_is_callable(workspace: Workspace) -> None:
    with pytest.warns(DeprecationWarning, match=r"`Workspace\.sessions\(\)` is deprecated"):
        assert_type(workspace.sessions(agent="ada", limit=1), tuple[Session, ...])
    with pytest.warns(DeprecationWarning, match=r"use `Workspace\.plan\.show\(\)`"):
        assert_type(workspace.plan(agent=None), TaskPlan)
    with pytest.warns(DeprecationWarning, match=r"Workspace\.inbox\.list\(\)") as told:
        assert_type(workspace.inbox(), tuple[InboxItem, ...])
    assert told[0].filename == __file__, "the warning is about the caller's line"
    with pytest.warns(DeprecationWarning, match=r"Workspace\.artifacts\.list\(\)"):
        assert_type(workspace.artifacts(limit=1), tuple[Artifact, ...])
    if TYPE_CHECKING:
        workspace.sessions("ada")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", FORMER)
def test_each_former_name_gives_a_method_of_a_namespace(workspace: Workspace, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"^`Workspace\.{name}` is deprecated; use `") as told:
        found = getattr(workspace, name)
    new = str(told[0].message).rpartition("`Workspace.")[2].rstrip("`")
    space, _, method = new.partition(".")
    assert found == getattr(getattr(workspace, space), method)
    assert told[0].filename == __file__
