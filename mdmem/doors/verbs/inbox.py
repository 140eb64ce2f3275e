"""`mdmem inbox`: what waits, for room or for the user's word."""

from __future__ import annotations

from typing import Annotated

import typer

from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import Json, Lang, Root

app = typer.Typer(help="What waits in inbox.md, for room or for your word.", no_args_is_help=True)

Keys = Annotated[list[str], typer.Argument(help="What waits, by the key that `mdmem inbox list` shows.")]


@app.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List what waits."""
    from mdmem.doors import waiting

    work = given.workspace(root, lang)
    waiting.show(work.inbox(), work.lang, as_json=json)


@app.command()
def accept(keys: Keys, root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Put what waits where it belongs."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.accept(keys), work.lang, as_json=json, diff=True))


@app.command()
def reject(keys: Keys, root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Take what waits out of the inbox; it goes nowhere."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.reject(keys), work.lang, as_json=json, diff=True))
