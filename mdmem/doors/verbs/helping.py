"""`mdmem help`: the help of mdmem, or of one verb."""

from __future__ import annotations

from typing import Annotated

from mdmem.doors.declare import Argument
from mdmem.doors.verbs.given import Lang


def help(  # noqa: A001 - the verb
    words: Annotated[list[str] | None, Argument(help="A verb, as `pin add`.", zh="命令，例如 `pin add`。")] = None,
    lang: Lang = None,  # noqa: ARG001 - heard by `spoken`
) -> None:
    """Show the help of mdmem, or of a verb."""
    from mdmem.doors import cli

    cli.explain(words or ())
