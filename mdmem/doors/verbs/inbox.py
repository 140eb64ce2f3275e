"""`mdmem inbox`: what waits, for room or for the user's word."""

from __future__ import annotations

from typing import Annotated

import typer

from mdmem.doors.outcome import tell, tell_all
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root

app = typer.Typer(help="What waits in inbox.md, for room or for your word.", no_args_is_help=True)

_HELP = "What waits, by the key that `mdmem inbox list` shows."
Keys = Annotated[list[str], typer.Argument(help=_HELP)]
MaybeKeys = Annotated[list[str] | None, typer.Argument(help=_HELP, show_default=False)]


@app.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List what waits."""
    from mdmem.doors import waiting

    work = given.workspace(root, lang)
    waiting.show(work.inbox(), work.lang, as_json=json)


@app.command()
def accept(keys: MaybeKeys = None, root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Put what waits where it belongs; without a key what is ticked in inbox.md, or the only thing that waits."""
    from mdmem.doors import waiting

    work = given.workspace(root, lang)
    done = work.accept(keys or ())
    if not (done or keys):
        found = work.inbox()
        if len(found) != 1:
            waiting.show(found, work.lang, as_json=json)
            raise typer.Exit(1)
        done = work.accept([found[0].key])
    raise typer.Exit(tell_all(done, work.lang, as_json=json))


@app.command()
def reject(keys: Keys, root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Take what waits out of the inbox; it goes nowhere."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.reject(keys), work.lang, as_json=json, diff=True))
