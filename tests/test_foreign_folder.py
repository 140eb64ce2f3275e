"""A folder that somebody else wrote: what its settings may not do before the user trusts it."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import in_process
import pytest
from conftest import Make, Run
from harness import hook

from mdmem.agents.connect.model import ConnectableAgent
from mdmem.agents.connect.own_program import program
from mdmem.agents.connect.plugin import ClaudePlugin
from mdmem.agents.connect.service import Connector
from mdmem.agents.hooks.hook_state import remove_old
from mdmem.agents.hooks.model import read_payload
from mdmem.agents.hooks.service import AgentHook
from mdmem.errors import GitError, MdmemError, RefusedError
from mdmem.importers.origins import origins
from mdmem.store.git import staged_files
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


@pytest.mark.parametrize("name", ["AGENTS.md", "docs/AGENTS.md"])
def test_a_link_in_a_project_leads_no_block_into_a_file_elsewhere(make: Make, tmp_path: Path, name: str) -> None:
    profile = tmp_path / "home" / ".bashrc"
    profile.parent.mkdir()
    profile.write_text("alias ll='ls -l'\n", "utf-8")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    if "/" in name:
        (project / "docs").symlink_to(profile.parent)
        (profile.parent / "AGENTS.md").symlink_to(profile)
    else:
        (project / name).symlink_to(profile)
    work = make("en", {"MEMORY.md": "# Memory\n\n- the heron nests on the mill\n"})
    with pytest.raises(RefusedError, match="bashrc"):
        work.instructions.connect("codex", str(project / name))
    assert profile.read_text("utf-8") == "alias ll='ls -l'\n"


def test_a_connected_file_that_became_a_link_is_written_no_more(make: Make, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "project" / "AGENTS.md", tmp_path / "elsewhere.md"
    path.parent.mkdir()
    work = make("en", {"MEMORY.md": "# Memory\n\n- the heron nests on the mill\n"})
    work.instructions.connect("codex", str(path))
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    work.add("MEMORY.md", "the owl nests in the barn")
    assert [type(one.error) for one in work.instructions.refresh()] == [RefusedError]
    assert "owl" not in elsewhere.read_text("utf-8")


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "cursor"])
def test_a_link_in_a_project_leads_no_settings_elsewhere(make: Make, tmp_path: Path, agent: ConnectableAgent) -> None:
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    elsewhere.mkdir()
    project.mkdir()
    (project / f".{agent}").symlink_to(elsewhere)
    with pytest.raises(RefusedError):
        Connector(make("en"), str(project)).connect(agent)
    assert list(elsewhere.iterdir()) == []


def test_a_link_in_a_project_leads_no_plugin_elsewhere(make: Make, tmp_path: Path) -> None:
    elsewhere, project = tmp_path / "elsewhere", tmp_path / "project"
    elsewhere.mkdir()
    (project / ".git").mkdir(parents=True)
    (project / "plugins").symlink_to(elsewhere)
    for folder in ("plugins", "plugins/memory"):
        with pytest.raises(RefusedError):
            ClaudePlugin(make("en")).write(str(project / folder))
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["knowledge/mend/versions", "knowledge/mend", "knowledge", "facts", "memory"])
def test_a_link_in_place_of_a_folder_tells_no_names_of_files_elsewhere(make: Make, tmp_path: Path, name: str) -> None:
    work, elsewhere = make("en"), tmp_path / "elsewhere"
    work.knowledge.add("mend", "how a net is mended", ["Find the hole", "Knot it"])
    work.knowledge.save("mend", "plain")
    (elsewhere / "versions").mkdir(parents=True)
    for one in ("qxcanaryzv.md", "versions/qxcanaryzv.md"):
        (elsewhere / one).write_text("# Mine\n\n- the heron nests on the mill\n", "utf-8")
    place = Path(work.root) / name
    if place.is_dir():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere)
    said = []
    for tool, given in (
        ("knowledge", {"name": "mend@x"}), ("knowledge", {"name": "mend/qxcanary"}), ("knowledge", {}),
        ("view", {"path": f"/memories/{name}"}), ("read", {"path": f"{name}/qxcanary.md"}),
        ("memory_check", {"path": name}), ("memory_search", {"query": "heron"}), ("why", {"name": "qxcanary"}),
    ):  # fmt: skip
        said.append(str(Workspace(work.root).call(tool, given)))
    said += [in_process.run_text(*words, cwd=work.root, env=dict(os.environ)).stderr for words in (
        ("knowledge", "versions", "mend"), ("knowledge", "diff", "mend", "x"), ("knowledge", "compare", "mend"),
        ("show", f"{name}/qxcanary.md"), ("lint",), ("fact", "list"), ("status",),
    )]  # fmt: skip
    assert [one for one in said if "qxcanaryzv" in one] == []


@pytest.mark.parametrize("name", [".git/hooks", ".git/hooks/pre-commit"])
def test_a_link_in_a_repository_leads_no_hook_elsewhere(make: Make, tmp_path: Path, name: str) -> None:
    work, elsewhere = make("en"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run(["git", "init", "-q", work.root], check=True)
    path = Path(work.root) / name
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(elsewhere if name.endswith("hooks") else elsewhere / "pre-commit")
    with pytest.raises(RefusedError):
        work.install_hook()
    assert list(elsewhere.iterdir()) == []


def test_the_configuration_of_a_repository_leads_no_hook_elsewhere(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, elsewhere = make("en"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    subprocess.run(["git", "init", "-q", work.root], check=True)
    names = ["git", "config", "core.hooksPath"]
    for place in (str(elsewhere), "../elsewhere", ".git/../../elsewhere"):
        subprocess.run([*names, place], check=True, cwd=work.root)
        for change in (work.install_hook, work.uninstall_hook):
            with pytest.raises(RefusedError, match="takes its hooks from"):
                change()
    assert list(elsewhere.iterdir()) == []
    subprocess.run([*names, ".githooks"], check=True, cwd=work.root)
    assert work.install_hook()
    assert (Path(work.root) / ".githooks/pre-commit").exists(), "where git looks"
    subprocess.run(["git", "config", "--unset", "core.hooksPath"], check=True, cwd=work.root)
    own = tmp_path / "gitconfig"
    own.write_text(f"[core]\n\thooksPath = {elsewhere}\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    assert work.install_hook()
    assert [one.name for one in elsewhere.iterdir()] == ["pre-commit"], "the user's own configuration is believed"


@pytest.mark.parametrize(("verb", "code"), [("status", 0), ("compact", 1)])  # 1: nothing to condense
def test_it_is_told_what_waits_for_trust(verb: str, code: int, root: Path, mdmem: Run) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    assert "mdmem trust" not in mdmem(verb, "--lang", "en", code=code).stderr
    (root / "mdmem.toml").write_text('[command]\nrun = ["sh"]\n', "utf-8")
    assert "1 setting of this folder" in mdmem(verb, "--lang", "en", code=code).stderr
    mdmem("trust", "--yes", "--lang", "en")
    assert "mdmem trust" not in mdmem(verb, "--lang", "en", code=code).stderr


def planted(root: Path, marker: Path) -> None:
    """Put modules into a folder that Python would take before its own, if it looked there."""
    code = f"open({str(marker)!r}, 'w').close()\n"
    for name in (
        "json.py",
        "pickle.py",
        "signal.py",
        "typing.py",
        "runpy.py",
        "mdmem/__init__.py",
        "mdmem/__main__.py",
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(code, "utf-8")


def test_a_process_of_ours_takes_no_module_out_of_it(make: Make, tmp_path: Path) -> None:
    work, marker = make("en"), tmp_path / "ran"
    planted(Path(work.root), marker)
    begun: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def start(*words: Any, **named: Any) -> subprocess.Popen[bytes]:
        begun.append(real(*words, **named))
        return begun[-1]

    payload = read_payload("", {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": work.root}, "claude")
    assert payload is not None
    with mock.patch.object(subprocess, "Popen", start):
        AgentHook(work, payload)._detached("status")
    assert os.waitpid(begun[0].pid, 0)[1] == 0
    assert not marker.exists()


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_the_processes_of_a_lint_take_no_module_out_of_it(make: Make, tmp_path: Path, method: str) -> None:
    """As the program that pip installs does: a script elsewhere, in an interpreter without -P."""
    work = make("en", {"a.md": "# A\n", "b.md": "# B\n"}, settings="[lint]\nparallel_from_bytes = 1\n")
    marker, script = tmp_path / "ran", tmp_path / "bin" / "script.py"
    planted(Path(work.root), marker)
    script.parent.mkdir()
    lines = (
        "import multiprocessing, sys", "from mdmem.cli import app", "if __name__ == '__main__':",
        f"    multiprocessing.set_start_method({method!r})",
        "    sys.exit(app.main(['lint', '--no-cache', '-j', '2']))",
    )  # fmt: skip
    script.write_text("\n".join(lines), "utf-8")
    done = subprocess.run([sys.executable, str(script)], cwd=work.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not marker.exists()


def test_what_an_agent_starts_takes_no_module_out_of_it(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    planted(tmp_path, marker)
    with mock.patch.object(os, "access", return_value=False):
        command = program()
    subprocess.run([*command, "--version"], cwd=tmp_path, check=True, capture_output=True)
    assert not marker.exists()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with a repository, in which a changed memory is staged."""
    root = tmp_path / "repository"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Memory\n\n- 2026-02-01: the owl nests in the barn\n", "utf-8")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    program = tmp_path / "repository" / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    program.chmod(0o755)
    return root


