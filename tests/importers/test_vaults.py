"""An Obsidian vault is copied only on request; an OpenClaw workspace comes to the files that mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdmem import UsageError, Workspace

from .samples import put
from .test_import import adds_up, contents


@pytest.fixture
def vault(source: Path) -> Path:
    put(source, ".obsidian/app.json", "{}")
    put(source, "Boats/Skiff.md", "---\ntags: [boat]\n---\nSee [[Oars]].\n")
    put(source, "Oars.md", "Ash wood.\n")
    put(source, "empty.md", "\n")
    put(source, ".trash/Old.md", "Thrown away.\n")
    put(source, "plan.canvas", "{}")
    return source


def test_a_vault_can_stay_where_it_is(workspace: Workspace, vault: Path) -> None:
    before = contents(Path(workspace.root))
    with pytest.raises(UsageError) as raised:
        workspace.import_from(vault)
    assert "mdmem init" in raised.value.hint
    assert "--from obsidian" in raised.value.hint
    assert contents(Path(workspace.root)) == before


def test_a_vault_is_imported_on_request(workspace: Workspace, vault: Path) -> None:
    report = workspace.import_from(vault, system="obsidian")
    assert (report.written, report.skipped, report.refused) == (2, 3, 0), report.items
    assert adds_up(report)
    notes = Path(workspace.root) / "notes/obsidian"
    assert (notes / "Boats/Skiff.md").read_bytes() == (vault / "Boats/Skiff.md").read_bytes()
    assert workspace.import_from(vault, system="obsidian").written == 0


CLAW = {
    "AGENTS.md": "# AGENTS.md\n\n- Read the tide table first\n",
    "IDENTITY.md": "# IDENTITY.md\n\n- **Name:** Gull\n- **Vibe:** dry\n",
    "SOUL.md": "# SOUL.md\n\n- Be brief\n",
    "USER.md": "# USER.md\n\n- **Name:** Ines\n",
    "MEMORY.md": "# MEMORY.md\n\n- The pier closes at nine\n",
    "TOOLS.md": "# TOOLS.md\n\n- The pump is on socket two\n",
    "memory/2026-02-03.md": "# 2026-02-03\n\n- Painted the buoy\n",
    "skills/tide/SKILL.md": "# Tide\n",
    "BOOTSTRAP.md": "# First run\n",
}
PLACES = {
    "AGENT.md": "tide table", "personas/IDENTITY.md": "Gull", "SOUL.md": "Be brief", "USER.md": "Ines",
    "MEMORY.md": "pier closes", "notes/openclaw/TOOLS.md": "socket two", "memory/2026-02-03.md": "buoy",
}  # fmt: skip


@pytest.mark.parametrize("below", ["", "workspace/"])
def test_each_file_of_openclaw_finds_its_place(below: str, workspace: Workspace, source: Path) -> None:
    for name, text in CLAW.items():
        put(source, f"{below}{name}", text)
    report = workspace.import_from(source)
    assert (report.system, report.written, report.skipped, report.refused) == ("openclaw", 7, 2, 0), report.items
    for path, text in PLACES.items():
        assert text in (Path(workspace.root) / path).read_text("utf-8")
    assert workspace.import_from(source).written == 0


def test_instructions_and_identity_that_are_there_stay(workspace: Workspace, source: Path) -> None:
    own = {
        "AGENT.md": "# Mine\n\n- My own way\n",
        "SOUL.md": "# Me\n\n- Mine\n",
        "personas/IDENTITY.md": "# P\n\n- p\n",
    }
    for name, text in own.items():
        put(Path(workspace.root), name, text)
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md"):
        put(source, name, CLAW[name])
    assert workspace.import_from(source).written == 3
    for name, text in own.items():
        assert (Path(workspace.root) / name).read_text("utf-8") == text
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md"):
        assert (Path(workspace.root) / "notes/openclaw" / name).read_text("utf-8") == CLAW[name]


@pytest.mark.parametrize("name", ["AGENTS.md", "SOUL.md"])
def test_one_such_file_alone_is_not_openclaw(name: str, workspace: Workspace, source: Path) -> None:
    put(source, name, CLAW[name])
    if name == "SOUL.md":
        assert workspace.import_from(source).system == "pet"
    else:
        with pytest.raises(UsageError):
            workspace.import_from(source)
