"""`mdmem config`: the settings that hold here, and where each is set."""

from __future__ import annotations

import sys
from json import dumps
from typing import Annotated

from mdmem.cli import output
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Group, Option
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.cli.terminal import Paint, fold, safe
from mdmem.messages.catalog import say

config = Group()


@config.command()
def show(
    every: Annotated[bool, Option("--all")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show the settings that differ from the shipped ones, each with its file and line."""
    work = parameters.workspace(root, lang)
    found = work.settings(every=every)
    if json:
        output.json({"settings": [one._asdict() for one in found]})
        return
    paint = Paint(sys.stdout)
    if not found:
        print(say(work.lang, "cli.config.none"))
    for one in found:
        value = safe(dumps(one.value, ensure_ascii=False))
        place = f"  {paint('path', f'{safe(one.path)}:{one.line}')}" if one.path else ""
        print("\n".join(fold(f"{one.key} = {value}", 80, 4)) + place)
        if one.ignored:
            print(f"    {paint('warning', say(work.lang, 'cli.config.ignored'))}")