MONITOR = '[core]\n\tfsmonitor = "{root}/run.sh"\n'
SERVER = """[core]
\trepositoryformatversion = 1
[extensions]
\tpartialClone = x
[remote "x"]
\tpromisor = true
\turl = "{root}/elsewhere"
\tuploadpack = "{root}/run.sh"
"""


@pytest.mark.parametrize("config", [MONITOR, SERVER], ids=["monitor", "missing objects"])
def test_its_repository_runs_nothing(repository: Path, tmp_path: Path, config: str) -> None:
    with (repository / ".git" / "config").open("a", encoding="utf-8") as stream:
        stream.write(config.replace("{root}", str(repository)))
    if config == SERVER:
        for path in (repository / ".git" / "objects").glob("??"):
            shutil.rmtree(path)
    with suppress(GitError):
        list(staged_files.staged(str(repository), ["MEMORY.md"], lambda _: 1000))
        staged_files.changed(str(repository))
    assert not (tmp_path / "ran").exists()


def test_a_fifo_in_place_of_a_session_stops_nothing(make: Make) -> None:
    work = make("en", {"MEMORY.md": "# Memory\n"})
    place = Path(work.root) / "sessions"
    place.mkdir()
    os.mkfifo(place / "20260213_101010_mend_the_net.md")
    assert work.sessions.list() == ()
    assert work.keeper.extraction_prompts() == ()


