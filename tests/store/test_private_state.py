"""What mdmem keeps for itself is for its user alone, in the folder and beside it, whatever the umask is."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import in_process
import pytest
from conftest import Run

from mdmem.agents.hooks.hook_state import HookState, write_state
from mdmem.store.files import make_private_folders, open_private, read_json
from mdmem.store.locks import key
from mdmem.store.root import remove_older

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_VERBS = (
    ["init"], ["add", "MEMORY.md", "2026-02-01: the owl nests in the barn"], ["search", "owl"], ["status"], ["lint"],
    ["add", "MEMORY.md", "2026-02-02: the heron nests on the mill"], ["undo"], ["log"], ["recall", "owl"],
    ["remember", "I like tea"], ["fact", "set", "user", "tea", "green"], ["pin", "add", "rule", "calls", "no"],
    ["session", "start", "mend the boat"], ["session", "turn", "user", "I live in Rome"], ["session", "end"],
    ["compact"], ["extract"], ["night", "--now"], ["watch", "--once"], ["index", "build"], ["busy", "--for", "1s"],
    ["connect", "claude"], ["connect", "codex", "--file", "../project/AGENTS.md"], ["context"], ["doctor"],
    ["trust", "--yes"], ["rm", "MEMORY.md", "owl"], ["mv", "NOTEBOOK.md", "notes.md"], ["forget", "Rome", "--yes"],
    ["search", "owl"],
)  # fmt: skip


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Give the user's folders places of their own, under the umask of most systems."""
    for name in ("STATE", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    before = os.umask(0o022)
    yield [tmp_path / name / "mdmem" for name in ("STATE", "CACHE", "CONFIG")]
    os.umask(before)


def _kept(root: Path, homes: list[Path]) -> list[Path]:
    places = [root / ".mdmem", *homes]
    return [one for place in places for one in (place, *place.rglob("*")) if one.exists()]


def _open(paths: list[Path]) -> list[str]:
    return [str(one) for one in paths if not one.is_symlink() and one.stat().st_mode & _OTHERS]


@pytest.mark.thorough
def test_nothing_of_it_is_open_to_others(root: Path, homes: list[Path], mdmem: Run) -> None:
    (root / "mdmem.toml").write_text('lang = "en"\n[command]\nrun = ["true"]\n', "utf-8")
    for verb in _VERBS:
        in_process.run_text(*verb, cwd=root, env=dict(os.environ))
    write_state(str(root), "s1", HookState("claude"))
    found = _kept(root, homes)
    names = {one.name for one in found}
    assert {"locks", "history", "identity", "index.db", "trusted", "settings", "connections.json"} <= names
    assert _open(found) == []
    memory = root / "MEMORY.md"
    memory.chmod(0o644)
    mdmem("add", "MEMORY.md", "2026-02-03: the stork is back", "--lang", "en")
    assert stat.S_IMODE(memory.stat().st_mode) == 0o644  # a memory is its owner's file


def test_what_was_open_is_closed_by_the_next_write(root: Path, homes: list[Path], mdmem: Run) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n## Notes\n\n- 2026-02-01: the owl nests in the barn\n", "utf-8")

    def work(number: int) -> None:
        mdmem("add", "MEMORY.md", f"2026-02-0{number}: the heron has {number} eggs", "--lang", "en")
        mdmem("search", "heron", "--lang", "en")
        (root / "mdmem.toml").write_text(
            f'lang = "en"\n[command]\nrun = ["true"]\n[lint]\nmax_bytes = {number}000000\n', "utf-8"
        )
        mdmem("trust", "--yes", "--lang", "en")
        mdmem("night", "--now", "--lang", "en")
        write_state(str(root), "s1", HookState("claude"))

    work(1)
    for one in _kept(root, homes):
        one.chmod(one.stat().st_mode | (0o055 if one.is_dir() else 0o044))
    wide = {str(one) for one in _kept(root, homes)}
    work(2)
    left = [name for name in _open(_kept(root, homes)) if name in wide]
    folders = (".mdmem", "locks", "history", "agents", "agents/sessions", "trusted", "settings", "mdmem/settings")
    written = (f"locks/{key('MEMORY.md')}", "history/log", "index.db", "index.lock", *folders)
    assert [name for name in left if name.removeprefix(str(homes[2])).endswith(written)] == []
    assert not [name for name in left if Path(name).parent.name in ("trusted", "sessions", "settings")]
    assert {stat.S_IMODE(one.stat().st_mode) for one in homes[:2]} == {0o700}


def test_a_file_of_ours_is_private_and_never_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"x")
    (tmp_path / "old").chmod(0o666)
    (tmp_path / "link").symlink_to("old")
    for name in ("old", "new"):
        os.close(open_private(str(tmp_path / name), os.O_RDWR | os.O_CREAT))
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    with pytest.raises(OSError, match="link"):
        open_private(str(tmp_path / "link"), os.O_RDWR | os.O_CREAT)


