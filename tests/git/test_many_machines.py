"""Machines that write, sync and are killed at random end with the same bytes: nothing is lost, nothing doubled."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from forms import many
from processes import process

from git.machines import Machines, files_of
from mdmem.errors import GitError, LockedError
from mdmem.workspace import Workspace

pytestmark = pytest.mark.slow

TOKEN = re.compile(r"\b[a-e]\d+n\b")
MACHINES, CHANGES = many(("abc", 10), ("abcde", 200))
VERBS = ("add", "add", "edit", "tick", "remove", "supersede", "turn", "move", "by hand")
PROPERTIES = ("city", "editor")
MARKS = re.compile("(?m)^(?:<{7}|={7}$|>{7})")


class Writer:
    """The user of one machine: changes entries of its own, so that it is known what must stand at the end."""

    def __init__(self, name: str, root: Path, dice: random.Random, days: list[str]) -> None:
        self.root, self._name, self._dice, self._days = root, name, dice, days
        self.entries: dict[str, str] = {}  # by their tokens
        self.turns: list[str] = []
        self.values: list[tuple[str, str, str]] = []  # of facts: day, property, value
        self._session = ""
        self._count = 0

    def change(self, *, alone: bool) -> None:
        """Make one change; only `alone` one by hand, for an editor that saves an older text takes out what came."""
        verb = self._dice.choice(VERBS if alone else VERBS[:-2])
        if verb in ("edit", "tick", "remove", "move") and not self.entries:
            verb = "add"
        getattr(self, f"_{verb.replace(' ', '_')}")(Workspace(self.root))

    def _new(self) -> str:
        self._count += 1
        return f"{self._name}{self._count}n"

    def _some(self) -> str:
        return self._dice.choice(sorted(self.entries))

    def _add(self, work: Workspace) -> None:
        token = self._new()
        text = f"2026-02-{self._dice.randrange(1, 29):02}: {token} was noted"
        assert work.add("MEMORY.md", [text], section="Notes").status == "done"
        self.entries[token] = text

    def _edit(self, work: Workspace) -> None:
        token, old = (found := self._some()), self.entries[found]
        text = f"{old} again"
        assert work.replace("MEMORY.md", token, text).status == "done"
        self.entries[token] = text

    def _tick(self, work: Workspace) -> None:
        work.tick("MEMORY.md", self._some())

    def _remove(self, work: Workspace) -> None:
        token = self._some()
        assert work.remove("MEMORY.md", token).status == "done"
        del self.entries[token]

    def _supersede(self, work: Workspace) -> None:
        day, name, value = self._days.pop(0), self._dice.choice(PROPERTIES), self._new()
        work.facts.set("user", name, f"their {name} is {value}", at=day)
        self.values.append((day, name, value))

    def _turn(self, work: Workspace) -> None:
        token = self._new()
        if not self._session:
            self._session = work.sessions.start(f"talk of {self._name}", agent=self._name).id
        work.sessions.resume(self._session, agent=self._name).turn("user", f"I said {token}")
        self.turns.append(token)

    def _move(self, _: Workspace) -> None:
        lines = self._lines()
        token = self._some()
        [line] = [one for one in lines if TOKEN.findall(one) == [token]]
        lines.remove(line)
        lines.insert(lines.index("## Notes") if "## Notes" in lines else len(lines), line)
        self._save(lines)

    def _by_hand(self, _: Workspace) -> None:
        token = self._new()
        text = f"2026-01-05: {token} was written by hand"
        self._save([*self._lines(), f"- {text}"])
        self.entries[token] = text

    def _lines(self) -> list[str]:
        return (self.root / "MEMORY.md").read_text("utf-8").splitlines()

    def _save(self, lines: list[str]) -> None:
        (self.root / ".MEMORY.md.swp").write_text("\n".join(lines) + "\n", "utf-8")
        os.replace(self.root / ".MEMORY.md.swp", self.root / "MEMORY.md")


def sync_once(root: str) -> None:
    with suppress(GitError, LockedError):  # `another git is at work` after a kill
        Workspace(root).sync()


def unlock(root: Path) -> None:
    """Do what a user does after a killed git: delete its locks."""
    for lock in (root / ".git").rglob("*.lock"):
        lock.unlink()


@pytest.mark.parametrize("seed", range(many(1, 3)))
def test_all_end_with_the_same_bytes(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    group = Machines(tmp_path / "machines", MACHINES)
    days = [f"20{year}-{month:02}-{day:02}" for year in range(10, 25) for month in range(1, 13) for day in range(1, 29)]
    writers = {name: Writer(name, Path(group.work(name).root), dice, days) for name in MACHINES}
    syncing: dict[str, BaseProcess] = {}
    for _ in range(CHANGES * len(MACHINES)):
        name = dice.choice(MACHINES)
        running = syncing.get(name)
        if running and running.is_alive() and dice.random() < 0.3:
            time.sleep(dice.random() * 0.4)
            with suppress(ProcessLookupError):
                os.kill(running.pid or 0, signal.SIGKILL)
        if running and not running.is_alive():
            running.join()
            unlock(group.root(name))
            del syncing[name]
        writers[name].change(alone=name not in syncing)
        if name not in syncing and dice.random() < 0.5:
            syncing[name] = process(sync_once, str(group.root(name)))
            syncing[name].start()
    for running in syncing.values():
        running.join()
    for name in (*MACHINES, *MACHINES):
        unlock(group.root(name))
        assert group.work(name).sync().status == "same"
    check(group, writers)


def check(group: Machines, writers: dict[str, Writer]) -> None:
    """Compare the end with what was written."""
    first, *others = [files_of(group.root(name)) for name in MACHINES]
    assert all(other == first for other in others)
    texts = {path: data.decode() for path, data in first.items() if path.endswith(".md")}
    assert not [path for path, text in texts.items() if MARKS.search(text)]
    live = Counter(TOKEN.findall("\n".join(texts[path] for path in ("MEMORY.md", "inbox.md") if path in texts)))
    assert live == Counter(token for one in writers.values() for token in one.entries)
    lines = [line for line in texts["MEMORY.md"].splitlines() if TOKEN.search(line)]
    for token, text in (pair for one in writers.values() for pair in one.entries.items()):
        assert any(text in line for line in lines), (token, text)
    sessions = "\n".join(text for path, text in texts.items() if path.startswith("sessions/"))
    assert Counter(TOKEN.findall(sessions)) == Counter(turn for one in writers.values() for turn in one.turns)
    values = sorted(value for one in writers.values() for value in one.values)
    for name in PROPERTIES:
        newest = [value for _, own, value in values if own == name][-1:]
        found = group.work(MACHINES[0]).facts("user", predicate=name)
        assert [TOKEN.findall(one.text)[0] for one in found] == newest
    facts = Counter(TOKEN.findall("\n".join(text for path, text in texts.items() if path.startswith("facts/"))))
    assert facts == Counter(value for _, _, value in values)
