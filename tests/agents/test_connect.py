"""`mdmem connect`: what is entered stands beside what was there, and `--remove` gives back the same bytes."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import in_process
import pytest
from conftest import Make
from forms import each
from harness import files_of, holding
from hypothesis import given
from hypothesis import strategies as st

from mdmem.agents.connect import service
from mdmem.agents.connect.connection_checks import connection_checks
from mdmem.agents.connect.edits import apply, insert, read_json, value_of
from mdmem.agents.connect.entered import take_out
from mdmem.agents.connect.model import CONNECTABLE, ConnectableAgent, JsonEntry
from mdmem.agents.connect.plugin import ClaudePlugin
from mdmem.agents.connect.service import Connector
from mdmem.agents.connect.unrecorded import connected_workspaces
from mdmem.errors import ConfigError, UnreadableFileError, WriteError
from mdmem.instructions.outside_files import replace_outside
from mdmem.workspace import Workspace

SETTINGS = """{
    // mine
    "model": "opus",   /* keep */
    "hooks": {
        "SessionStart": [ {"hooks": [{"type": "command", "command": "echo hi"}]} ],
        "Stop": [],
    },
    "env": {"TOKEN": "x, ] }"}
}
"""
FILES = {
    "claude": {".claude/settings.json": SETTINGS, ".claude.json": '{"mcpServers":{"other":{"command":"x"}}}'},
    "codex": {
        ".codex/config.toml": '# mine\nmodel = "o"\r\n[mcp_servers.other]\ncommand = "x"',
        ".codex/hooks.json": "{}",
    },
    "gemini": {".gemini/settings.json": SETTINGS.replace("\n", "\r\n")},
    "cursor": {".cursor/hooks.json": '{\n\t"version": 1,\n\t"hooks": {}\n}', ".cursor/mcp.json": "\ufeff{ }"},
    "hermes": {},
}  # fmt: skip


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en", {"MEMORY.md": "# Memory\n"})


def lay(home: Path, agent: str) -> dict[str, bytes]:
    for name, text in FILES[agent].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())
    return files_of(home)


@pytest.mark.parametrize("agent", CONNECTABLE)
@pytest.mark.parametrize("there", [True, False])
def test_connect_then_remove_gives_the_same_bytes(
    work: Workspace, home: Path, agent: ConnectableAgent, there: bool
) -> None:
    before = lay(home, agent) if there else {}
    planned = Connector(work).connect(agent, dry_run=True)
    assert files_of(home) == before
    done = Connector(work).connect(agent)
    assert [one.diff for one in done] == [one.diff for one in planned]
    connected = files_of(home)
    assert connected != before
    assert all(one.status == "unchanged" for one in Connector(work).connect(agent))
    assert files_of(home) == connected
    assert all(one.status == "removed" for one in Connector(work).disconnect(agent))
    assert files_of(home) == before
    assert all(one.status == "none" for one in Connector(work).disconnect(agent))


@pytest.mark.parametrize(("agent", "variable", "file"), [
    ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
    ("hermes", "HERMES_HOME", "plugins/mdmem/__init__.py"),
])  # fmt: skip
def test_an_agent_with_a_home_of_its_own_is_connected_there(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch, agent: ConnectableAgent, variable: str, file: str
) -> None:
    monkeypatch.setenv(variable, str(home / "elsewhere"))
    Connector(work).connect(agent)
    assert set(files_of(home)) == {f"elsewhere/{file}"}


def test_what_an_agent_reads_has_the_foreign_entries_and_ours(work: Workspace, home: Path) -> None:
    lay(home, "codex")
    lay(home, "claude")
    Connector(work).connect("codex")
    Connector(work).connect("claude")
    servers = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))["mcp_servers"]
    assert set(servers) == {"other", "mdmem"}
    assert servers["mdmem"]["args"][-1] == work.root
    assert set(json.loads((home / ".claude.json").read_bytes())["mcpServers"]) == {"other", "mdmem"}
    text = (home / ".claude/settings.json").read_text("utf-8")
    assert "// mine" in text
    assert '"echo hi"' in text
    assert text.count("hook run start") == 1


@pytest.mark.thorough
def test_doctor_says_that_the_tools_need_a_package(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Connector(work).connect("claude")
    assert "mcp" not in {one.name for one in connection_checks(work)}
    monkeypatch.setattr("mdmem.agents.connect.connection_checks.has_sdk", lambda: False)
    (found,) = [one for one in connection_checks(work) if one.name == "mcp"]
    assert found.state == "weaker"
    assert "mcp>=2" in found.hint


def test_changes_by_hand_after_connect_stay(work: Workspace, home: Path) -> None:
    lay(home, "claude")
    Connector(work).connect("claude")
    path = home / ".claude/settings.json"
    path.write_text(path.read_text("utf-8").replace('"opus"', '"sonnet of a longer name"'), "utf-8")
    Connector(work).disconnect("claude")
    assert path.read_text("utf-8") == SETTINGS.replace('"opus"', '"sonnet of a longer name"')


def rewrite(path: Path, old: str, new: str) -> str:
    """Replace words in a file as an editor does, and return its text."""
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())
    return text.replace(old, new)


def test_an_entry_that_was_changed_by_hand_is_left_and_told(work: Workspace, home: Path) -> None:
    before = lay(home, "gemini")
    Connector(work).connect("gemini")
    path = home / ".gemini/settings.json"
    changed = rewrite(path, "hook run end", "hook run END")
    line = next(at for at, one in enumerate(changed.split("\n"), 1) if '"SessionEnd"' in one)
    (again,) = Connector(work).connect("gemini")
    assert (again.status, again.left) == ("unchanged", (("hooks.SessionEnd", line + 1),))
    assert path.read_bytes().decode() == changed
    (done,) = Connector(work).disconnect("gemini")
    assert (done.status, [place for place, _ in done.left]) == ("removed", ["hooks.SessionEnd"])
    text = path.read_bytes().decode()
    assert '"hooks": [' in text.split("\n")[done.left[0][1]]
    assert text.count(work.root) == 1
    values = value_of(text)
    del values["hooks"]["SessionEnd"]
    assert values == value_of(before[".gemini/settings.json"].decode())
    assert "// mine\r\n" in text
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["bad"]
    assert Connector(work).disconnect("gemini")[0].left == done.left


def test_entries_that_were_taken_out_by_hand_are_no_longer_expected(work: Workspace, home: Path) -> None:
    Connector(work).connect("gemini")
    path = home / ".gemini/settings.json"
    values = json.loads(path.read_bytes())
    del values["hooks"]["SessionEnd"]
    values["hooks"]["AfterTool"] = []
    path.write_text(json.dumps(values), "utf-8")
    assert [(one.status, one.left) for one in Connector(work).disconnect("gemini")] == [("removed", ())]
    assert json.loads(path.read_bytes()) == {}


@pytest.mark.thorough
@pytest.mark.parametrize(("old", "new"), [('"timeout": 10', '"timeout": 60'), ('"type"', '/* mine */ "type"')])
def test_an_entry_that_still_calls_what_we_entered_is_ours(work: Workspace, home: Path, old: str, new: str) -> None:
    before = lay(home, "claude")
    Connector(work).connect("claude")
    changed = rewrite(home / ".claude/settings.json", old, new)
    assert {(one.status, one.left) for one in Connector(work).connect("claude")} == {("unchanged", ())}
    assert (home / ".claude/settings.json").read_text("utf-8") == changed
    assert {one.state for one in connection_checks(work)} == {"good"}
    assert {(one.status, one.left) for one in Connector(work).disconnect("claude")} == {("removed", ())}
    left = (home / ".claude/settings.json").read_text("utf-8")
    assert work.root not in left
    assert value_of(left) == value_of(before[".claude/settings.json"].decode())


def test_hooks_of_a_person_and_of_another_workspace_are_not_ours(work: Workspace, home: Path) -> None:
    commands = (f"git -C {work.root} add .", f"mdmem hook run stop --for claude --root {work.root}2")
    own = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": one}]} for one in commands]}}
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(own, indent=2), "utf-8")
    assert [one.left for one in Connector(work).connect("claude")] == [(), ()]
    assert path.read_text("utf-8").count("hook run stop") == 2
    assert [one.left for one in Connector(work).disconnect("claude")] == [(), ()]
    assert json.loads(path.read_bytes()) == own


def test_a_new_program_replaces_our_entries_and_leaves_the_edited_one(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(home, "claude")
    Connector(work).connect("claude")
    path = home / ".claude/settings.json"
    rewrite(path, "hook run stop", "hook run stop --quiet")
    monkeypatch.setattr(service, "program", lambda: ["/opt/new/mdmem"])
    hooks, server = Connector(work).connect("claude")
    assert ([place for place, _ in hooks.left], server.left) == (["hooks.Stop"], ())
    text = path.read_text("utf-8")
    assert text.count("hook run stop") == 1
    assert text.count("/opt/new/mdmem hook run") == 5
    assert not Connector(work).connect("claude")[1].left


@pytest.mark.parametrize("agent", ["codex", "hermes"])
def test_an_edited_text_is_left_and_told(work: Workspace, home: Path, agent: ConnectableAgent) -> None:
    lay(home, agent)
    Connector(work).connect(agent)
    path = home / {"codex": ".codex/config.toml", "hermes": ".hermes/plugins/mdmem/__init__.py"}[agent]
    edited = path.read_text("utf-8") + "timeout = 3\n"
    path.write_text(edited.replace(work.root, "/elsewhere"), "utf-8")
    edited = path.read_text("utf-8")
    for found in (Connector(work).connect(agent), Connector(work).disconnect(agent)):
        assert found[-1].left
        assert path.read_text("utf-8") == edited
    path.unlink()
    assert Connector(work).disconnect(agent)[-1].status == "none"


@pytest.mark.thorough
@pytest.mark.parametrize("step", [None, 2, 7])
@pytest.mark.parametrize("agent", ["claude", "gemini", "cursor"])
def test_an_agent_may_write_its_settings_anew(
    work: Workspace, home: Path, agent: ConnectableAgent, step: int | None
) -> None:
    """Claude Code writes ~/.claude.json at every start, in a form and an order of its own."""
    own = {"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo hi"}]}]}}
    names = [name for name in FILES[agent] if name.endswith(".json")]
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(json.dumps(own), "utf-8")
    Connector(work).connect(agent)
    for name in names:
        values = {"startups": 3, **json.loads((home / name).read_text("utf-8")), "theme": "dark"}
        (home / name).write_text(json.dumps(values, indent=step), "utf-8")
    assert {one.state for one in connection_checks(work)} == {"good"}
    assert {one.status for one in Connector(work).connect(agent)} == {"unchanged"}
    assert {one.status for one in Connector(work).disconnect(agent)} == {"removed"}
    for name in names:
        left = json.loads((home / name).read_text("utf-8"))
        assert left.pop("mcpServers", {}) == {}
        assert left == {"startups": 3, **own, "theme": "dark"}


@pytest.mark.parametrize(("text", "says"), [
    ('{"mcpServers": {"mdmem": {"command": "mine"}}}', "another entry called `mdmem`"),
    ("{", "can read"),
    ("[]", "can read"),
    ("\x00", "can read"),
    ('{\n"hooks": 3}', "`hooks`, line 2, is no object"),
    ('{"hooks": null}', "`hooks`, line 1, is no object"),
    ('{"hooks": {"SessionEnd": {}}}', "`hooks.SessionEnd`, line 1, is no list"),
])  # fmt: skip
def test_what_cannot_be_entered_is_refused_and_nothing_changes(
    work: Workspace, home: Path, text: str, says: str
) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text(text, "utf-8")
    before = files_of(home)
    with pytest.raises(ConfigError) as caught:
        Connector(work).connect("gemini")
    assert says in caught.value.message
    assert caught.value.hint
    assert str(home) not in str(caught.value)
    assert files_of(home) == before


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n"])
@pytest.mark.parametrize("agent", ["claude", "cursor"])
def test_an_empty_settings_file_is_filled_and_empty_again(
    work: Workspace, home: Path, agent: ConnectableAgent, text: str
) -> None:
    for name in FILES[agent]:
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_bytes(text.encode())
    before = files_of(home)
    assert {one.status for one in Connector(work).connect(agent)} == {"connected"}
    assert all(json.loads((home / name).read_bytes()) for name in FILES[agent])
    assert {one.status for one in Connector(work).connect(agent)} == {"unchanged"}
    assert {one.status for one in Connector(work).disconnect(agent)} == {"removed"}
    assert files_of(home) == before


@pytest.mark.parametrize("name", [".claude/settings.json", ".claude.json"])
def test_a_file_that_cannot_be_written_leaves_the_other_as_it_was(work: Workspace, home: Path, name: str) -> None:
    lay(home, "claude")
    (home / name).chmod(0o444)
    before = files_of(home)
    with pytest.raises(WriteError, match="read-only") as caught:
        Connector(work).connect("claude")
    assert caught.value.hint
    assert files_of(home) == before
    assert Connector(work).connect("claude", dry_run=True)[0].status == "planned"
    assert list(connection_checks(Workspace(work.root))) == []


@pytest.mark.parametrize("remove", [False, True])
def test_a_folder_in_place_of_the_settings_is_told(work: Workspace, home: Path, remove: bool) -> None:
    if remove:
        Connector(work).connect("claude")
        (home / ".claude.json").unlink()
    (home / ".claude.json").mkdir()
    before = files_of(home)
    with pytest.raises(UnreadableFileError, match="is a folder") as caught:
        (Connector(work).disconnect if remove else Connector(work).connect)("claude")
    assert caught.value.hint
    assert files_of(home) == before


def test_hooks_that_are_switched_off_are_told(work: Workspace, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"disableAllHooks": true}', "utf-8")
    assert [one.disabled_by for one in Connector(work).connect("claude")] == ["disableAllHooks", ""]
    assert [one.state for one in connection_checks(Workspace(work.root))] == ["good", "weaker"]
    assert {one.disabled_by for one in Connector(work).disconnect("claude")} == {""}


@pytest.mark.parametrize(("text", "says"), [
    ('mcp_servers = { other = { command = "y" } }\n', "inline"),
    ('[mcp_servers]\nmdmem.command = "mine"\n', "another entry"),
    ('mcp_servers.mdmem.command = "mine"\n', "another entry"),
    ('[ mcp_servers . "mdmem" ]\ncommand = "mine"\n', "another entry"),
    ("[[mcp_servers]]\nx = 1\n", "can read"),
    ('mcp_servers = "x"\n', "can read"),
    ("model = \n", "can read"),
])  # fmt: skip
def test_toml_that_would_break_is_refused_and_nothing_changes(
    work: Workspace, home: Path, text: str, says: str
) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(text, "utf-8")
    before = files_of(home)
    with pytest.raises(ConfigError, match=says):
        Connector(work).connect("codex")
    assert files_of(home) == before


@pytest.mark.parametrize("text", [
    'mcp_servers.other.command = "y"\n',
    "\ufeffmodel = 'o'\r\n[mcp_servers]\r\n",
    'note = """\n[mcp_servers.mdmem]\n"""\n',
])  # fmt: skip
def test_toml_in_any_form_stays_toml(work: Workspace, home: Path, text: str) -> None:
    (home / ".codex").mkdir()
    path = home / ".codex/config.toml"
    path.write_bytes(text.encode())
    Connector(work).connect("codex")
    assert "mdmem" in tomllib.loads(path.read_bytes().decode("utf-8-sig"))["mcp_servers"]
    Connector(work).disconnect("codex")
    assert path.read_bytes() == text.encode()


OTHER = '[mcp_servers.other]\ncommand = "x"\n'


@pytest.mark.parametrize("added", ["startup_timeout_sec = 20\n", '[mcp_servers.mdmem.env]\nLANG = "C"\n'])
def test_what_somebody_adds_to_our_table_does_not_become_part_of_another(
    work: Workspace, home: Path, added: str
) -> None:
    (home / ".codex").mkdir()
    path = home / ".codex/config.toml"
    path.write_text(OTHER, "utf-8")
    Connector(work).connect("codex")
    path.write_text(path.read_text("utf-8") + added, "utf-8")
    before = path.read_text("utf-8")
    assert {one.status for one in Connector(work).connect("codex")} == {"unchanged"}
    assert [one.status for one in Connector(work).disconnect("codex")] == ["removed", "changed"]
    assert path.read_text("utf-8") == before


def test_a_table_that_somebody_adds_below_ours_stays(work: Workspace, home: Path) -> None:
    (home / ".codex").mkdir()
    path = home / ".codex/config.toml"
    path.write_text(OTHER, "utf-8")
    Connector(work).connect("codex")
    path.write_text(path.read_text("utf-8") + '[profiles.fast]\nmodel = "o"\n', "utf-8")
    assert {one.status for one in Connector(work).disconnect("codex")} == {"removed"}
    assert path.read_text("utf-8") == OTHER + '[profiles.fast]\nmodel = "o"\n'


def test_links_and_permissions_of_settings_stay(work: Workspace, home: Path) -> None:
    (home / ".gemini").mkdir()
    (home / "dotfiles.json").write_text("{}", "utf-8")
    (home / "dotfiles.json").chmod(0o640)
    (home / ".gemini/settings.json").symlink_to(home / "dotfiles.json")
    Connector(work).connect("gemini")
    assert (home / ".gemini/settings.json").is_symlink()
    assert stat.S_IMODE((home / "dotfiles.json").stat().st_mode) == 0o640


def test_what_somebody_else_saves_in_the_same_moment_stays(
    work: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / ".claude.json"
    path.write_text('{"a": 1}', "utf-8")

    def late(*given: Any) -> None:
        if str(given[0]).endswith(".claude.json"):
            monkeypatch.setattr(service, "replace_outside", replace_outside)
            path.write_text('{"a": 1, "saved": 2}', "utf-8")
        replace_outside(*given)

    monkeypatch.setattr(service, "replace_outside", late)
    assert {one.status for one in Connector(work).connect("claude")} <= {"connected", "unchanged"}
    assert {"a", "saved", "mcpServers"} == set(json.loads(path.read_bytes()))
    Connector(work).disconnect("claude")
    assert path.read_text("utf-8") == '{"a": 1, "saved": 2}'


def test_settings_that_are_gone_are_no_longer_expected(work: Workspace, home: Path) -> None:
    Connector(work).connect("gemini")
    (home / ".gemini/settings.json").unlink()
    assert [one.status for one in Connector(work).disconnect("gemini")] == ["none"]
    assert list(connection_checks(Workspace(work.root))) == []


def test_secrets_of_the_settings_stand_in_no_diff(work: Workspace, home: Path) -> None:
    secret = "ghp_" + "Zk3vQ9mT7xLr2WbN8cYp5HsJ4dFg6AeU1oRi"
    (home / ".claude.json").write_text(f'{{"token": "{secret}"}}', "utf-8")
    assert not any(secret in one.diff for one in Connector(work).connect("claude"))
    assert holding(work.root, secret) == []


def test_a_connection_is_checked(work: Workspace, home: Path) -> None:
    assert list(connection_checks(work)) == []
    Connector(work).connect("claude")
    assert {one.state for one in connection_checks(work)} == {"good"}
    (home / ".claude.json").unlink()
    assert {one.state for one in connection_checks(work)} == {"good", "bad"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from('abc"'), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(("a", "b", "hooks")), VALUES, max_size=3), st.sampled_from((None, 1, "\t")))
def test_an_insertion_keeps_every_value_and_is_taken_out_again(
    value: dict[str, object], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)
    entry = JsonEntry(("new", "list"), {"x": [1, ", }"]})
    made = insert(text, entry)
    assert made
    longer = apply(text, made)
    assert json.loads(longer) == {**value, "new": {"list": [{"x": [1, ", }"]}]}}
    assert insert(longer, entry) is None
    assert take_out(longer, [made]) == text


@pytest.mark.parametrize(
    "text", ["", "{", '{"a" 1}', '{"a": 1 "b": 2}', "{} x", "[" * 5000, '"' + "\\" * 9999, "{" + "/*" * 9999]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any reason
        read_json(text)


@pytest.mark.parametrize("agent", CONNECTABLE)
@pytest.mark.parametrize("lost", ["folder", "record"])
def test_an_agent_is_disconnected_also_when_the_memory_or_its_record_is_gone(
    work: Workspace, home: Path, agent: ConnectableAgent, lost: str
) -> None:
    for name, text in FILES[agent].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())
    Connector(work).connect(agent)
    assert [one.root for one in connected_workspaces(agent)] == [work.root]
    shutil.rmtree(work.root if lost == "folder" else Path(work.root, ".mdmem", "agents"))
    found = Connector(Workspace(work.root)).disconnect(agent)
    assert {one.status for one in found} == {"removed"}
    assert connected_workspaces(agent) == ()
    assert holding(home, "mdmem") == []
    for name, text in FILES[agent].items():
        left = (home / name).read_bytes().decode()
        if name.endswith(".toml"):
            assert tomllib.loads(left) == tomllib.loads(text)
        else:
            assert value_of(left) == _without_blank(value_of(text), value_of(left))
    assert lost != "folder" or not Path(work.root).exists()


def _without_blank(was: dict[str, Any], left: dict[str, Any]) -> dict[str, Any]:
    """Return settings without the empty objects and lists that an unrecorded removal may take along."""
    return {
        key: _without_blank(value, left.get(key, {})) if isinstance(value, dict) else value
        for key, value in was.items()
        if value not in ({}, []) or key in left
    }


def test_the_command_finds_the_memory_that_an_agent_is_connected_with(
    work: Workspace, home: Path, tmp_path: Path
) -> None:
    Connector(work).connect("claude")
    other = Workspace(tmp_path / "other", lang="en")
    other.init()
    (tmp_path / "nowhere").mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return in_process.run_text("connect", "claude", "--remove", *words, cwd=cwd, env=environment)

    elsewhere = run(cwd=tmp_path / "other")
    assert f"--root {work.root}" in elsewhere.stdout
    assert run("--dry-run", cwd=tmp_path / "nowhere").returncode == 0
    done = run(cwd=tmp_path / "nowhere")
    assert (done.returncode, done.stdout.count("taken out of")) == (0, 2)
    again = run(cwd=tmp_path / "nowhere")
    assert (again.returncode, "--root" in again.stderr) == (3, True)


@pytest.mark.parametrize("options", [(), ("--project", "pro ject"), ("--file", "AGENTS.md"), ("--plugin", "plug")])
def test_the_command_that_connect_prints_takes_it_out_again(
    work: Workspace, home: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "pro ject").mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(home / "cache")}
    done = in_process.run_text(
        "connect", "claude", *options, "--root", work.root, "--lang", "en", cwd=tmp_path, env=env
    )
    assert done.returncode == 0, done.stderr
    told = re.sub(r"\n +", " ", done.stdout)
    (command,) = re.findall(r"`mdmem (connect claude --remove[^`]*)`", told)
    undone = in_process.run_text(*shlex.split(command), cwd=tmp_path, env=env)
    assert undone.returncode == 0, undone.stderr
    left = [path for path in tmp_path.rglob("*") if path.is_file() and "cache" not in path.parts]
    left = [path for path in left if work.root not in str(path)]
    assert [path.name for path in left if b"mdmem" in path.read_bytes()] == []


def test_a_removal_leaves_no_folder_that_connect_made(work: Workspace, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".gemini").mkdir(parents=True)
    for agent in CONNECTABLE[:4]:
        connector = Connector(work, str(project))
        connector.connect(agent)
        connector.connect(agent)
        connector.disconnect(agent)
    assert os.listdir(project) == [".gemini"], "only what was there before"
    Connector(work, str(project)).connect("claude")
    (project / ".claude" / "mine.md").write_text("mine", "utf-8")
    Connector(work, str(project)).disconnect("claude")
    assert os.listdir(project / ".claude") == ["mine.md"]


@pytest.mark.parametrize("agent", CONNECTABLE[:4])
def test_a_removal_names_the_project_that_has_the_entries(
    work: Workspace, home: Path, tmp_path: Path, agent: str
) -> None:
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(home / "cache")}
    project = tmp_path / "my project"
    project.mkdir()
    words = ["connect", agent, "--lang", "en"]
    assert in_process.run_text(*words, "--project", str(project), cwd=Path(work.root), env=env).returncode == 0
    told = in_process.run_text(*words, "--remove", cwd=Path(work.root), env=env)
    command = shlex.join(["mdmem", "connect", agent, "--remove", "--project", str(project)])
    assert f"`{command}`" in told.stdout
    assert in_process.run_text(*shlex.split(command)[1:], cwd=Path(work.root), env=env).returncode == 0
    assert os.listdir(project) == []


def test_an_entry_of_another_memory_is_taken_out_by_the_command_in_the_hint(
    work: Workspace, make: Make, home: Path
) -> None:
    Connector(work).connect("claude")
    other = Workspace(str(home / "other memory"))
    (home / "other memory").mkdir()
    with pytest.raises(ConfigError) as raised:
        Connector(other).connect("claude")
    assert f"mdmem connect claude --remove --root {work.root}" in raised.value.hint


def test_doctor_says_that_settings_and_plugin_are_one_too_many(work: Workspace, home: Path, tmp_path: Path) -> None:
    ClaudePlugin(work).write(str(tmp_path / "plug"))
    assert not [one for one in connection_checks(work) if "one is enough" in one.message]
    Connector(work).connect("claude")
    (told,) = [one for one in connection_checks(work) if "one is enough" in one.message]
    assert told.state == "weaker"
    assert "connect claude --remove" in told.hint


@pytest.mark.parametrize(
    ("agent", "name"),
    each(4, list(product(("claude", "codex", "gemini"), ("it's mine", 'say "hi"', "a b", "back\\slash", "记忆")))),
)
def test_a_renamed_folder_is_told_and_connected_again(
    home: Path, tmp_path: Path, agent: ConnectableAgent, name: str
) -> None:
    old, new = tmp_path / f"old {name}", tmp_path / f"new {name}"
    old.mkdir()
    (old / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    Connector(Workspace(old)).connect(agent)
    assert all(one.state == "good" for one in connection_checks(Workspace(old)))
    old.rename(new)
    moved = [one for one in connection_checks(Workspace(new)) if one.name == f"connection-{agent}"]
    assert {one.state for one in moved} == {"bad"}
    assert all(new.name in one.hint for one in moved)
    Connector(Workspace(new)).connect(agent)
    assert all(one.state == "good" for one in connection_checks(Workspace(new)))
    assert not any(old.name.encode() in data for data in files_of(home).values())