@pytest.mark.parametrize("name", ["facts/ada.md", "sessions/20260213_101010_mend_the_net.md", "inbox.md"])
def test_a_fifo_among_what_was_imported_stops_no_import(make: Make, name: str) -> None:
    work = make("en")
    (Path(work.root) / name).parent.mkdir(exist_ok=True)
    os.mkfifo(Path(work.root) / name)
    assert origins(work.config).all == set()


def test_a_state_folder_that_is_a_link_takes_no_index_away_elsewhere(make: Make, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "index.db").write_text("mine", "utf-8")
    work = make("en", {"MEMORY.md": "# Memory\n\n- the owl nests in the barn\n"})
    (Path(work.root) / ".mdmem").symlink_to(elsewhere)
    work.search("owl")
    work.index.rebuild()
    assert (elsewhere / "index.db").read_text("utf-8") == "mine"


def test_old_files_behind_a_link_in_the_place_of_states_stay(make: Make, tmp_path: Path) -> None:
    will = tmp_path / "documents" / "will.md"
    will.parent.mkdir()
    will.write_text("mine", "utf-8")
    os.utime(will, (0, 0))
    work = make("en", {"MEMORY.md": "# Memory\n"}, settings="[agents]\nkeep_days = 1\n")
    for name in ("agents", "secrets"):
        (Path(work.root) / ".mdmem" / name).mkdir(parents=True, exist_ok=True)
    (Path(work.root) / ".mdmem" / "agents" / "sessions").symlink_to(will.parent)
    with suppress(MdmemError):
        hook(work, "SessionStart")
    remove_old(work.root, 1)
    assert will.exists()
