"""No client of the tools takes out what it has not seen, and each removal is told to the one who made it."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from mdmem.text.document import Document
from mdmem.tools.client import ToolClient
from mdmem.workspace import Workspace

KEY = "- 2026-02-09: the spare key is with the neighbour"
FIRST = f"# Memory\n\n## Notes\n\n{KEY}\n- 2026-02-10: the boat leaks\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    (tmp_path / "MEMORY.md").write_text(FIRST)
    return tmp_path


class Client:
    """A client with a workspace of its own, as another process has."""

    def __init__(self, root: Path, actor: str) -> None:
        self.root, self.work, self.own = root, Workspace(root), ToolClient(actor)

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.work.call(tool, {"path": "MEMORY.md", **arguments}, client=self.own)

    @property
    def text(self) -> str:
        return (self.root / "MEMORY.md").read_text()


@pytest.fixture
def ann(root: Path) -> Client:
    return Client(root, "ann")


@pytest.fixture
def ben(root: Path) -> Client:
    return Client(root, "ben")


READS = ["read", "memory_read", "view"]


@pytest.mark.parametrize("reads", READS)
def test_a_whole_file_from_an_old_copy_keeps_what_others_added(ann: Client, ben: Client, reads: str) -> None:
    ann(reads)
    ben("memory_add", content="the binder is blue", section="notes")
    reply = ann("write", content=ann.text.replace("- 2026-02-10: the boat leaks\n", "").split("- 2026-11")[0])
    assert reply["status"] == "done"
    assert "binder" in ann.text
    assert "boat" not in ann.text
    assert "binder" in reply["hint"]  # what was kept
    assert "boat" in reply["hint"]  # what went


def test_a_second_write_does_not_take_out_what_the_first_one_kept(ann: Client, ben: Client) -> None:
    ann("read")
    ben("memory_add", content="the binder is blue", section="notes")
    for day in range(3):
        reply = ann("write", content=FIRST + f"- 2026-03-0{day + 1}: rain\n")
        assert "binder" in ann.text
        assert "binder" in reply["hint"]
    ann("read")
    ann("write", content=FIRST)
    assert "binder" not in ann.text, "it has read the line, and means to take it out"


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_client_that_read_nothing_takes_out_no_newer_line(
    root: Path, ann: Client, ben: Client, by_hand: bool
) -> None:
    ben("memory_add", content="the dentist is at noon", section="notes")
    old = ann.text
    if by_hand:
        (root / "MEMORY.md").write_text(old + "- the binder is blue\n")
    else:
        ben("memory_add", content="the binder is blue", section="notes")
    reply = ann("write", content=old.replace("leaks", "is dry"))
    assert "binder" in ann.text
    assert "is dry" in ann.text
    assert "leaks" not in ann.text
    assert "binder" in reply["hint"]


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("edit", {"oldText": "the boat leaks", "newText": "the boat sank"}),
    ("str_replace", {"old_str": "the boat leaks", "new_str": "the boat sank"}),
    ("memory_replace", {"entry": "boat", "content": "2026-02-10: the boat sank"}),
    ("memory_remove", {"entries": ["boat"]}),
    (
        "memory_edit",
        {"section": "notes", "content": "- 2026-02-09: the spare key is with the neighbour\n- the boat sank"},
    ),
    ("write", {"content": FIRST.replace("leaks", "sank")}),
]


@pytest.mark.parametrize(("tool", "arguments"), CHANGES, ids=[one for one, _ in CHANGES])
def test_the_second_of_two_who_change_an_entry_is_told_the_text_of_the_first(
    ann: Client, ben: Client, tool: str, arguments: dict[str, Any]
) -> None:
    ann("read")
    ben("memory_replace", entry="boat", content="2026-02-10: the boat is at the yard")
    before = ann.text
    reply = ann(tool, **arguments)
    assert reply["status"] == "error"
    assert reply["code"] == "conflict"
    assert "the boat is at the yard" in reply["message"]
    assert ann.text == before
    ann("read")
    arguments = {key: str(value).replace("the boat leaks", "the boat is at the yard") if key in ("oldText", "old_str")
                 else value for key, value in arguments.items()}  # fmt: skip
    assert ann(tool, **arguments)["status"] == "done"


@pytest.mark.parametrize(("tool", "arguments"), CHANGES[:4], ids=[one for one, _ in CHANGES[:4]])
def test_a_change_of_another_entry_is_merged(ann: Client, ben: Client, tool: str, arguments: dict[str, Any]) -> None:
    ann("read")
    ben("memory_replace", entry="spare key", content="2026-02-09: the spare key is in the shed")
    assert ann(tool, **arguments)["status"] == "done"
    assert "in the shed" in ann.text
    assert "leaks" not in ann.text


def test_its_own_changes_are_no_changes_of_others(ann: Client) -> None:
    ann("read")
    for word in ("sank", "floats", "is sold"):
        assert ann("memory_replace", entry="the boat", content=f"2026-02-10: the boat {word}")["status"] == "done"
    assert ann("memory_remove", entries=["the boat"])["status"] == "done"


def test_an_entry_that_two_removed_is_archived_once(root: Path, ann: Client, ben: Client) -> None:
    ann("read")
    ben("memory_remove", entries=["boat"])
    assert ann("memory_remove", entries=["boat"])["status"] == "unchanged"
    assert sum(path.read_text().count("boat leaks") for path in (root / "archive").glob("*.md")) == 1


def test_a_line_number_is_that_of_the_version_that_was_read(ann: Client, ben: Client) -> None:
    ann("view")
    ben("insert", insert_line=2, insert_text="An introduction.\n")
    assert ann("insert", insert_line=5, insert_text="- 2026-02-09: the lamp is new")["status"] == "done"
    lines = ann.text.splitlines()
    assert lines[lines.index("- 2026-02-09: the lamp is new") - 1] == KEY
    assert "An introduction." in lines


def test_a_file_with_entries_is_deleted_at_the_second_call(root: Path, ann: Client, ben: Client) -> None:
    (root / "notes.md").write_text("# Notes\n\n- the lamp is new\n")
    path = {"path": "/memories/notes.md"}
    reply = ann("delete", **path)
    assert reply["status"] == "error"
    assert (root / "notes.md").exists()
    ben("edit", path="notes.md", oldText="new", newText="old")
    assert ann("delete", **path)["status"] == "error", "it is another file now"
    assert ann("delete", **path)["status"] == "done"
    assert not (root / "notes.md").exists()


def test_a_file_that_changed_since_it_was_read_is_not_deleted(root: Path, ann: Client, ben: Client) -> None:
    (root / "notes.md").write_text("# Notes\n\n- the lamp is new\n")
    ann("view", path="/memories/notes.md")
    ben("memory_add", path="notes.md", content="the oven is hot")
    reply = ann("delete", path="/memories/notes.md", confirm=1)
    reply = ann("delete", path="/memories/notes.md")
    assert reply["code"] == "conflict"
    assert "oven" in reply["message"]
    assert "oven" in (root / "notes.md").read_text()


def test_no_secret_of_another_is_named(root: Path, ann: Client, ben: Client) -> None:
    ann("read")
    secret = "ghp_" + "Zk3Qw9" * 6
    (root / "MEMORY.md").write_text(FIRST.replace("the boat leaks", f"the token is {secret}"))
    for tool, arguments in CHANGES:
        assert secret not in str(ann(tool, **arguments))


def test_a_workspace_that_writes_often_holds_no_more_documents(root: Path) -> None:
    """A server runs for months."""
    (root / "notes.md").write_text("# Notes\n")
    client = Client(root, "ada")

    def documents(rounds: int) -> int:
        for number in range(rounds):
            text = f"the barge brought {number} of {rounds} crates"
            reply = client("memory_add", path="notes.md", content=text)
            assert reply["status"] == "done", reply
        gc.collect()
        return sum(isinstance(one, Document) for one in gc.get_objects())

    few = documents(10)
    assert documents(30) <= few + 10
