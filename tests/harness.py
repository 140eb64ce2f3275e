"""Workspaces for tests: made of files, and condensed by a process that dies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mdmem.entries.model import Outcome
from mdmem.workspace import Workspace

CALLS = ("open", "fsync", "rename", "replace", "link", "unlink", "write", "mkdir")


Run = Callable[[Workspace], Outcome]


def _compact(workspace: Workspace) -> Outcome:
    return workspace.compact()[0]


def die_at(number: int, workspace: Workspace, run: Run = _compact) -> bool:
    """Run in a child that dies at its nth call of these; return True if it came to the end."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    left = number

    def counted(name: str) -> None:
        call = getattr(os, name)

        def run(*arguments: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(9)
            return call(*arguments, **named)

        setattr(os, name, run)

    for name in CALLS:
        counted(name)
    code = 1
    try:
        code = 0 if run(workspace).status == "done" else 1
    finally:
        os._exit(code)


def lay(root: Path, files: dict[str, str] | None, *, lang: str, settings: str) -> Path:
    """Write these files into a folder, with its `mdmem.toml`, and return it."""
    root.mkdir(exist_ok=True)
    for name, text in {"mdmem.toml": f'lang = "{lang}"\n{settings}', **(files or {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root
