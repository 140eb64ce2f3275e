"""The commands of the command line, for tests that look at each of them."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.cli.grammar.application import VerbCommand, VerbGroup, load
from mdmem.cli.grammar.verbs import VERBS


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
