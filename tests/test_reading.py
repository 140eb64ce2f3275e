"""The files that a reader opens for a journey are those that `docs/architecture.md` lists: traced, not believed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reading import JOURNEYS, MODULES, PACKAGE, PAGE, about_modules, listed, packages, read_in, size_of, stated_sizes
from test_architecture import STEP

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


def test_the_page_names_every_package_in_the_order_of_the_layout() -> None:
    named = packages(PAGE.read_text("utf-8"))
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert set(named) == found - {"__init__", "__main__"}
    assert named == sorted(named, key=STEP.__getitem__)


@pytest.mark.thorough
def test_the_page_of_modules_says_what_their_docstrings_say() -> None:
    assert MODULES.read_text("utf-8") == about_modules(PAGE.read_text("utf-8")), HOW


@pytest.mark.parametrize("page", [PAGE, PACKAGE.parent / "CONTRIBUTING.md"], ids=lambda page: page.stem)
def test_every_module_that_a_page_names_exists(page: Path) -> None:
    named = set(re.findall(r"`((?:mdmem/)?[a-z_]+/[a-z_/]*\.py)`", page.read_text("utf-8")))
    root = PACKAGE.parent
    assert [one for one in named if not (PACKAGE / one).exists() and not (root / one).exists()] == []
