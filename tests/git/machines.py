"""Several machines on one disk: a bare repository as the remote, and clones of a memory with git of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import harness

from mdmem.workspace import Workspace

MEMORY = "# Memory\n\n## Notes\n\n- 2026-02-01: the owl nests in the barn\n"
_ISOLATED = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *words: str) -> str:
    """Run git as a user would, and return what it prints."""
    who = {f"GIT_{one}_{part}": "ann" for one in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    command = ["git", "-C", str(folder), "-c", "protocol.file.allow=always", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | _ISOLATED | who)
    return done.stdout


class Machines:
    """Clones of one memory, each the folder of a machine."""

    def __init__(self, folder: Path, names: str = "ab", text: str = MEMORY, below: str = "") -> None:
        """Make the remote, and a clone for each letter; the memory lies in the folder `below`."""
        self.folder, self.below = folder, below
        self.remote = folder / "remote.git"
        folder.mkdir(exist_ok=True)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.remote))
        git(folder, "clone", "-q", str(self.remote), names[0])
        first = folder / names[0]
        git(first, "symbolic-ref", "HEAD", "refs/heads/main")
        place = first / below
        place.mkdir(exist_ok=True)
        (place / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
        (place / "MEMORY.md").write_text(text, "utf-8")
        (place / ".gitignore").write_text(".mdmem/\n", "utf-8")
        git(first, "add", "-A")
        git(first, "commit", "-qm", "Begin")
        git(first, "push", "-qu", "origin", "HEAD:main")
        for name in names[1:]:
            self.clone(name)

    def clone(self, name: str, *options: str) -> Path:
        """Make one more clone."""
        git(self.folder, "clone", "-q", *options, self.remote.as_uri(), name)
        return self.folder / name

    def root(self, name: str) -> Path:
        """Return the memory folder of a machine."""
        return self.folder / name / self.below

    def work(self, name: str) -> Workspace:
        """Return the memory of a machine, read anew; its user trusts it with the remote that it has now."""
        Workspace(self.root(name)).trust()
        return Workspace(self.root(name))

    def copy(self, name: str, other: str) -> None:
        """Keep a copy of a machine as it is now."""
        shutil.copytree(self.folder / name, self.folder / other, symlinks=True)


def files_of(root: Path) -> dict[str, bytes]:
    """Return the files of a memory, without git's and mdmem's own."""
    return harness.files_of(root, ".git", ".mdmem")
