"""Laws 3 and 5 among ourselves: many processes write at once, through every door, and each entry is there once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import commands
import pytest
from forms import LONG
from processes import process

from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

DOORS = ("library", "pen", "command line", "tools")
PROCESSES, EACH = 8, 100 if LONG else 4


def by_library(root: str, text: str) -> None:
    assert Workspace(root).add("journal.md", [text]).status == "done"


def by_pen(root: str, text: str) -> None:
    assert commands.pen(root).commit(
        lambda files: {"journal.md": commands.appended(files["journal.md"], f"- {text}")}, actor="test", reason="race"
    )


def by_command_line(root: str, text: str) -> None:
    command = [sys.executable, "-m", "mdmem", "add", "journal.md", text, "--root", root, "--json"]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **paths})


def by_tools(root: str, text: str) -> None:
    answer = Workspace(root).call("memory_add", {"path": "journal.md", "content": text})
    assert answer["status"] == "done", answer


BY: dict[str, Callable[[str, str], None]] = {
    "library": by_library, "pen": by_pen, "command line": by_command_line, "tools": by_tools,
}  # fmt: skip


def writer(root: str, number: int, each: int) -> None:
    for entry in range(each):
        BY[door(number)](root, f"writer {number} entry {entry}")


def door(number: int) -> str:
    """Give the door that a writer comes through: two come through each."""
    return DOORS[number % len(DOORS)]


def test_every_entry_of_eight_writers_is_there_once(tmp_path: Path) -> None:
    (tmp_path / "journal.md").write_bytes(b"# Journal\n\n")
    (tmp_path / "mdmem.toml").write_bytes(b"")
    counts = [3 if not LONG and door(number) == "command line" else EACH for number in range(PROCESSES)]
    writers = [process(writer, str(tmp_path), n, each) for n, each in enumerate(counts)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(240)
    assert [one.exitcode for one in writers] == [0] * PROCESSES
    found = re.findall(
        r"^- (?:\S+ )?(writer \d+ entry \d+)$", (tmp_path / "journal.md").read_text("utf-8"), re.MULTILINE
    )
    expected = [f"writer {number} entry {entry}" for number, each in enumerate(counts) for entry in range(each)]
    assert sorted(found) == sorted(expected)
    for number, each in enumerate(counts):  # and each writer's in the order in which it wrote them
        mine = [text for text in found if text.startswith(f"writer {number} ")]
        assert mine == [f"writer {number} entry {entry}" for entry in range(each)]
    assert len(Workspace(tmp_path).history.log()) == sum(counts)


def holder(root: str, holds: str) -> None:
    """Take the lock of a file, say so, and never give it back."""

    def stay(files: object) -> dict[str, None]:
        files["journal.md"]  # type: ignore[index]
        Path(holds).touch()
        time.sleep(600)
        return {}

    commands.pen(root).commit(stay, actor="test", reason="holds")


def test_a_killed_writer_frees_its_lock_at_once(tmp_path: Path) -> None:
    (tmp_path / "journal.md").write_bytes(b"# Journal\n\n")
    holds = tmp_path / "holds"
    one = process(holder, str(tmp_path), str(holds))
    one.start()
    while not holds.exists():
        time.sleep(0.01)
    assert one.pid
    os.kill(one.pid, signal.SIGKILL)
    one.join()
    by_pen(str(tmp_path), "after a kill")  # would be refused, the lock being held
    assert b"- after a kill" in (tmp_path / "journal.md").read_bytes()
