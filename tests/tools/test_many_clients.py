"""Many clients write one file from old copies while a person saves it in an editor: no acknowledged line is lost."""

from __future__ import annotations

import random
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
MOST_LINES = 12  # of one agent, so that the long form writes often, not long files
PAUSE = many(0.05, 1.0)  # seconds between two saves; in the long form the file would grow faster than agents write it
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
                crowded = len(self.lines) >= MOST_LINES
                self.random.choice((self._write, self._write, self._edit, self._remove))(number)
                if crowded:
                    self._remove(number)

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


class Editor:
    """A person who saves the file as vim does: it is renamed away, and a new one is written."""

    def __init__(self, file: Path) -> None:
        self.file, self.stop = file, Event()
        self.lines: set[str] = set()
        self.overwritten: set[str] = set()  # lines that came between its reading and its saving

    def run(self) -> None:
        """Save again and again until `stop` is set."""
        while not self.stop.wait(PAUSE):
            try:
                text = self.file.read_text()
            except FileNotFoundError:
                continue
            line = f"- the person saved line {len(self.lines)} in an editor"
            aside = self.file.rename(self.file.with_name("notes.md~"))
            self.overwritten |= set(aside.read_text().splitlines()) - set(text.splitlines())
            self.file.write_text(f"{text}{line}\n")
            self.lines.add(line)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.usefixtures("patience_for_editors")
@pytest.mark.parametrize("with_editor", [False, True])
def test_every_acknowledged_line_is_somewhere_and_each_removal_is_told(tmp_path: Path, with_editor: bool) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n')
    file = tmp_path / "notes.md"
    file.write_text(HEAD)
    agents = [Agent(tmp_path, number) for number in range(AGENTS)]
    editor = Editor(file)
    if not with_editor:
        editor.stop.set()
    with ThreadPoolExecutor(AGENTS + 1) as pool:
        person = pool.submit(editor.run)
        for done in [pool.submit(agent.run) for agent in agents]:
            done.result()
        editor.stop.set()
        person.result()
    kept = "\n".join(path.read_text() for path in tmp_path.rglob("*.md"))
    versions = (path.read_bytes() for path in tmp_path.rglob(".mdmem/**/*") if path.is_file())
    history = b"\n".join(versions).decode("utf-8", "replace")
    wanted = editor.lines.union(*(agent.lines for agent in agents))
    assert wanted
    missing = {line for line in wanted if line.removeprefix("- ") not in kept}
    assert missing <= editor.overwritten, "the person's editor took out nothing else"
    assert not [line for line in missing if line.removeprefix("- ") not in history]
    assert not [line for agent in agents for line in agent.untold]
