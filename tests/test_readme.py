"""READMEs and the pages of `docs/` show what the program really prints; their Python runs; their links are good.

In a console block a line that begins with `$ ` is a command, and what follows is its output (`…` matches any text).
A block with a `title="PATH"` is a file, written before what follows. To write what commands print today into pages:

    python tests/test_readme.py PAGE…
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import in_process
import pytest

from mdmem import Document, Workspace, parse
from mdmem.text.blocks import Block

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"))
TITLE = re.compile(r'\btitle="([^"]+)"')
_SHELL = re.compile(r"[|<>;&$`(){}*?~#\\]|(?:^|\s)(?:watch|mcp|hook|session end)\b")  # what a shell or a process does
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")  # what no shell reads
_TO_FILE = re.compile(r" > \w+\Z")
_PIPE = re.compile(r" \| (?=(?:[^']*'[^']*')*[^']*\Z)")  # outside quotes
GENERATED = {"api.md", "cli.md", "rules.md"}  # pages that `docs/build.py` makes


def blocks(page: Path, language: str) -> list[list[str]]:
    """Return the lines of each fenced block of a language."""
    document = parse(page.read_bytes())
    return [lines_of(document, fence) for fence in document.fences if fence.info == language]


def lines_of(document: Document, fence: Block) -> list[str]:
    return [document.lines.text(line) for line in range(fence.line + 1, fence.last_line)]


def commands_of(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block, and the output that the page shows."""
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start][2:], "".join(f"{line}\n" for line in lines[start + 1 : end])


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
    given, told = b"", b""
    first, *filters = _PIPE.split(command)
    while filters and not _is_plain(first):  # what makes the input of mdmem, or no mdmem at all
        first = f"{first} | {filters.pop(0)}" if not _is_plain(filters[0]) else first
        if filters and _is_plain(filters[0]):
            given, first = _by_shell(first, folder, environment), filters.pop(0)
    if not _is_plain(first):
        return _by_shell(command, folder, environment).decode()
    words, _, file = first.partition(" > ")
    done = in_process.run(
        *shlex.split(words)[1:], cwd=folder, env=environment, given=given, merged=not (filters or file)
    )
    printed = done.stdout
    if file:
        (folder / file).write_bytes(printed)
    if filters or file:
        told, printed = done.stderr, b""
    if filters:
        printed = _by_shell(" | ".join(filters), folder, environment, done.stdout)
    return (told + printed).decode().replace("\r\n", "\n")


def _is_plain(stage: str) -> bool:
    """Tell whether a part of a command is `mdmem` with words and at most a file for its output.

    It then runs in this process: a start of the interpreter costs more than most commands.
    """
    return stage.startswith("mdmem ") and not _SHELL.search(_QUOTED.sub("", _TO_FILE.sub("", stage)))


def _by_shell(command: str, folder: Path, environment: dict[str, str], given: bytes = b"") -> bytes:
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, input=given, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


def ids(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def play(page: Path, folder: Path) -> Iterator[tuple[Block, str, str, str]]:
    """Write a page's files and run its commands; yield the block, the command, what is shown and what is printed."""
    lay(folder)
    document = parse(page.read_bytes())
    for fence in document.fences:
        lines = lines_of(document, fence)
        if title := TITLE.search(fence.info):
            (folder / title[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / title[1]).write_text("".join(f"{line}\n" for line in lines), "utf-8")
        elif fence.info == "console":
            for command, shown in commands_of(lines):
                yield fence, command, shown, "\n".join(line.rstrip() for line in run(command, folder).split("\n"))


def matches(shown: str, printed: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), printed, re.DOTALL) is not None


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=ids)
def test_console_blocks_are_true(page: Path, tmp_path: Path) -> None:
    for _, command, shown, printed in play(page, tmp_path):
        assert matches(shown, printed), f"$ {command}\n--- the page:\n{shown}--- the program:\n{printed}"


@pytest.mark.parametrize(("name", "words"), [("README.md", "all clean"), ("README.zh.md", "没有问题")])
def test_the_first_command_answers_in_the_language_of_its_page(name: str, words: str, tmp_path: Path) -> None:
    lay(tmp_path)
    first = blocks(REPOSITORY / name, "sh")[0][0]
    calls = [part.strip().removeprefix(".venv/bin/") for part in first.split("&&") if "bin/mdmem" in part]
    assert words in run(calls[0], tmp_path)
    assert (" ok\n" in run(calls[1], tmp_path)) is (name == "README.md")


@pytest.mark.slow
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
    texts = {page: re.sub(r"`[^`\n]+`", "", page.read_text("utf-8")) for page in PAGES}  # a code span links nothing
    found = [(page, link) for page, text in texts.items() for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)]
    assert found
    dead = [
        f"{page.name}: {link}"
        for page, link in found
        if not (page.parent / link).exists() and Path(link).name not in GENERATED
    ]
    assert dead == []


def test_the_readme_is_short() -> None:
    assert len((REPOSITORY / "README.md").read_text("utf-8").splitlines()) < 250


def rewrite(page: Path, folder: Path) -> None:
    """Write what the commands of a page print today into it; a line that matches stays."""
    new: dict[Block, list[str]] = {}
    for fence, command, shown, printed in play(page, folder):
        now = (shown if matches(shown, printed) else printed).splitlines()
        kept = [old if matches(old, line) else line for old, line in zip(shown.splitlines(), now, strict=False)]
        new.setdefault(fence, []).extend([f"$ {command}", *kept, *now[len(kept) :]])
    lines = page.read_text("utf-8").splitlines()
    for fence in sorted(new, key=lambda one: one.line, reverse=True):
        lines[fence.line + 1 : fence.last_line] = new[fence]
    page.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            rewrite(Path(name), Path(temporary))
