"""Each setting, state file, link and pattern of a hostile folder, over every verb, hook and tool.

Nothing outside may change, be read, run or be contacted, and nothing may hang or end in an error that is none of ours.
The short form tries many things in one folder. The long one tries each by itself, for hours.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import verbs
from filelock import FileLock
from forms import LONG

from mdmem.agents.hooks.model import EVENTS
from mdmem.config.trust import shipped_boundary
from mdmem.tools.definitions import tools

from . import acts, attacks
from .attacks import Attack, together
from .folder import lived_in, names
from .git_attacks import whole_repository
from .world import World

pytestmark = pytest.mark.slow
OUTSIDE = ("{home}/diary.md", "../home/diary.md")

# What is done to one file, by what it is.
IN_PLACE: dict[str, Callable[[str], Attack]] = {
    "link": attacks.linked,
    "fifo": attacks.fifos,
    "folder": attacks.folders,
}
STATE: dict[str, Callable[[str], Attack]] = {
    **IN_PLACE,
    **{f"forged {place}": partial(attacks.forged, place=place) for place in OUTSIDE},
    "wrong types": attacks.wrong_types,
    **{kind: partial(attacks.filled, data=data) for kind, data in attacks.BYTES.items()},
}
FOLDERS: dict[str, Callable[[str], Attack]] = {"link": attacks.linked}
PLACES = {
    "state": (attacks.state_files, STATE), "files": (attacks.memory_files, IN_PLACE),
    "folders": (attacks.inner_folders, FOLDERS),
}  # fmt: skip
WHOLE: dict[str, Attack] = {
    "recipes": attacks.recipes, "templates": attacks.templates, "patterns": attacks.patterns,
    "programs": attacks.program_files, "objects of git": attacks.lazy_objects, "its repository": whole_repository,
    **{f"mdmem.toml: {kind}": make("mdmem.toml") for kind, make in IN_PLACE.items()},
}  # fmt: skip


def test_each_verb_event_and_tool_is_done() -> None:
    assert {" ".join(path) for path, _ in verbs.commands()} == acts.each_verb().keys()
    assert set(EVENTS) == set(acts.EVENTS)
    assert set(tools("en")) == acts.each_tool().keys()


def test_each_setting_that_reaches_further_has_a_row() -> None:
    needing = {name for name, kind in shipped_boundary().classes.items() if kind == "trust"}
    assert needing == set(attacks.WIDENING)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the others are made of, made once for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with FileLock(base / "honest.lock"):
        made = base / "honest" / "first" / "root"
        return made if made.exists() else lived_in(base / "honest")


def tried(honest: Path, base: Path, attack: Attack) -> None:
    world = World(base, honest, names(honest))
    attack(world)
    world.everything()
    assert world.faults == []


def shared_out(root: Path, offset: int) -> Iterator[Attack]:
    """Yield an attack on each state file and each other file, of another kind for each; `offset` turns the kinds."""
    for sort in ("state", "files"):
        find, kinds = PLACES[sort]
        for number, name in enumerate(find(root), offset):
            yield list(kinds.values())[number % len(kinds)](name)


@pytest.mark.thorough
def test_settings_programs_and_templates_reach_nothing(honest: Path, tmp_path: Path) -> None:
    attack = together(attacks.settings(high=True), attacks.program_files, attacks.templates)
    tried(honest, tmp_path, attack)


@pytest.mark.thorough
def test_what_its_repository_names_reaches_nothing(honest: Path, tmp_path: Path) -> None:
    tried(honest, tmp_path, whole_repository)


@pytest.mark.thorough
def test_state_and_files_reach_nothing(honest: Path, tmp_path: Path) -> None:
    tried(honest, tmp_path, together(*shared_out(honest, 0)))


@pytest.mark.thorough
def test_folders_that_are_links_reach_nothing(honest: Path, tmp_path: Path) -> None:
    """Of the state folder what is in it, of the others the outermost: one that is a link hides those below it."""
    found = [one for one in attacks.inner_folders(honest) if one.count("/") == one.startswith(".mdmem/")]
    assert ".mdmem/agents" in found
    tried(honest, tmp_path, attacks.linked(*(one for one in found if one != ".mdmem")))


def served(honest: Path, base: Path, attack: Attack, *, is_off: bool = False) -> None:
    pytest.importorskip("mcp.server.lowlevel")
    world = World(base, honest, names(honest))
    attack(world)
    with world.watched():
        world.stdio(is_off=is_off)
    assert world.faults == []


@pytest.mark.thorough
def test_a_server_that_a_client_starts_reaches_nothing(honest: Path, tmp_path: Path) -> None:
    served(honest, tmp_path, together(attacks.program_files, attacks.templates, *shared_out(honest, 1)))


if LONG:

    @pytest.mark.parametrize("row", WHOLE)
    def test_it_reaches_nothing(honest: Path, tmp_path: Path, row: str) -> None:
        tried(honest, tmp_path, WHOLE[row])

    @pytest.mark.parametrize("row", WHOLE)
    def test_a_server_reaches_nothing(honest: Path, tmp_path: Path, row: str) -> None:
        # memory is off where the settings cannot be read at all
        served(honest, tmp_path, WHOLE[row], is_off=row.startswith("mdmem.toml"))

    @pytest.mark.parametrize("high", [True, False])
    @pytest.mark.parametrize("name", [name for name, _ in attacks.every_setting()])
    def test_a_setting_reaches_nothing(honest: Path, tmp_path: Path, name: str, *, high: bool) -> None:
        tried(honest, tmp_path, attacks.settings(name, high=high))

    @pytest.mark.parametrize(("sort", "kind"), [(sort, kind) for sort, (_, kinds) in PLACES.items() for kind in kinds])
    def test_nothing_in_its_place_reaches_further(honest: Path, tmp_path: Path, sort: str, kind: str) -> None:
        find, kinds = PLACES[sort]
        for number, name in enumerate(find(honest)):
            tried(honest, tmp_path / str(number), kinds[kind](name))
