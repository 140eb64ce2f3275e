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

config = Group()
_WORDS = {
    "en": {
        "none": "every setting is the shipped one; `mdmem config show --all` lists them",
        "ignored": "ignored until `mdmem trust`",
    },
    "zh": {
        "none": "都是默认设置；`mdmem config show --all` 列出全部",
        "ignored": "执行 `mdmem trust` 之前不生效",
    },
}


@config.command(zh="显示和默认不同的设置，以及写在哪个文件哪一行。")
def show(
    every: Annotated[
        bool, Option("--all", help="All settings, also the shipped ones.", zh="全部设置，也列出默认的。")
    ] = False,
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
    say, paint = _WORDS[work.lang], Paint(sys.stdout)
    if not found:
        print(say["none"])
    for one in found:
        value = safe(dumps(one.value, ensure_ascii=False))
        place = f"  {paint('path', f'{safe(one.path)}:{one.line}')}" if one.path else ""
        print("\n".join(fold(f"{one.key} = {value}", 80, 4)) + place)
        if one.ignored:
            print(f"    {paint('warning', say['ignored'])}")
