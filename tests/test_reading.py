"""The files that a reader opens for a journey are those that `docs/architecture.md` lists: traced, not believed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reading import JOURNEYS, PACKAGE, PAGE, listed, read_in, size_of, stated_sizes

HOW = "run `python -m tests.reading`, and look at the diff of the page"


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNEYS)
def test_a_journey_is_read_in_the_files_that_the_page_lists(name: str, tmp_path: Path) -> None:
    opened = read_in(name, tmp_path)
    assert set(opened) == set(listed(name, PAGE.read_text("utf-8"))), HOW
    assert len(opened) <= JOURNEYS[name].most


@pytest.mark.thorough
def test_the_page_states_the_size_of_every_package() -> None:
    """To a tenth, so that not every change is one of the page."""
    stated = stated_sizes(PAGE.read_text("utf-8"))
    assert [names for names, found in stated.items() if _differs(found, size_of(names))] == [], HOW


def _differs(stated: tuple[int, int], found: tuple[int, int]) -> bool:
    return any(abs(one - other) > max(2, other / 10) for one, other in zip(stated, found, strict=True))


def test_the_page_names_every_package() -> None:
    table = PAGE.read_text("utf-8").partition("<!-- packages -->")[2].partition("<!-- /packages -->")[0]
    named = {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")
    }
    packages = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert named == packages - {"__init__", "__main__"}
