"""The console blocks of the README and of the pages are run, and show what the program really prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mdmem.text.document import parse
from mdmem.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[1]


def console_blocks(page: Path) -> list[list[tuple[str, str]]]:
    """Give each ```console block as (command, output) pairs."""
    document = parse(page.read_bytes())
    blocks = []
    for fence in document.fences:
        if fence.info == "console":
            lines = [document.lines.text(line) for line in range(fence.line + 1, fence.last_line)]
            pairs: list[tuple[str, str]] = []
            for line in lines:
                if line.startswith("$ "):
                    pairs.append((line[2:], ""))
                else:
                    command, output = pairs[-1]
                    pairs[-1] = (command, f"{output}{line}\n")
            blocks.append(pairs)
    return blocks


def run(command: str, folder: Path) -> str:
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


PAGES = sorted(
    path for path in (*REPOSITORY.glob("README*.md"), *REPOSITORY.glob("docs/**/*.md")) if console_blocks(path)
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks_are_true(page: Path, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "workspace", tmp_path / "workspace", symlinks=True)
    program = tmp_path / "bin" / "mdmem"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mdmem "$@"\n')
    program.chmod(0o755)
    for block in console_blocks(page):
        for command, expected in block:
            shown = "\n".join(line.rstrip() for line in run(command, tmp_path).split("\n"))
            assert expected == shown, command


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_table_of_files_is_what_the_templates_say(lang: str, tmp_path: Path) -> None:
    """Each file that `init` names has a row, with the words that `init` prints."""
    made = Workspace(tmp_path, lang=lang).init()
    rows = [f"| `{name}` | {made.purposes[name]} |" for name in (*made.written, *made.later)]
    assert "\n".join(rows) in (REPOSITORY / "docs" / "writing.md").read_text("utf-8"), "\n".join(rows)


def test_links_between_the_pages_lead_somewhere() -> None:
    pages = [*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
    links = [
        (page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    ]
    assert links
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []
