"""A walk that is remembered gives what a walk gives, and does not walk."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mdmem.store.walk import FileWalk, FolderListing

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
