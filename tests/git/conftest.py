"""Repositories with a memory, set up for git by `mdmem git setup`, and real git in them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mdmem import Workspace

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_EDITOR": ":",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip
MEMORY = """\
# Memory

## To-dos

- 2026-02-13: call Ann back
- 2026-02-14: send the report

## Notes

- 2026-02-12: the key is with Tom
"""


class Repository:
    """A memory folder in a repository, with git as people call it."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        source = os.fspath(Path(sys.modules["mdmem"].__file__ or "").parents[1])
        self.env = os.environ | GIT | {
            "XDG_CACHE_HOME": str(home / "cache"), "XDG_CONFIG_HOME": str(home / "config"), "LANG": "C.UTF-8",
            "PYTHONPATH": source,
        }  # fmt: skip

    def git(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=self.env, capture_output=True, text=True, check=False,
            encoding="utf-8", errors="surrogateescape",
        )  # fmt: skip
        assert not ok or done.returncode == 0, done.stdout + done.stderr
        return done

    def commit(self, message: str, **files: str) -> None:
        """Write files and commit them; a name's `__` stands for its dot."""
        for name, text in files.items():
            self.write(name.replace("__", "."), text)
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def write(self, name: str, text: str) -> None:
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))

    def read(self, name: str = "MEMORY.md") -> str:
        return (self.root / name).read_bytes().decode("utf-8", "surrogateescape")

    def snapshot(self) -> dict[str, bytes]:
        """Return every file of the folder, git's configuration and hooks too; not what git itself counts."""
        found = {path.relative_to(self.root).as_posix(): path for path in self.root.rglob("*") if path.is_file()}
        return {
            name: path.read_bytes()
            for name, path in found.items()
            if not name.startswith((".git/objects", ".git/logs", ".git/index", ".mdmem/"))
        }


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose memory git merges entry by entry, with one commit on `main`."""
    root = tmp_path / "memory folder 记忆"
    root.mkdir()
    made = Repository(root, tmp_path)
    made.git("init", "-q", "-b", "main")
    made.write("mdmem.toml", 'lang = "en"\n')
    Workspace(root).git.setup(driver=True)
    made.commit("base", MEMORY__md=MEMORY)
    return made


@pytest.fixture
def bare(tmp_path: Path) -> Repository:
    """A repository with a memory, not set up."""
    root = tmp_path / "plain"
    root.mkdir()
    made = Repository(root, tmp_path)
    made.git("init", "-q", "-b", "main")
    made.commit("base", mdmem__toml='lang = "en"\n', MEMORY__md=MEMORY)
    return made
