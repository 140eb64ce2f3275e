"""`mdmem tool call --session`: each call is a process of its own, and what one has read is the base of the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import holding

from .conftest import Run

KEY = "- 2026-02-09: the spare key is with the neighbour"
FIRST = f"# Memory\n\n## Notes\n\n{KEY}\n- 2026-02-10: the boat leaks\n"


@pytest.fixture
def file(folder: Path) -> Path:
    (folder / "mdmem.toml").write_text('lang = "en"\n')
    (folder / "MEMORY.md").write_text(FIRST)
    return folder / "MEMORY.md"


def call(mdmem: Run, tool: str, session: str, **arguments: Any) -> dict[str, Any]:
    """Run one tool, as a shell script of an agent does."""
    given = {"path": "MEMORY.md", **arguments}
    done = mdmem("tool", "call", tool, "--session", session, given=json.dumps(given))
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


def test_a_whole_text_takes_out_only_what_its_session_has_read(mdmem: Run, file: Path) -> None:
    call(mdmem, "read", "ann")
    call(mdmem, "memory_add", "ben", section="Notes", content="2026-02-11: the mast is new")
    assert call(mdmem, "write", "ann", content=FIRST.replace(f"{KEY}\n", ""))["status"] == "done"
    text = file.read_text()
    assert "the mast is new" in text
    assert "spare key" not in text


def test_the_second_who_changes_an_entry_is_told_the_text_of_the_first(mdmem: Run, file: Path) -> None:
    call(mdmem, "read", "ann")
    call(mdmem, "memory_replace", "ben", entry="boat", content="2026-02-10: the boat is at the yard")
    reply = call(mdmem, "memory_replace", "ann", entry="boat", content="2026-02-10: the boat sank")
    assert (reply["code"], "at the yard" in reply["message"]) == ("conflict", True)
    assert "at the yard" in file.read_text()


def test_a_removal_is_asked_once_in_a_session(mdmem: Run, file: Path) -> None:
    assert call(mdmem, "delete", "ann", path="/memories/MEMORY.md")["code"] == "confirm"
    assert call(mdmem, "delete", "ben", path="/memories/MEMORY.md")["code"] == "confirm"
    assert file.exists()
    assert call(mdmem, "delete", "ann", path="/memories/MEMORY.md")["status"] == "done"
    assert not file.exists()


DAMAGED = {
    "empty": b"",
    "no object": b"[]",
    "no digests": b'{"read": {"MEMORY.md": "../../x"}, "whole": 3}',
    "no text": b"\xff" * 40,
    "deep": b"{" * 10**6,
}


@pytest.mark.parametrize("record", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_is_one_of_a_session_that_has_read_nothing(mdmem: Run, file: Path, record: bytes) -> None:
    call(mdmem, "read", "ann")
    (found,) = file.parent.glob(".mdmem/agents/clients/*.json")
    found.write_bytes(record)
    assert call(mdmem, "memory_add", "ann", section="Notes", content="2026-02-11: the mast is new")["status"] == "done"


def test_what_was_forgotten_does_not_stand_in_the_record(mdmem: Run, file: Path) -> None:
    call(mdmem, "read", "ann")
    assert mdmem("forget", "spare key is with the neighbour", "--yes").returncode == 0
    assert holding(file.parent, "neighbour") == []
    assert call(mdmem, "memory_add", "ann", section="Notes", content="2026-02-11: the mast is new")["status"] == "done"
