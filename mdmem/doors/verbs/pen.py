"""The verbs that change a file: add, edit, rm, tick, write, mv."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mdmem.doors.outcome import tell
from mdmem.doors.verbs import given
from mdmem.doors.verbs.given import DryRun, Expect, File, Json, Lang, Root, Yes

Entries = Annotated[list[str], typer.Argument(help="Entries by key, ^id or a piece of their text; `show` lists them.")]
OneEntry = Annotated[str, typer.Argument(help="An entry by key, ^id or a piece of its text; `show` lists them.")]


def add(
    file: File,
    texts: Annotated[list[str] | None, typer.Argument(help="Entries to add, one each.", show_default=False)] = None,
    section: Annotated[str | None, typer.Option("--section", "-s", help="The section, or an alias of it.")] = None,
    field: Annotated[list[str] | None, typer.Option("--field", "-f", help="A field, as in source=chat:42.")] = None,
    batch: Annotated[
        str, typer.Option("--batch", help="A file with one entry a line; `-` reads them from a pipe.")
    ] = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Add entries at the end of a section; where it is full they wait in inbox.md."""
    work = given.workspace(root, lang, file)
    said = [*(texts or ()), *given.lines(batch)]
    done = work.add(given.path(work, root, file), said, section=section, fields=given.fields(field))
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


def remember(
    text: Annotated[str, typer.Argument(help="What to remember, in one sentence.")],
    kind: Annotated[
        Literal["promise", "rule", "preference", "event", "fact"] | None,
        typer.Option("--as", help="What it is, where the words do not tell."),
    ] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Add a memory without naming a file; says where it went, why, and how to move it."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.remember(text, kind=kind), work.lang, as_json=json, diff=True))


def today(
    texts: Annotated[list[str], typer.Argument(help="Entries to add, one each.")],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Add entries to the daily file of today."""
    work = given.workspace(root, lang)
    raise typer.Exit(tell(work.add(given.path(work, root, "daily"), texts), work.lang, as_json=json, diff=True))


def edit(
    file: File,
    old: Annotated[str | None, typer.Option("--old", help="The text to replace; it stands in the file once.")] = None,
    new: Annotated[str | None, typer.Option("--new", help="The text to put there; empty deletes.")] = None,
    old_file: Annotated[str, typer.Option("--old-file", help="Read the old text from a file.")] = "",
    new_file: Annotated[str, typer.Option("--new-file", help="Read the new text from a file.")] = "",
    yes: Yes = False,
    expect: Expect = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Replace a text that stands in a file exactly once; what drops more than half of the file needs --yes."""
    work = given.workspace(root, lang, file)
    before, after = given.either(old, old_file, "old"), given.either(new, new_file, "new")
    done = work.edit(given.path(work, root, file), before, after, expect=expect or None, confirm=yes)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


def rm(
    file: File, entries: Entries, dry_run: DryRun = False, root: Root = "", json: Json = False, lang: Lang = None
) -> None:
    """Take entries out of a file; `mdmem undo` brings them back."""
    work = given.workspace(root, lang, file)
    done = work.remove(given.path(work, root, file), entries, dry_run=dry_run)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


def tick(
    file: File,
    entry: OneEntry,
    undo: Annotated[bool, typer.Option("--undo", help="Mark it as not done.")] = False,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Mark an entry as done."""
    work = given.workspace(root, lang, file)
    done = work.tick(given.path(work, root, file), entry, done=not undo)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


def write(
    file: File, yes: Yes = False, expect: Expect = "", root: Root = "", json: Json = False, lang: Lang = None
) -> None:
    """Write a file, whole, from the standard input; what drops more than half of it needs --yes."""
    work = given.workspace(root, lang, file)
    done = work.write(given.path(work, root, file), given.text("-"), expect=expect or None, confirm=yes)
    raise typer.Exit(tell(done, work.lang, as_json=json, diff=True))


def mv(
    file: File,
    new: Annotated[str, typer.Argument(help="Its new name or place, from the root.")],
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Give a file another name or place; a file that stands there is left alone."""
    work = given.workspace(root, lang, file)
    raise typer.Exit(tell(work.rename(given.path(work, root, file), new), work.lang, as_json=json))
