"""`mdmem tool`: list and call the tools of agents."""

from __future__ import annotations

import re
import sys
from typing import Annotated

from mdmem.cli import output
from mdmem.cli.language import current_language
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group, Option
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.cli.table import table
from mdmem.cli.terminal import Paint
from mdmem.errors import MdmemError, exit_code
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.tools.model import reply_from_error

tool = Group()


@tool.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Print the tools; with --json their schemas in the form of model APIs."""
    work = parameters.workspace(root, lang)
    tools = work.tools()
    if json:
        output.json({"tools": tools})
        return
    rows = [(one["name"], re.split(r"(?<=。)|(?<=[.]) ", one["description"])[0]) for one in tools]  # the first sentence
    print(
        "\n".join(
            table((say(work.lang, "cli.tool"), say(work.lang, "cli.does")), rows, ("path", ""), Paint(sys.stdout))
        )
    )


@tool.command()
def call(
    name: Annotated[str, Argument()],
    actor: Annotated[str, Option("--actor")] = "agent",
    root: Root = "",
    json: Json = True,  # noqa: ARG001 - the reply is always JSON
    lang: Lang = None,
) -> int:
    """Call a tool with the JSON object on the standard input, and print its reply as one JSON object."""
    try:
        work = parameters.workspace(root, lang)
        reply = work.call(name, parameters.decoded("-"), actor=actor)
    except MdmemError as error:  # a program reads this output, so errors are replies too
        reply = reply_from_error(in_language(error, lang or current_language())).as_dict()
    output.json(reply)
    return exit_code(reply.get("code", "")) or int(reply["status"] in ("unchanged", "findings"))
