"""Every verb reports a mdmem.toml that is no regular file, without waiting for it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run

from mdmem.config import settings_file
from mdmem.settings.reader import without_mistakes
from mdmem.settings.toml_file import MOST_BYTES
from mdmem.store.files import FileSnapshot

_SAID = "canary-of-another-folder"


def _socket(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


def _outside(path: Path) -> None:
    elsewhere = path.parent.parent / "elsewhere.toml"
    elsewhere.write_text(f'{_SAID} = "{_SAID}"\n', "utf-8")
    path.symlink_to(elsewhere)


_MADE: dict[str, Callable[[Path], object]] = {
    "not a regular file": os.mkfifo,
    "not a regular file ": _socket,
    "is a folder": Path.mkdir,
    "does not exist": lambda path: path.symlink_to("nowhere.toml"),
    "leads out": _outside,
    "leads out ": lambda path: path.symlink_to("/dev/zero"),
    "at most": lambda path: path.write_bytes(b"# " + b"x" * MOST_BYTES),
}
_VERBS = (
    ["lint"],
    ["status"],
    ["search", "heron"],
    ["context"],
    ["add", "MEMORY.md", "the heron nests on the mill"],
    ["config", "show"],
    ["compact"],
)


@pytest.mark.parametrize("said", _MADE)
def test_it_is_told_by_every_verb(said: str, root: Path, mdmem: Run) -> None:
    (root / "mdmem.toml").unlink()
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    _MADE[said](root / "mdmem.toml")
    for verb in _VERBS:
        done = mdmem(*verb, "--lang", "en", code=4)
        assert said.strip() in done.stderr, verb
        assert "mdmem.toml" in done.stderr
        assert _SAID not in done.stdout + done.stderr


@pytest.mark.parametrize("said", _MADE)
def test_a_check_tells_it_and_goes_on(said: str, root: Path, mdmem: Run) -> None:
    (root / "mdmem.toml").unlink()
    _MADE[said](root / "mdmem.toml")
    done = mdmem("doctor", "--root", str(root), "--lang", "en", code=1)
    assert said.strip() in done.stdout
    assert "locks" in done.stdout


def test_one_that_may_not_be_read_is_told(root: Path, mdmem: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = FileSnapshot("unreadable", 0, "none", b"")
    monkeypatch.setattr(settings_file, "read_snapshot", lambda *_: seen)
    assert "cannot be read" in mdmem("lint", "--lang", "en", code=4).stderr


def test_a_template_is_not_read_from_elsewhere(root: Path, mdmem: Run) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.md").write_text(f"---\nmdmem:\n  kind: x\n---\n# {_SAID}\n", "utf-8")
    (root / "templates").symlink_to(elsewhere)
    done = mdmem("lint", "--lang", "en", code=4)
    assert "leads out" in done.stderr
    assert _SAID not in done.stdout + done.stderr


def test_an_ignore_file_from_elsewhere_hides_nothing(root: Path, mdmem: Run) -> None:
    (root / "MEMORY.md").write_text("# Memory\n\n- the owl nests in the barn\n", "utf-8")
    (root.parent / "patterns").write_text("*.md\n", "utf-8")
    (root / ".gitignore").symlink_to(root.parent / "patterns")
    assert "owl" in mdmem("search", "owl", "--lang", "en").stdout


def test_wrong_keys_are_passed_over_without_a_search_for_similar_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("difflib.get_close_matches", lambda *_: pytest.fail("asked for a similar key"))
    assert without_mistakes({"a": 1}, {"a": 2, **{f"k{number}": 1 for number in range(1000)}}) == {"a": 2}
