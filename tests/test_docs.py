"""What docs/ says of the code holds: cited ids are explained, named tests exist, each public name is listed."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

import mdmem
from mdmem.cli.grammar.verbs import VERBS

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
_IDS = re.compile(r"(?<!noqa: )\b(?:[FGDPK]\d{3}|X\d|C8-\d+|B1 row \d+)\b")
_LAWS = re.compile(r"\b[Ll]aws? (\d+)(?:(?:,| and| to) (\d+))*")
_CODE = ("mdmem", "templates", "tests")


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def sources() -> list[str]:
    paths = chain.from_iterable((REPOSITORY / folder).rglob("*") for folder in _CODE)
    # what lies in `cases` and `bench` is material, not ours to explain
    kept = (one for one in paths if one.suffix in {".py", ".md", ".toml"} and not {"cases", "bench"} & set(one.parts))
    return [one.read_text("utf-8") for one in kept]


def test_each_cited_requirement_is_explained_once() -> None:
    explained = re.findall(rf"^\| ({_IDS.pattern}) \|", page("design.md"), re.MULTILINE)
    cited = set(chain.from_iterable(map(_IDS.findall, sources())))
    assert sorted(cited - set(explained)) == []
    assert len(explained) == len(set(explained))


def test_each_cited_law_is_explained() -> None:
    explained = {int(number) for number in re.findall(r"^\| (\d+) \|", page("design.md"), re.MULTILINE)}
    cited = {int(number) for text in sources() for found in _LAWS.findall(text) for number in found if number}
    assert explained == set(range(1, max(explained) + 1))
    assert cited <= explained


def test_safety_names_tests_that_exist_and_says_of_each_law_how_it_is_tested() -> None:
    text = page("safety.md")
    named = set(re.findall(r"`(tests/[\w/]+(?:\.py|\.md|\.c|/)?)`", text))
    assert named
    assert sorted(one for one in named if not (REPOSITORY / one).exists()) == []
    laws = set(re.findall(r"^\| (\d+) \|", page("design.md"), re.MULTILINE))
    assert set(re.findall(r"^\| (\d+) \|", text, re.MULTILINE)) == laws


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.delitem(sys.modules, "build", raising=False)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    import build as module

    yield module
    sys.modules.pop("build", None)


@pytest.mark.thorough
def test_the_generated_pages_are_complete(build: ModuleType, tmp_path: Path) -> None:
    """Each verb with its help, each rule with its page, each public name in one group; and no marker is left."""
    build.write_pages(tmp_path / "pages")
    texts = {path.name: path.read_text("utf-8") for path in (tmp_path / "pages").rglob("*.md")}
    assert not [name for name, text in texts.items() if "<!-- generated:" in text]
    for name, usage in {"cli.md": "Usage: mdmem {}", "cli.zh.md": "用法：mdmem {}"}.items():
        assert [verb for verb in VERBS if f"\n### mdmem {verb}\n" not in texts[name]] == []
        assert [verb for verb in VERBS if usage.format(verb) not in texts[name]] == []
    for suffix in (".md", ".zh.md"):
        linked = re.findall(r"\(rules/(mm\d+)\.", texts[f"rules{suffix}"])
        assert linked == [rule.code.lower() for rule in mdmem.RULES]
        assert [code for code in linked if f"{code}{suffix}" not in texts] == []
    shown = re.findall(r"^::: mdmem\.(\w+)$", texts["api.md"], re.MULTILINE)
    assert sorted(shown) == sorted(set(mdmem.__all__) - {"__version__"})


def test_every_page_is_in_the_navigation() -> None:
    navigation = set(re.findall(r": ([\w./-]+\.md)$", page("mkdocs.yml"), re.MULTILINE))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if path.parent.name != "examples"}
    assert sorted(pages - navigation) == []


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
