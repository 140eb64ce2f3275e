"""What a walk cannot look into is named, never passed over in silence."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from mdmem.config.settings_file import read_settings_file
from mdmem.errors import ConfigError, UnreadableFileError, WorkspaceNotFoundError, WriteError
from mdmem.store.files import names_in
from mdmem.store.walk import FileWalk, FolderListing
from mdmem.workspace import Workspace


@pytest.mark.parametrize(("blind", "found"), [("private", ["a.md", "private", "z.md"]), ("", ["."])])
def test_a_folder_that_cannot_be_read_is_given_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blind: str, found: list[str]
) -> None:
    (tmp_path / "private").mkdir()
    for name in ("a.md", "private/b.md", "z.md"):
        (tmp_path / name).write_bytes(b"# x\n")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == os.path.join(tmp_path, blind):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert list(FileWalk(str(tmp_path), ("*.md",), (), ()).files()) == found


@pytest.mark.parametrize("verb", ["lint", "fix"])
def test_a_root_that_cannot_be_looked_at_is_not_told_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    work = Workspace(tmp_path, lang="en")
    with without(monkeypatch, "stat", str(tmp_path)), pytest.raises(UnreadableFileError, match="cannot be opened: no"):
        getattr(work, verb)()
    shutil.rmtree(tmp_path)
    with pytest.raises(WorkspaceNotFoundError, match="there is no folder"):
        getattr(work, verb)()


@pytest.mark.parametrize("verb", ["lint", "fix"])
def test_a_root_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    work = Workspace(tmp_path, lang="en")
    below = os.path.join(tmp_path, "")
    with without(monkeypatch, "stat", below), without(monkeypatch, "scandir", below):
        [found] = getattr(work, verb)().diagnostics
    assert (found.code, found.path) == ("MM119", ".")


def test_settings_that_cannot_be_looked_at_are_not_taken_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may forbid what the shipped ones allow."""
    settings = tmp_path / "mdmem.toml"
    settings.write_text('[memory]\nread_only = ["*.md"]\n')
    with without(monkeypatch, "lstat", str(settings)), pytest.raises(ConfigError, match="cannot be read"):
        read_settings_file(str(settings), "mdmem.toml", str(tmp_path))
    settings.unlink()
    assert read_settings_file(str(settings), "mdmem.toml", str(tmp_path)) is None


def test_a_root_that_cannot_be_made_is_named_and_not_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Workspace(tmp_path / "memory", lang="en")
    with without(monkeypatch, "mkdir", str(tmp_path / "memory")), pytest.raises(WriteError) as told:
        work.init()
    assert str(told.value) == "memory: could not be created: no"


@contextmanager
def without(monkeypatch: pytest.MonkeyPatch, call: str, path: str) -> Iterator[None]:
    """Let a call of the system fail for one path."""
    real = getattr(os, call)
    with monkeypatch.context() as one:
        one.setattr(os, call, lambda asked, *a, **k: refused() if str(asked) == path else real(asked, *a, **k))
        yield


def refused(*_: object) -> NoReturn:
    raise OSError(5, "no")


def test_a_folder_is_listed_in_order_and_what_is_none_has_no_names(tmp_path: Path) -> None:
    for name in ("b.md", "a.md"):
        (tmp_path / name).touch()
    assert names_in(str(tmp_path), "") == ["a.md", "b.md"]
    assert names_in(str(tmp_path), "a.md") == []
    assert names_in(str(tmp_path), "missing") == []


def test_a_refusal_names_the_folder_and_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> list[str]:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(UnreadableFileError) as told:
        names_in(str(tmp_path), "memory")
    assert told.value.path == "memory"
    assert str(tmp_path) not in str(told.value)
    assert "Permission denied" in str(told.value)


Act = Callable[[Path, random.Random], None]


def add(root: Path, dice: random.Random) -> None:
    (dice.choice(folders(root)) / f"{dice.randrange(100)}.md").write_bytes(b"# x\n")


def enter(root: Path, dice: random.Random) -> None:
    (dice.choice(folders(root)) / f"d{dice.randrange(100)}").mkdir(exist_ok=True)


def remove(root: Path, dice: random.Random) -> None:
    for path in sorted(root.rglob("*.md"))[: dice.randrange(3)]:
        path.unlink()


def rename(root: Path, dice: random.Random) -> None:
    for path in folders(root)[1:2]:
        path.rename(path.with_name(f"r{dice.randrange(10**6)}"))


def ignore(root: Path, dice: random.Random) -> None:
    (dice.choice(folders(root)) / ".gitignore").write_text(f"{dice.randrange(10)}*.md\n", "utf-8")


def link(root: Path, dice: random.Random) -> None:
    (root / f"l{dice.randrange(10**6)}.md").symlink_to("nowhere")


def save(root: Path, dice: random.Random) -> None:
    for path in sorted(root.rglob("*.md"))[:2]:
        if not path.is_symlink():
            path.write_bytes(dice.randbytes(8))


def folders(root: Path) -> list[Path]:
    return [root, *sorted(path for path in root.rglob("*") if path.is_dir())]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every folder have rested, so that all is remembered at once."""
    now = time.time_ns
    monkeypatch.setattr("mdmem.store.walk.time.time_ns", lambda: now() + 10**10)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_to_the_folders_the_names_are_those_of_a_walk(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    walk = FileWalk(str(tmp_path), ("*.md",), (), (".git",))
    listing = FolderListing(walk, lambda path: not path.endswith("7.md"))
    for _ in range(30):
        act: Act = dice.choice([add, add, enter, remove, rename, ignore, link, save])
        act(tmp_path, dice)
        time.sleep(0.012)  # a tick of the file system's clock
        assert listing.names() == [path for path in walk.files() if not path.endswith("7.md")], act


def test_what_has_not_rested_is_walked_again_and_what_has_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    walked: list[str] = []

    def files(_: FileWalk, *, visit: Callable[[str], None], **__: object) -> list[str]:
        visit("")
        walked.append("")
        return ["a.md"]

    monkeypatch.setattr(FileWalk, "files", files)
    listing = FolderListing(FileWalk(str(tmp_path), ("*.md",), (), ()), lambda _: True)
    assert [*listing.names(), *listing.names()] == ["a.md", "a.md"]
    assert len(walked) == 2
    request.getfixturevalue("later")
    assert [*listing.names(), *listing.names(), *listing.names()] == ["a.md"] * 3
    assert len(walked) == 3
    listing.names(["sub"])
    assert len(walked) == 4
