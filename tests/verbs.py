"""The commands of the command line, for tests that look at each of them, and their rows in `docs/commands.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from typer.core import TyperOption

from mdmem.cli.grammar.application import VerbCommand, VerbGroup, load
from mdmem.cli.grammar.synopsis import needed
from mdmem.cli.grammar.verbs import VERBS
from mdmem.messages.catalog import say

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
_ROWS = re.compile(r"(?:^\| `mdmem .*\n)+", re.MULTILINE)
_NO_ROW = {"hook uninstall"}  # told where the hook is installed
_COMMON = {"--json", "--root", "--lang", "--user", "--help", "--color", "--wide"}


def commands() -> Iterator[tuple[tuple[str, ...], VerbCommand]]:
    """Yield every command with its path; a hidden one, which only its noun names, has the path of the noun."""
    for name, verb in VERBS.items():
        found = load(verb)
        if isinstance(found, VerbGroup):
            for below in found.verbs.functions:
                command = found.get_command(None, below)
                assert isinstance(command, VerbCommand)
                yield (name,) if command.hidden else (name, below), command
        else:
            yield (name,), found


@cache
def paths() -> tuple[tuple[str, ...], ...]:
    """Return the path of every command; to build them all takes a moment."""
    return tuple(path for path, _ in commands())


def without_row(page: str) -> dict[str, VerbCommand]:
    """Return the verbs that the table of the page does not name."""
    found = _ROWS.search(page)
    rows = found[0] if found else ""
    every = {" ".join(path): command for path, command in commands()}
    return {
        name: command for name, command in every.items()
        if name not in _NO_ROW and not re.search(rf"^\| `mdmem {name.replace(' ', ' .*')}\b", rows, re.MULTILINE)
    }  # fmt: skip


def with_rows(page: str) -> str:
    """Return the page with a row for each verb that has none: its arguments, what its help says, and its options."""
    rows = "".join(_row(name, command) for name, command in without_row(page).items())
    return _ROWS.sub(lambda found: found[0] + rows, page, count=1)


def _row(name: str, command: VerbCommand) -> str:
    about = say("en", f"help.{name.replace(' ', '.')}.about").removesuffix(".")
    flags = [one.opts[0] for one in command.params if isinstance(one, TyperOption) and not _COMMON & {*one.opts}]
    told = "; ".join(filter(None, (f"{about[0].lower()}{about[1:]}", ", ".join(f"`{one}`" for one in flags))))
    return f"| `{' '.join(('mdmem', name, *needed(command.params)))}` | {told} |\n"
