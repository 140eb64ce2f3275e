"""The verbs of the index: status, rebuild, check. Nobody needs them; the index looks after itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.cli import output
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Group
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.cli.terminal import safe
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Workspace

index = Group()


@index.command()
def status(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Show what the index holds and how large it is."""
    work = parameters.workspace(root, lang)
    _show(work, as_json=json)


@index.command()
def rebuild(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Build the index anew from the files."""
    work = parameters.workspace(root, lang)
    work.index.rebuild()
    _show(work, as_json=json)


@index.command()
def check(root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Compare the index with one built anew; exit 1 where they differed. Either way it is right afterwards."""
    work = parameters.workspace(root, lang)
    same, mended = work.index.check(), work.index.rebuilt
    if json:
        output.json({"same": same, "rebuilt": mended or not same})
    else:
        found = "wrong" if not same else "mended" if mended else "whole"
        print(say(work.lang, f"cli.index.{found}"))
    return int(not same)


def _show(work: Workspace, *, as_json: bool) -> None:
    status, meaning = work.index.status(), work.index.meaning
    if as_json:
        output.json({**status._asdict(), "meaning": meaning.status()._asdict()})
        return
    sizes = {"size": f"{status.bytes / 1000:.0f}", "text": f"{status.text_bytes / 1000:.0f}"}
    place = say(work.lang, f"cli.index.{status.place}")
    print(say(work.lang, "cli.index.status", rows=status.rows, files=status.files, place=place, **sizes))
    if told := meaning.told():
        print(safe(told))
