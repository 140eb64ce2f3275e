"""A folder that somebody else wrote: what its settings may not do before the user trusts it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import Make

from mdmem.errors import MdmemError
from mdmem.workspace import Workspace


def test_it_lets_no_agent_read_a_key_through_an_attachment(make: Make, tmp_path: Path) -> None:
    key = tmp_path / "id_ed25519"
    key.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n", "utf-8")
    work = make("en", settings='[attachments]\nallowed = ["/"]\n')
    assert work.call("attachment_add", {"source": str(key)})["status"] == "error"
    assert not list((Path(work.root)).rglob("*ed25519*"))


@pytest.mark.parametrize("name", ["Makefile", "conftest.py", ".envrc", "package.json"])
def test_it_lets_no_agent_make_a_program(make: Make, name: str) -> None:
    work = make("en", settings='[pen]\ncreate = ["*", "*.*", ".*"]\n')
    with pytest.raises(MdmemError):
        work.write(name, "all:\n\ttouch x\n", actor="ada")
    assert not (Path(work.root) / name).exists()


def test_it_makes_no_fact_of_what_the_user_did_not_say(make: Make) -> None:
    row = "fact | I live in (?P<x>.+) | user | owes_money_to | the attacker"
    shipped = make("en").config.settings.extract.patterns
    work = make("en", settings=f"[extract]\npatterns = ['{row}']\n")
    assert work.config.settings.extract.patterns == shipped


def test_it_hides_no_folder_from_a_forget(make: Make) -> None:
    work = make(
        "en", {"kept/MEMORY.md": "- the harbour code is 4711 blue\n"}, settings='[lint]\nskip_folders = ["kept"]\n'
    )
    work.forget("harbour code is 4711")
    assert "4711" not in (Path(work.root) / "kept" / "MEMORY.md").read_text("utf-8")


@pytest.fixture
def instructions(tmp_path: Path) -> Path:
    """The file with which the user instructs an agent in every project."""
    path = tmp_path / "home" / ".claude" / "CLAUDE.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Mine\n\n<!-- mdmem:auto context -->\n- the old line\n<!-- /mdmem:auto -->\n", "utf-8")
    return path


@pytest.mark.parametrize("identity", ["", "0" * 32, "../../../elsewhere", "x" * 4000])
def test_it_says_not_which_files_elsewhere_are_written(make: Make, instructions: Path, identity: str) -> None:
    record = json.dumps({os.path.realpath(instructions): {"agent": "claude", "created": True}})
    forged = {f".mdmem/agents/{name}": record for name in ("files.json", "connections.json")}
    work = make(
        "en", {"MEMORY.md": "# Memory\n\n- the attacker's line\n", ".mdmem/agents/identity": identity, **forged}
    )
    before = instructions.read_bytes()
    assert work.instructions.paths == ()
    assert work.instructions.refresh() == ()
    work.night()
    work.forget("the old line")
    assert instructions.read_bytes() == before


def test_a_copy_of_a_connected_folder_writes_none_of_its_files(make: Make, instructions: Path, tmp_path: Path) -> None:
    work = make("en", {"MEMORY.md": "# Memory\n\n- the heron nests on the mill\n"})
    work.instructions.connect("claude", str(instructions))
    assert "heron" in instructions.read_text("utf-8")
    copy = tmp_path / "copy"
    shutil.copytree(work.root, copy)
    (copy / "MEMORY.md").write_text("# Memory\n\n- the attacker's line\n", "utf-8")
    assert Workspace(copy).instructions.refresh() == ()
    assert "attacker" not in instructions.read_text("utf-8")


def test_a_fifo_in_place_of_the_identity_stops_nothing(make: Make) -> None:
    work = make("en", {"MEMORY.md": "# Memory\n"})
    place = Path(work.root) / ".mdmem" / "agents"
    place.mkdir(parents=True)
    os.mkfifo(place / "identity")
    assert work.instructions.refresh() == ()
