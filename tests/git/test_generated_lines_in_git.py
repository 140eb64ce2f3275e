"""What one machine has generated is no line of a person on another one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .machines import Machines, git


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    made = Machines(tmp_path / "machines")
    (made.root("a") / "mdmem.toml").write_text('lang = "en"\n[portrait]\nuser_facts = 2\n', "utf-8")
    made.work("a").sync()
    made.work("b").sync()
    return made


def say(machines: Machines, name: str, predicate: str, text: str, day: str = "2026-02-13") -> None:
    """Record a fact on a machine, and write what is generated from it."""
    machines.work(name).facts.set("user", predicate, text, at=day)
    machines.work(name).portrait.refresh()


def exchange(machines: Machines) -> None:
    for name in "aba":
        machines.work(name).sync()


def shown(machines: Machines, name: str, text: str) -> tuple[int, ...]:
    """Return how often MEMORY.md and USER.md of a machine say something."""
    return tuple((machines.root(name) / file).read_text("utf-8").count(text) for file in ("MEMORY.md", "USER.md"))


@pytest.mark.thorough
def test_lines_that_two_machines_generated_stand_once(machines: Machines) -> None:
    say(machines, "a", "city", "lives in Porto")
    exchange(machines)
    say(machines, "a", "job", "works as a nurse")
    say(machines, "b", "pet", "has a cat named Nian")
    exchange(machines)
    for name in "ab":
        machines.work(name).portrait.refresh()
        for text in ("lives in Porto", "works as a nurse", "has a cat named Nian"):
            assert max(shown(machines, name, text)) <= 1, (name, text)


@pytest.mark.thorough
def test_a_value_that_was_replaced_on_another_machine_leaves_the_generated_lines(machines: Machines) -> None:
    say(machines, "b", "pet", "has a cat named Nian")
    exchange(machines)
    say(machines, "a", "city", "lives in Ghent")
    exchange(machines)
    machines.work("b").facts.set("user", "city", "lives in Porto", at="2026-03-01")
    machines.work("b").portrait.refresh()
    assert (shown(machines, "b", "Ghent"), shown(machines, "b", "Porto")) == ((0, 0), (1, 1))


def test_a_line_that_a_person_changed_on_another_machine_is_kept(machines: Machines) -> None:
    say(machines, "a", "city", "lives in Porto")
    file = machines.root("a") / "USER.md"
    file.write_text(file.read_text("utf-8").replace("lives in Porto", "lives in Porto by the river"), "utf-8")
    exchange(machines)
    machines.work("b").portrait.refresh()
    assert "lives in Porto by the river" in (machines.root("b") / "USER.md").read_text("utf-8")


def talk(machines: Machines, name: str, task: str, step: str) -> None:
    """Record a session on a machine, and write its lines into the scratchpad."""
    session = machines.work(name).sessions.start(task)
    session.turn("user", f"Please {task}.")
    session.turn("assistant", f"Next, I will {step}.")
    session.end(f"The task to {task} is half done.", "partial")
    machines.work(name).scratchpad.update()


def carry(machines: Machines, source: str, target: str, by: str) -> None:
    """Bring the files of a machine to another one that has written nothing since."""
    if by == "sync":
        for name in (source, target):
            machines.work(name).sync()
    elif by == "git":
        for words in (("add", "-A"), ("commit", "-qm", "work"), ("push", "-q")):
            git(machines.root(source), *words)
        git(machines.root(target), "pull", "-q", "--ff-only")
    else:
        ignored = shutil.ignore_patterns(".git", ".mdmem")
        shutil.copytree(machines.root(source), machines.root(target), ignore=ignored, dirs_exist_ok=True)


def pad(machines: Machines, name: str) -> str:
    return (machines.root(name) / "SCRATCHPAD.md").read_text("utf-8")


CARRIERS = pytest.mark.parametrize("by", ["sync", "git", "a sync program"])


@pytest.mark.thorough
@CARRIERS
def test_the_scratchpad_of_another_machine_goes_on(machines: Machines, by: str) -> None:
    talk(machines, "b", "sort the photos of May", "rename the folders")
    carry(machines, "b", "a", by)
    talk(machines, "a", "mend the import of the bank", "run the tests on the new data")
    talk(machines, "a", "plan the trip to Texel", "book the ferry")
    carry(machines, "a", "b", by)
    came = pad(machines, "b")
    machines.work("b").scratchpad.update()
    assert pad(machines, "b") == came
    talk(machines, "b", "write the letter to Eve", "print both pages")
    carry(machines, "b", "a", by)
    machines.work("a").scratchpad.update()
    assert pad(machines, "a") == pad(machines, "b")
    for line in ("rename the folders", "run the tests on the new data", "book the ferry", "print both pages"):
        assert pad(machines, "a").count(f"- {line}") == 1
    below = pad(machines, "a").split("<!-- /mdmem:auto -->\n")[1:]
    assert not [part for part in below if part.startswith("- ")]  # no line of a block was taken for a person's


@pytest.mark.thorough
@CARRIERS
def test_a_step_that_a_person_changed_on_another_machine_is_kept(machines: Machines, by: str) -> None:
    talk(machines, "b", "sort the photos of May", "rename the folders of the camera")
    carry(machines, "b", "a", by)
    talk(machines, "a", "mend the import of the bank", "run the tests on the new data")
    for old, new in (("the new data", "the old data"), ("of the camera", "of the phone")):
        (machines.root("a") / "SCRATCHPAD.md").write_text(pad(machines, "a").replace(old, new), "utf-8")
    carry(machines, "a", "b", by)
    for number in range(3):
        talk(machines, "b", f"write letter {number} to Eve", f"print {number} pages")
    for line in ("run the tests on the old data", "rename the folders of the phone"):
        assert pad(machines, "b").count(line) == 1