def test_folders_above_the_users_own_keep_their_modes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    top = home / "state/mdmem"
    make_private_folders(str(top / "agents/x"), str(top))
    for one in (top, top / "agents", top / "agents/x"):
        assert stat.S_IMODE(one.stat().st_mode) == 0o700
        one.chmod(0o755)
    make_private_folders(str(top / "agents/x"), str(top))
    assert {stat.S_IMODE(one.stat().st_mode) for one in (top, top / "agents", top / "agents/x")} == {0o700}
    assert stat.S_IMODE(home.stat().st_mode) == 0o755


def _open_to_others(cache: Path) -> list[str]:
    found = [cache / "mdmem", *(cache / "mdmem").rglob("*")]
    return [one.name for one in found if one.lstat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]


def test_the_caches_are_private_whatever_they_were(root: Path, mdmem: Run, cache: Path) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    mdmem("search", "owl")
    mdmem("status")
    assert (cache / "mdmem").is_dir()
    assert not _open_to_others(cache)
    for one in [cache / "mdmem", *(cache / "mdmem").rglob("*")]:
        one.chmod(0o755 if one.is_dir() else 0o644)
    (root / "MEMORY.md").write_text("# Memory\n\n- the heron nests on the mill\n", "utf-8")
    mdmem("search", "heron")
    mdmem("status")
    left = _open_to_others(cache)
    assert not [name for name in left if name == "mdmem" or name.endswith(".db") or name.startswith("lint-")]


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "one.json").write_bytes(data)
    assert read_json(str(tmp_path), "one.json", 1_000_000) == {}


def test_neither_a_pipe_nor_a_link_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a writer
    (tmp_path / "one.json").write_text('{"a": 1}', "utf-8")
    (tmp_path / "link").symlink_to("one.json")
    assert [read_json(str(tmp_path), name, 100) for name in ("pipe", "link", "one.json")] == [{}, {}, {"a": 1}]


def test_no_file_behind_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "one.json").write_text('{"a": 1}', "utf-8")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "states").symlink_to(tmp_path / "elsewhere")
    assert read_json(str(tmp_path / "root"), "states/one.json", 100) == {}


def test_what_cannot_be_removed_keeps_no_other_file(tmp_path: Path) -> None:
    states = tmp_path / "states"
    for name in ("a", "b", "new"):
        states.mkdir(exist_ok=True)
        (states / name).write_text("{}", "utf-8")
    for name in ("0", "1", "z"):
        (states / name).mkdir()
    for name in os.listdir(states):
        if name != "new":
            os.utime(states / name, (0, 0))
    remove_older(str(tmp_path), "states", 60)
    assert sorted(os.listdir(states)) == ["0", "1", "new", "z"]


@pytest.mark.parametrize("target", ["elsewhere", "root/facts"])
def test_nothing_behind_a_link_is_removed(tmp_path: Path, target: str) -> None:
    old = tmp_path / target / "will.md"
    old.parent.mkdir(parents=True)
    old.write_text("mine", "utf-8")
    os.utime(old, (0, 0))
    (tmp_path / "root" / "states").parent.mkdir(exist_ok=True)
    (tmp_path / "root" / "states").symlink_to(tmp_path / target)
    remove_older(str(tmp_path / "root"), "states", 1)
    assert old.exists()
