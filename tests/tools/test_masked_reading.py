"""A password that a person wrote into a file is masked where an agent reads it, and no tool writes the mask over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mdmem import Workspace

SECRET = "Kz8-river-77"
TEXT = f"# M\n\n## Notes\n\n- 2026-02-13: the wifi password is {SECRET}\n- 2026-02-14: other line\n"
SHOWN = "the wifi password is [password]"


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    (tmp_path / "MEMORY.md").write_text(TEXT)
    return Workspace(tmp_path, cache=False)


def call(work: Workspace, name: str, **given: Any) -> dict[str, Any]:
    reply = work.call(name, given, actor="mcp:x")
    assert SECRET not in json.dumps(reply)
    return reply


@pytest.mark.parametrize(
    ("name", "given"), [("read", {}), ("memory_read", {}), ("memory_read", {"section": "Notes"}), ("view", {})]
)
def test_what_is_read_is_masked_and_the_hint_says_so(work: Workspace, name: str, given: dict[str, str]) -> None:
    reply = call(work, name, path="MEMORY.md", **given)
    assert SHOWN in reply["text"]
    assert "1 secret masked" in reply["hint"]


def test_a_key_of_several_lines_leaves_the_numbers_of_the_lines(work: Workspace) -> None:
    body = "\n".join("q7XzR2mK9vLpT4wB8nYcJ3sHd6FgA1eUo5Wi" + str(number) * 2 for number in range(10, 14))
    label = "PRIVATE " + "KEY"
    Path(work.root, "notes.md").write_text(f"# N\n\n-----BEGIN {label}-----\n{body}\n-----END {label}-----\n\nlast\n")
    assert "    10\tlast" in call(work, "view", path="notes.md")["text"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("edit", {"path": "MEMORY.md", "oldText": SHOWN, "newText": "x"}),
        ("str_replace", {"path": "MEMORY.md", "old_str": SHOWN, "new_str": "x"}),
        ("memory_replace", {"entry": SHOWN, "content": "x"}),
        ("memory_remove", {"entries": [SHOWN]}),
    ],
)
def test_an_edit_that_names_the_mask_is_told_why_it_fails(work: Workspace, name: str, given: dict[str, Any]) -> None:
    reply = call(work, name, **given)
    assert (reply["status"], "a mask such as `[password]`" in reply["hint"]) == ("error", True)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("write", {"path": "MEMORY.md", "content": TEXT.replace(SECRET, "[password]")}),
        ("memory_edit", {"path": "MEMORY.md", "section": "Notes", "content": f"2026-02-13: {SHOWN}"}),
        ("memory_replace", {"entry": "the wifi password", "content": SHOWN}),
    ],
)
def test_a_mask_is_not_written_over_the_secret(work: Workspace, name: str, given: dict[str, str]) -> None:
    reply = call(work, name, **given)
    assert (reply["status"], reply["code"]) == ("error", "refused")
    assert Path(work.root, "MEMORY.md").read_text() == TEXT


def test_other_lines_can_be_edited_and_the_entry_removed(work: Workspace) -> None:
    assert call(work, "edit", path="MEMORY.md", oldText="other", newText="another")["status"] == "done"
    assert call(work, "memory_remove", entries=["the wifi password"])["status"] == "done"
    assert SECRET not in Path(work.root, "MEMORY.md").read_text()
