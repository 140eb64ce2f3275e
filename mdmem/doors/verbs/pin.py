"""`mdmem pin`: what must not be forgotten now, each with its proof."""

from __future__ import annotations

from typing import Annotated

import typer

from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, Json, Lang, Root

app = typer.Typer(help="What must not be forgotten now, each with its proof.", no_args_is_help=True)

_NAME = "Pins by ^id, key or a piece of their text; `mdmem pin list` shows them."
Ids = Annotated[list[str], typer.Argument(help=_NAME)]
Type = Annotated[
    str, typer.Option("--type", "-t", help="constraint, path, command, code or conclusion.", show_default=False)
]
Source = Annotated[
    str,
    typer.Option("--source", "-s", help="The proof: chat:SESSION#round, tool:ID or file:PATH#Lx.", show_default=False),
]
Artifact = Annotated[str, typer.Option("--artifact", "-a", help="The tool run that holds the whole of it.")]
Ttl = Annotated[str, typer.Option("--ttl", help="How long it holds: 7d, or «30 sessions».")]


@app.command()
def add(
    title: Annotated[str, typer.Argument(help="A few words.")],
    summary: Annotated[str, typer.Argument(help="What it says, in short.")],
    type: Type,  # noqa: A002 - published
    source: Source,
    artifact: Artifact = "",
    ttl: Ttl = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Pin something; its source is looked up first."""
    work = given.workspace(root, lang)
    done = work.pin_add(type, title, summary, source, artifact=artifact or None, ttl=ttl or None)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


@app.command()
def update(
    id: Annotated[str, typer.Argument(help=_NAME)],  # noqa: A002 - published
    title: Annotated[str | None, typer.Option("--title", help="Another title.")] = None,
    summary: Annotated[str | None, typer.Option("--summary", help="Another text.")] = None,
    type: Type = "",  # noqa: A002
    source: Source = "",
    artifact: Artifact = "",
    ttl: Ttl = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Change a pin."""
    work = given.workspace(root, lang)
    named = {"type": type, "source": source, "artifact": artifact, "ttl": ttl}
    changes = {key: value for key, value in named.items() if value}
    done = work.pin_update(id, title=title, summary=summary, **changes)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


@app.command()
def remove(ids: Ids, dry_run: DryRun = False, root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Take pins down; they go to the archive, and `mdmem undo` brings them back."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.pin_remove(ids, dry_run=dry_run), work.lang, as_json=json, diff=True))


@app.command()
def renew(ids: Ids, ttl: Ttl = "", root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """Let pins hold from today on."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.pin_renew(ids, ttl or None), work.lang, as_json=json, diff=True))


@app.command("list")
def list_(root: Root = "", json: Json = False, lang: Lang = None) -> None:
    """List the pins: what, from where, until when."""
    from mdmem.doors import pins

    work = given.workspace(root, lang)
    pins.show(work.pin_list(), work.lang, as_json=json)
