"""The entry point of the command line: machine doors at once, every other verb through typer.

`lint`, `merge`, `sync` and the hooks of agents are called by programs, often; they start without typer where their
words are plain.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.cli.grammar.quick import HOOK_RUN, LINT, MERGE, SYNC, read
from mdmem.cli.opened import begin, keep_settings, open_workspace
from mdmem.errors import ExitCode

_HELP = {"--help", "-h"}


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    begin()
    if arguments[:1] == ["lint"] and (values := read(LINT, arguments[1:])) is not None:
        from mdmem.cli import console, lint

        console.choose(values.pop("color") or "auto")
        values.pop("wide")  # a report has no table
        return lint.run(**values)
    if arguments[:2] == ["hook", "run"] and not _HELP.intersection(arguments):
        from mdmem.cli import agent_hook

        return agent_hook.answer(read(HOOK_RUN, arguments[2:]))
    if arguments[:1] == ["merge"] and (values := read(MERGE, arguments[1:])) is not None:
        from mdmem.cli import merge

        return merge.run(values["versions"], values["lang"])
    if arguments[:1] == ["sync"] and (values := read(SYNC, arguments[1:])) and values["every"] is None:
        from mdmem.cli import console, sync

        console.choose(values["color"] or "auto")
        work = open_workspace(values["root"], values["lang"], values["user"] or "")
        switches = {"dry_run": values["dry_run"], "push": not values["no_push"], "as_json": values["json"]}
        try:
            return sync.run(work, 0, **switches)
        finally:
            keep_settings()
    return through_typer(arguments)


def through_typer(arguments: Sequence[str], *, show_all: bool = False) -> int:
    """Run a command line as typer reads it; without a verb, print the help and return 2."""
    from mdmem.cli.grammar.application import run

    try:
        code = run(arguments or ["--help"], show_all=show_all)
    finally:
        keep_settings()
    return code if arguments else ExitCode.USAGE
