"""The plugin of Claude Code: what is written, that it is written once, and that nobody's files are touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import Make
from harness import files_of

from mdmem.agents.connect.agent_files import Placement, claude_hooks
from mdmem.agents.connect.connection_checks import connection_checks
from mdmem.agents.connect.model import CONNECTABLE
from mdmem.agents.connect.own_program import program
from mdmem.agents.connect.plugin import ClaudePlugin
from mdmem.agents.connect.service import RECORD, Connector
from mdmem.errors import ConfigError
from mdmem.instructions.records import AgentRecord
from mdmem.instructions.service import InstructionFiles
from mdmem.text.document import parse
from mdmem.workspace import Workspace


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "plugins" / "mdmem"


@pytest.fixture(params=["en", "zh"])
def work(make: Make, request: pytest.FixtureRequest) -> Workspace:
    return make(request.param, {"MEMORY.md": "# Memory\n"})


def test_the_plugin_has_the_hooks_the_server_and_a_skill(work: Workspace, folder: Path) -> None:
    ClaudePlugin(work).write(str(folder))
    files = files_of(folder)
    assert json.loads(files[".claude-plugin/plugin.json"])["name"] == "mdmem"
    at = Placement(program(), work.root, "", tools=work.config.settings.agents.artifacts)
    assert json.loads(files[".mcp.json"])["mcpServers"] == {"mdmem": at.server}
    hooks = json.loads(files["hooks/hooks.json"])["hooks"]
    assert hooks == {event: [group] for event, group in claude_hooks(at).items()}
    skill = parse(files["skills/memory/SKILL.md"])
    assert skill.post().metadata["name"] == "memory"
    assert 40 < len(str(skill.post().metadata["description"])) <= 1024
    assert work.root in skill.text
    assert "{" not in skill.text
    assert "README.md" in files
    assert b"Apache License" in files["LICENSE"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("claude"), reason="Claude Code is not installed")
def test_claude_code_accepts_the_plugin(work: Workspace, folder: Path, home: Path) -> None:
    ClaudePlugin(work).write(str(folder))
    done = subprocess.run(
        ["claude", "plugin", "validate", "--strict", str(folder)],
        env={"HOME": str(home), "PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_a_second_time_changes_nothing_and_removing_leaves_nothing(work: Workspace, folder: Path) -> None:
    planned = ClaudePlugin(work).write(str(folder), dry_run=True)
    assert {one.status for one in planned} == {"planned"}
    assert not folder.exists()
    done = ClaudePlugin(work).write(str(folder))
    assert [one.diff for one in done] == [one.diff for one in planned]
    first = files_of(folder)
    again = ClaudePlugin(Workspace(work.root)).write(str(folder))
    assert {one.status for one in again} == {"unchanged"}
    assert files_of(folder) == first
    ClaudePlugin(Workspace(work.root)).remove(str(folder))
    assert not folder.exists()
    assert {one.status for one in ClaudePlugin(Workspace(work.root)).remove(str(folder))} == {"none"}


@pytest.mark.thorough
def test_an_older_plugin_is_brought_up_to_date(work: Workspace, folder: Path) -> None:
    ClaudePlugin(work).write(str(folder))
    first = files_of(folder)
    Path(work.root, "mdmem.toml").write_text(
        f'lang = "{work.lang}"\n[agents]\nartifacts = ["Bash"]\n', encoding="utf-8"
    )
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["weaker"]
    ClaudePlugin(Workspace(work.root)).write(str(folder))
    changed = {path for path, data in files_of(folder).items() if data != first[path]}
    assert changed == {"hooks/hooks.json"}
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["good"]


@pytest.mark.parametrize("name", ["notes.txt", ".git/config", "skills/other/SKILL.md", "README.md"])
def test_a_folder_with_files_of_others_is_refused(work: Workspace, folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("mine", "utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError) as caught:
            ClaudePlugin(Workspace(work.root)).write(str(folder))
        assert str(folder.parents[1]) not in str(caught.value)
        assert files_of(folder) == {name: b"mine"}
    (folder / name).unlink()
    ClaudePlugin(Workspace(work.root)).write(str(folder))
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if name != "README.md":
        (folder / name).write_text("mine", "utf-8")
        before = files_of(folder)
        for call in (ClaudePlugin(Workspace(work.root)).write, ClaudePlugin(Workspace(work.root)).remove):
            with pytest.raises(ConfigError):
                call(str(folder))
        assert files_of(folder) == before


def test_a_file_that_a_person_changed_is_not_overwritten(work: Workspace, folder: Path) -> None:
    ClaudePlugin(work).write(str(folder))
    skill = folder / "skills/memory/SKILL.md"
    skill.write_text(skill.read_text("utf-8") + "\nAlways search twice.\n", "utf-8")
    before = files_of(folder)
    with pytest.raises(ConfigError):
        ClaudePlugin(Workspace(work.root)).write(str(folder))
    assert files_of(folder) == before
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["bad"]
    skill.unlink()
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["bad"]
    ClaudePlugin(Workspace(work.root)).write(str(folder))
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["good"]


def test_a_link_in_the_folder_leads_nowhere(work: Workspace, folder: Path, home: Path) -> None:
    (home / "elsewhere").mkdir()
    folder.mkdir(parents=True)
    (folder / "hooks").symlink_to(home / "elsewhere")
    with pytest.raises(ConfigError):
        ClaudePlugin(work).write(str(folder))
    assert list((home / "elsewhere").iterdir()) == []


@pytest.mark.thorough
@pytest.mark.slow
def test_agents_that_are_connected_at_once_are_all_recorded(work: Workspace, home: Path) -> None:
    (home / ".claude.json").write_text('{"a": 1}', "utf-8")
    gate = threading.Barrier(len(CONNECTABLE) + 2)
    failed: list[Exception] = []

    def connect(number: int) -> None:
        own = Workspace(work.root)
        gate.wait()
        try:
            if number < len(CONNECTABLE):
                Connector(own).connect(CONNECTABLE[number])
            else:
                InstructionFiles(own.config).connect("codex", str(home / f"{number}.md"))
        except Exception as error:  # noqa: BLE001 - told below
            failed.append(error)

    threads = [threading.Thread(target=connect, args=(number,)) for number in range(len(CONNECTABLE) + 2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert failed == []
    recorded = AgentRecord(work.config, RECORD).files
    assert {one["agent"] for one in recorded.values()} == set(CONNECTABLE)
    assert len(InstructionFiles(work.config).paths) == 2
    assert {one.state for one in connection_checks(Workspace(work.root))} == {"good"}


def test_a_settings_file_is_whole_at_any_moment(make: Make, home: Path) -> None:
    one = make("en", {"MEMORY.md": "# Memory\n"})
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "opus"}', "utf-8")
    stop = threading.Event()
    rounds = 0

    def save() -> None:
        nonlocal rounds
        while not stop.is_set():
            text = path.read_text("utf-8")
            if '"model"' not in text:
                return
            rounds += 1

    reader = threading.Thread(target=save)
    reader.start()
    for _ in range(5):
        Connector(one).connect("claude")
        Connector(one).disconnect("claude")
    stop.set()
    reader.join()
    assert rounds > 0
    assert path.read_text("utf-8") == '{"model": "opus"}'
