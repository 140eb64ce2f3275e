"""`mdmem tool`: the tools of agents, listed and called from a shell."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from mdmem.doors import emit
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root
from mdmem.errors import UsageError, exit_code

app = typer.Typer(help="The tools that an agent is offered, over the same few methods.", no_args_is_help=True)


@app.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List the tools; --json gives their schemas, as model APIs take them."""
    from mdmem.doors.table import table
    from mdmem.doors.terminal import Paint
    from mdmem.doors.words import words

    work = given.workspace(root, lang)
    tools, say = work.tools(), words(work.lang)
    if json:
        emit.json({"tools": tools})
        return
    rows = [(one["name"], re.split(r"(?<=。)|(?<=[.]) ", one["description"])[0]) for one in tools]  # a sentence of each
    print("\n".join(table((say["tool"], say["does"]), rows, ("path", ""), Paint(sys.stdout))))


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="The tool; `mdmem tool list` names them.")],
    actor: Annotated[str, typer.Option("--actor", help="Who is written into the log.")] = "agent",
    root: Root = "",
    json: Json = True,  # noqa: ARG001 - it always does
    lang: Lang = None,
) -> None:
    """Call a tool with the JSON object on the standard input, and print its reply as one JSON object."""
    import json as codec

    work = given.workspace(root, lang)
    try:
        arguments = codec.loads(given.text("-"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is no JSON: {error}", hint="mdmem tool call NAME < arguments.json") from error
    reply = work.call(name, arguments, actor=actor)
    emit.json(reply)
    raise typer.Exit(exit_code(reply.get("code", "")) or int(reply["status"] in ("unchanged", "findings")))
