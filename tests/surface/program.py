"""The program as a user runs it: words, a folder, an environment and an input; output, errors and an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import mdmem

_SERVER = Path(__file__).with_name("fork_server.py")
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
        package = str(Path(mdmem.__file__).parents[1])  # the mdmem that is tested, wherever the server starts
        environment = {key: os.environ[key] for key in _KEPT if key in os.environ} | {
            "PYTHONPATH": package,
            "PYTHONUTF8": "1",
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
        self._server = subprocess.Popen(
            [sys.executable, "-P", str(_SERVER)], cwd=home, env=environment, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def run(self, words: Sequence[str], cwd: Path, given: str = "") -> Done:
        """Run `mdmem WORDS…` in a folder, with a text on its standard input."""
        files = {name: self.home / name for name in ("stdin", "stdout", "stderr")}
        files["stdin"].write_bytes(given.encode())
        request = {"words": list(words), "cwd": str(cwd)} | {name: str(path) for name, path in files.items()}
        assert self._server.stdin
        assert self._server.stdout
        print(json.dumps(request), file=self._server.stdin, flush=True)
        code = int(self._server.stdout.readline())
        return Done(files["stdout"].read_bytes().decode(), files["stderr"].read_bytes().decode(), code)

    def __enter__(self) -> Self:
        """Begin the block that ends the server."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server."""
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()
