"""The program as a user runs it: words, a folder, an environment and an input; output, errors and an exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import in_process

_KEPT = ("PATH", "SYSTEMROOT", "TZ")


class Done(NamedTuple):
    """What a command printed, and what it ended with."""

    out: str
    err: str
    code: int


class Program:
    """Runs `mdmem`, with settings, caches and a home of its own in a temporary folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._environment = {key: os.environ[key] for key in _KEPT if key in os.environ} | {
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "LANG": "C.UTF-8",
            "COLUMNS": "80",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        settings = home / "config" / "mdmem" / "mdmem.toml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text("[store]\nstable_ms = 10\n", "utf-8")  # nobody edits here: a missing file is missing

    def run(self, words: Sequence[str], cwd: Path, given: str = "") -> Done:
        """Run `mdmem WORDS…` in a folder, with a text on its standard input."""
        done = in_process.run_text(*words, cwd=cwd, env=self._environment, given=given)
        return Done(done.stdout, done.stderr, done.returncode)
