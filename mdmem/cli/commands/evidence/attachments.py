"""Attaches files and addresses, describes, lists and shows them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe, table
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.parameters import Json, Lang, Root
from mdmem.cli.outcome import print_outcome
from mdmem.errors import ExitCode
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Attachment

_COLUMNS = ("id", "when", "direction", "file", "description")
_DETAILS = (
    "path", "filename", "original_filename", "mime_type", "file_size", "direction", "local_path", "url", "session",
    "episode", "created_at", "tags", "linked", "description", "transcription", "text",
)  # fmt: skip


def print_attachments(found: Sequence[Attachment], lang: str, *, as_json: bool) -> None:
    """Print a table of attachments."""
    if as_json:
        output.json({"attachments": [asdict(one) for one in found]})
        return
    if not found:
        print(say(lang, "cli.no-attachments"))
        return
    rows = [
        (one.id, one.created_at, one.direction, one.original_filename, one.description.partition("\n")[0])
        for one in found
    ]
    header = [say(lang, f"cli.attachment.{name}") for name in _COLUMNS]
    print("\n".join(table(header, rows, ("path", "dim", "note", "", ""))))


def print_attachment(one: Attachment, *, as_json: bool) -> None:
    """Print the values of one record, under the names of its front matter."""
    values = asdict(one)
    if as_json:
        output.json(values)
        return
    paint = Paint(sys.stdout)
    for key in _DETAILS:
        value = values[key]
        shown = ", ".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
        for at, line in enumerate(shown.split("\n") if shown else ()):
            print(f"{paint('dim', f'{key}:') if not at else ' ' * (len(key) + 1)} {safe(line)}")


attach = Verbs(default="add")

Transcription = Annotated[str, Option("--transcription")]
TextFile = Annotated[str, Option("--text-file")]
Session = Annotated[str, Option("--session", "-s")]


@attach.command(hidden=True)
def add(
    files: Annotated[list[str], Argument()],
    direction: Annotated[Literal["inbound", "outbound"], Option("--direction")] = "inbound",
    description: Annotated[str, Option("--description", "-d")] = "",
    transcription: Transcription = "",
    text_file: TextFile = "",
    url: Annotated[str, Option("--url")] = "",
    session: Session = "",
    tags: Annotated[list[str] | None, Option("--tags", "-t")] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Record files or addresses with what is known about them."""
    work = parameters.workspace(root, lang)
    text = parameters.text(text_file) if text_file else ""
    code = int(ExitCode.OK)
    for file in files:
        done = work.attach(
            file if "://" in file else file and os.path.join(os.getcwd(), file),
            description=description, transcription=transcription, text=text, direction=direction, url=url,
            session=session, tags=tags or (),
        )  # fmt: skip
        code = max(code, print_outcome(done, work.lang, as_json=json, diff=True))
    return code


@attach.command()
def describe(
    id: Annotated[str, Argument()],  # noqa: A002 - published
    text: Annotated[str, Argument()] = "",
    transcription: Transcription = "",
    text_file: TextFile = "",
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> int:
    """Add what is known about an attachment."""
    work = parameters.workspace(root, lang)
    read = parameters.text(text_file) if text_file else ""
    done = work.attachments.describe(id, text, transcription=transcription, text=read)
    return print_outcome(done, work.lang, as_json=json, diff=True)


@attach.command("list")
def list_(
    direction: Annotated[Literal["inbound", "outbound"] | None, Option("--direction")] = None,
    session: Session = "",
    limit: Annotated[int | None, Option("--limit", "-n", min=1)] = None,
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """List the newest attachments."""
    work = parameters.workspace(root, lang)
    print_attachments(
        work.attachments.list(direction=direction or "", session=session, limit=limit), work.lang, as_json=json
    )


@attach.command()
def show(
    id: Annotated[str, Argument()],  # noqa: A002 - published
    root: Root = "",
    json: Json = False,
    lang: Lang = None,
) -> None:
    """Show the record of an attachment."""
    work = parameters.workspace(root, lang)
    print_attachment(work.attachments.show(id), as_json=json)
