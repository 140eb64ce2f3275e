"""The packages that the design card names: each is installed, and does its job at the place that CONTRIBUTING names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
CARD = {  # the package that is installed, and the module that is imported
    "markdown-it-py": "markdown_it",
    "python-frontmatter": "frontmatter",
    "watchdog": "watchdog",
    "filelock": "filelock",
    "typer": "typer",
    "pytest": "pytest",
}


def row(package: str) -> str:
    """Return the row of a package in the table of CONTRIBUTING."""
    text = (PROJECT / "CONTRIBUTING.md").read_text("utf-8")
    (found,) = re.findall(rf"^\| {package} \| .*$", text, re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("package", CARD)
def test_a_package_of_the_card_is_installed(package: str) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["optional-dependencies"]["dev"] if package == "pytest" else project["dependencies"]
    (line,) = [one for one in wanted if re.match(rf"{package}[><=]", one)]
    assert "==" not in line
    assert package == "markdown-it-py" or "<" not in line, "no pin below the current version"


@pytest.mark.parametrize(("package", "module"), CARD.items())
def test_a_package_of_the_card_is_imported_where_contributing_says(package: str, module: str) -> None:
    places = re.findall(r"`([\w./]+)`", row(package).split("|")[2])
    folder = PROJECT if package == "pytest" else PROJECT / "mdmem"
    files = [path for place in places if (path := folder / place).exists()]
    assert files, f"the row of {package} names no file"
    for path in files:
        sources = path.rglob("*.py") if path.is_dir() else [path]
        imports = rf"^\s*(?:from|import) {module}\b"
        assert any(re.search(imports, one.read_text("utf-8"), re.MULTILINE) for one in sources), path
