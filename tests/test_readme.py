"""READMEs and the pages of `docs/` show what the program really prints; their Python runs; their links are good."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mdmem import Workspace, parse

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"))
GENERATED = {"api.md", "cli.md", "rules.md"}  # pages that `docs/build.py` makes


def blocks(page: Path, language: str) -> list[list[str]]:
    """Return the lines of each fenced block of a language."""
    document = parse(page.read_bytes())
    return [
        [document.lines.text(line) for line in range(fence.line + 1, fence.last_line)]
        for fence in document.fences
        if fence.info == language
    ]


def console_blocks(page: Path) -> list[list[tuple[str, str]]]:
    """Return each console block as (command, output) pairs."""
    found = []
    for lines in blocks(page, "console"):
        pairs: list[tuple[str, str]] = []
        for line in lines:
            if line.startswith("$ "):
                pairs.append((line[2:], ""))
            else:
                command, output = pairs[-1]
                pairs[-1] = (command, f"{output}{line}\n")
        found.append(pairs)
    return found


def lay(folder: Path) -> None:
    """Put what the pages use into a folder: the example memory, the example programs, `mdmem`."""
    shutil.copytree(REPOSITORY / "workspace", folder / "workspace", symlinks=True)
    shutil.copytree(REPOSITORY / "docs" / "examples", folder / "examples")
    program = folder / "bin" / "mdmem"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mdmem "$@"\n')
    program.chmod(0o755)


def run(command: str, folder: Path) -> str:
    """Run a command in a folder with settings of its own, and return what it prints."""
    programs = os.path.dirname(sys.executable)
    environment = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{programs}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": str(folder / "config"),
        "LANG": "C.UTF-8", "COLUMNS": "100", "PYTHONPATH": str(REPOSITORY),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return done.stdout


def ids(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=ids)
def test_console_blocks_are_true(page: Path, tmp_path: Path) -> None:
    lay(tmp_path)
    for block in console_blocks(page):
        for command, expected in block:
            shown = "\n".join(line.rstrip() for line in run(command, tmp_path).split("\n"))
            assert expected == shown, command


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=ids)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    """The Python blocks of a page are one program."""
    lay(tmp_path)
    program = tmp_path / "page.py"
    program.write_text("\n\n".join("\n".join(lines) for lines in blocks(page, "python")), "utf-8")
    assert run("python page.py && echo ran", tmp_path) == "ran\n"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_of_files_is_what_the_templates_say(lang: str, tmp_path: Path) -> None:
    """Each file that `init` names has a row, with the words that `init` prints."""
    made = Workspace(tmp_path, lang=lang).init()
    rows = [f"| `{name}` | {made.purposes[name]} |" for name in (*made.written, *made.later)]
    assert "\n".join(rows) in (REPOSITORY / "docs" / "writing.md").read_text("utf-8"), "\n".join(rows)


def test_links_between_the_pages_lead_somewhere() -> None:
    found = [
        (page, link) for page in PAGES for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    ]
    assert found
    dead = [
        f"{page.name}: {link}"
        for page, link in found
        if not (page.parent / link).exists() and Path(link).name not in GENERATED
    ]
    assert dead == []


def test_the_readme_is_short() -> None:
    assert len((REPOSITORY / "README.md").read_text("utf-8").splitlines()) < 250
