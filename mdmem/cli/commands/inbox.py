"""`mdmem inbox`: entries that wait for room, and changes that wait for confirmation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from mdmem.cli import output
from mdmem.cli.outcome import print_outcome, print_outcomes
from mdmem.cli.parser import parameters
from mdmem.cli.parser.declare import Argument, Group
from mdmem.cli.parser.parameters import Json, Lang, Root
from mdmem.cli.table import table
from mdmem.cli.terminal import Paint, safe
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import InboxItem

inbox = Group()

Keys = Annotated[list[str], Argument()]
MaybeKeys = Annotated[list[str] | None, Argument()]


@inbox.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Print the items of the inbox."""
    work = parameters.workspace(root, lang)
    print_inbox(work.inbox.list(), work.lang, as_json=json)


@inbox.command()
def accept(keys: MaybeKeys = None, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Apply items of the inbox; without keys the ticked ones, or else the only item."""
    work = parameters.workspace(root, lang)
    done = work.inbox.accept(keys or ())
    if not (done or keys):
        found = work.inbox.list()
        if len(found) != 1:
            print_inbox(found, work.lang, as_json=json)
            return ExitCode.NOTHING
        done = work.inbox.accept([found[0].key])
    return print_outcomes(done, work.lang, as_json=json)


@inbox.command()
def reject(keys: Keys, root: Root = "", json: Json = False, lang: Lang = None) -> int:
    """Remove items from the inbox without applying them."""
    work = parameters.workspace(root, lang)
    return print_outcome(work.inbox.reject(keys), work.lang, as_json=json, diff=True)


_FEW = 6  # characters of a key that are shown if they are unique


def print_inbox(found: Sequence[InboxItem], lang: str, *, as_json: bool) -> None:
    """Print the items as a table, with the changed lines below each proposal, or as one JSON object."""
    paint = Paint(sys.stdout)
    if as_json:
        output.json({"waiting": [asdict(one) for one in found]})
        return
    if not found:
        print(say(lang, "cli.no-inbox"))
        return
    few = _FEW if len({one.key[:_FEW] for one in found}) == len(found) else None
    rows = [(one.key[:few], one.to, one.by, one.text) for one in found]
    header = [say(lang, f"cli.{key}") for key in ("key", "to", "actor", "text")]
    first, *lines = table(header, rows, ("dim", "path", "", ""), paint)
    print(first)
    for one, line in zip(found, lines, strict=True):
        print("\n".join((line, *(f"  {_painted(change, paint)}" for change in one.change.splitlines()))))
    print(paint("dim", say(lang, "cli.inbox-hint")))


def _painted(line: str, paint: Paint) -> str:
    """Return a line of a proposed change, coloured by its sign."""
    return paint({"+": "fix", "-": "error"}.get(line[:1], "dim"), safe(line))
