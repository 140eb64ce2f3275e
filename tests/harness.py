"""What several folders of tests do: lay files and read them back, run a hook, let a process die at each call."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mdmem.agents.hooks.model import read_payload
from mdmem.agents.hooks.service import AgentHook
from mdmem.entries.model import Outcome
from mdmem.text.document import parse
from mdmem.workspace import Workspace

CALLS = ("open", "fsync", "rename", "replace", "link", "unlink", "write", "mkdir")
_DIED = 9

Run = Callable[[Workspace], Outcome]
needs_fork = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="needs fork")


def _compact(workspace: Workspace) -> Outcome:
    return workspace.compact()[0]


def die_at(number: int, workspace: Workspace, run: Run = _compact) -> bool:
    """Run in a child that dies at its nth call of these; return True if it came to the end."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, _DIED), "it came to its end and was not done"
        return code == 0
    left = number

    def counted(name: str) -> None:
        call = getattr(os, name)

        def run(*arguments: object, **named: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(_DIED)
            return call(*arguments, **named)

        setattr(os, name, run)

    for name in CALLS:
        counted(name)
    code = 1
    try:
        code = 0 if run(workspace).status == "done" else 1
    finally:
        os._exit(code)


def killed(step: int, prepare: Callable[[], Workspace], run: Run = _compact) -> Iterator[Workspace]:
    """Kill a process at each n-th call of a change; yield the recovered state, and last that of a finished run."""
    number, ended = 0, False
    while not ended:
        number += step
        work = prepare()
        ended = die_at(number, work, run)
        fresh = Workspace(work.root)
        fresh.config.day = work.config.day
        fresh.history.recover()
        yield fresh
    assert number > 50, "a change makes more calls than that"


def lay(root: Path, files: dict[str, str] | None, *, lang: str, settings: str) -> Path:
    """Write these files into a folder, with its `mdmem.toml`, and return it."""
    root.mkdir(exist_ok=True)
    for name, text in {"mdmem.toml": f'lang = "{lang}"\n{settings}', **(files or {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root


def hook(work: Workspace, event: str, session: str = "s1", agent: str = "claude", **payload: object) -> str:
    """Run a hook as a process of its own would, and return the text that it puts into the agent's context."""
    given = {"hook_event_name": event, "session_id": session, "cwd": work.root, **payload}
    read = read_payload("", given, agent)
    assert read is not None
    texts = [""]
    AgentHook(Workspace(work.root), read).run(texts.append)
    return texts[-1]


def files_of(folder: str | Path, *without: str) -> dict[str, bytes]:
    """Return every file below a folder by its path there; without the folders of these names."""
    paths = (path for path in sorted(Path(folder).rglob("*")) if path.is_file())
    inner = (path.relative_to(folder) for path in paths)
    return {one.as_posix(): Path(folder, one).read_bytes() for one in inner if not set(without) & set(one.parts)}


def holding(folder: str | Path, text: str) -> list[str]:
    """Name every file below a folder that holds a text, or is called by it."""
    return [name for name, data in files_of(folder).items() if text.encode() in data or text in name]


def said(workspace: Workspace, name: str) -> str:
    """Return the text of a file; empty where there is none."""
    path = Path(workspace.root, name)
    return path.read_bytes().decode() if path.exists() else ""


def entries(workspace: Workspace, name: str, section: str) -> list[str]:
    """Return what the outermost entries of a section say."""
    found = next((one for one in parse(said(workspace, name).encode()).sections if one.title == section), None)
    return [entry.text for entry in found.entries if not entry.depth] if found else []
