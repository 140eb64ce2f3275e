"""What one machine has generated is no line of a person on another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from .machines import Machines


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
