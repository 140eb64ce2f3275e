"""Many clients write one file from old copies while a person saves it in an editor: no acknowledged line is lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from forms import many

from mdmem.tools.client import ToolClient
from mdmem.workspace import Workspace

AGENTS = many(4, 16)
ROUNDS = many(12, 200)
HEAD = "# Notes\n\n"


class Agent:
    """A client that writes from the copy that it read some rounds ago."""

    def __init__(self, root: Path, number: int) -> None:
        self.name, self.random = f"agent{number}", random.Random(number)
        self.work, self.client = Workspace(root), ToolClient(f"agent{number}")
        self.copy = ""
        self.lines: set[str] = set()  # acknowledged, and not taken out on purpose
        self.untold: list[str] = []

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; a file that an editor holds all the time, and a conflict, leave all as it was."""
        return self.work.call(tool, {"path": "notes.md", **arguments}, client=self.client)

    def run(self) -> None:
        """Work for some rounds."""
        for number in range(ROUNDS):
            if not self.copy or self.random.random() < 0.2:
                self.copy = self.call("read").get("text", "")
            if self.copy:
                self.random.choice((self._write, self._write, self._edit, self._remove))(number)

    def _write(self, number: int) -> None:
        mine = sorted(self.lines & set(self.copy.splitlines()))
        out = self.random.choice(mine) if mine and self.random.random() < 0.3 else ""
        line = f"- {self.name} wrote line {number} of the list"
        text = "".join(f"{one}\n" for one in self.copy.splitlines() if one != out) + f"{line}\n"
        reply = self.call("write", content=text)
        if reply["status"] != "done":
            return
        self.copy = text
        self.lines = (self.lines - {out}) | {line}
        if out and out.removeprefix("- ") not in reply["hint"]:
            self.untold.append(out)

    def _edit(self, number: int) -> None:
        for line in sorted(self.lines)[:1]:
            new = f"- {self.name} changed line {number} of the list"
            if self.call("edit", oldText=f"{line}\n", newText=f"{new}\n")["status"] == "done":
                self.lines = (self.lines - {line}) | {new}
                self.copy = self.copy.replace(f"{line}\n", f"{new}\n")

    def _remove(self, number: int) -> None:
        for line in sorted(self.lines)[number % 3 : number % 3 + 1]:
            if self.call("memory_remove", entries=[line.removeprefix("- ")])["status"] == "done":
                self.lines -= {line}
                self.copy = self.copy.replace(f"{line}\n", "")


def saves(file: Path, stop: Event) -> Iterator[str]:
    """Save the file as vim does: rename it away, and write a new one; yield each line that was added."""
    number = 0
    while not stop.wait(0.05):
        try:
            text = file.read_text()
        except FileNotFoundError:
            continue
        line = f"- the person saved line {number} in an editor"
        file.rename(file.with_name("notes.md~"))
        file.write_text(f"{text}{line}\n")
        number += 1
        yield line


@pytest.mark.slow
@pytest.mark.usefixtures("patience_for_editors")
@pytest.mark.parametrize("with_editor", [False, True])
def test_every_acknowledged_line_is_somewhere_and_each_removal_is_told(tmp_path: Path, with_editor: bool) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    file, stop = tmp_path / "notes.md", Event()
    file.write_text(HEAD)
    agents = [Agent(tmp_path, number) for number in range(AGENTS)]
    with ThreadPoolExecutor(AGENTS + 1) as pool:
        person = pool.submit(lambda: set(saves(file, stop)) if with_editor else set[str]())
        for done in [pool.submit(agent.run) for agent in agents]:
            done.result()
        stop.set()
        saved = person.result()
    kept = "\n".join(path.read_text() for path in tmp_path.rglob("*.md"))
    wanted = saved.union(*(agent.lines for agent in agents))
    assert wanted
    assert not [line for line in sorted(wanted) if line.removeprefix("- ") not in kept]
    assert not [line for agent in agents for line in agent.untold]
