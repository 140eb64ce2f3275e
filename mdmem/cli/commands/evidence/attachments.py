"""Attaches files and addresses, describes, lists and shows them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from mdmem.cli import output
from mdmem.cli.console import Paint, safe
from mdmem.cli.grammar import parameters
from mdmem.cli.grammar.application import Verbs
from mdmem.cli.grammar.call import Call
from mdmem.cli.grammar.parameters import Limit
from mdmem.errors import ExitCode

if TYPE_CHECKING:
    from mdmem import Attachment

_DETAILS = (
    "path", "filename", "original_filename", "mime_type", "file_size", "direction", "local_path", "url", "session",
    "episode", "created_at", "tags", "linked", "description", "transcription", "text",
)  # fmt: skip


def print_attachments(call: Call, found: Sequence[Attachment]) -> None:
    """Print a table of attachments."""
    columns = {
        "cli.attachment.id": "path", "cli.attachment.when": "dim", "cli.attachment.direction": "note",
        "cli.attachment.file": "", "cli.attachment.description": "",
    }  # fmt: skip

    def row(one: Attachment) -> Sequence[str]:
        return one.id, one.created_at, one.direction, one.original_filename, one.description.partition("\n")[0]

    call.print_list("attachments", found, columns, row, none="cli.no-attachments")


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
    call: Call,
    files: Annotated[list[str], Argument()],
    direction: Annotated[Literal["inbound", "outbound"], Option("--direction")] = "inbound",
    description: Annotated[str, Option("--description", "-d")] = "",
    transcription: Transcription = "",
    text_file: TextFile = "",
    url: Annotated[str, Option("--url")] = "",
    session: Session = "",
    tags: Annotated[list[str] | None, Option("--tags", "-t")] = None,
) -> int:
    """Record files or addresses with what is known about them."""
    work = call.work
    text = parameters.text(text_file)
    code = int(ExitCode.OK)
    for file in files:
        done = work.attach(
            file if "://" in file else file and os.path.join(os.getcwd(), file),
            description=description, transcription=transcription, text=text, direction=direction, url=url,
            session=session, tags=tags or (),
        )  # fmt: skip
        code = max(code, call.print(done))
    return code


@attach.command()
def describe(
    call: Call,
    id: Annotated[str, Argument()],  # noqa: A002 - published
    text: Annotated[str, Argument()] = "",
    transcription: Transcription = "",
    text_file: TextFile = "",
) -> int:
    """Add what is known about an attachment."""
    attachments, read = call.work.attachments, parameters.text(text_file)
    return call.print(attachments.describe(id, text, transcription=transcription, text=read))


@attach.command("list")
def list_(
    call: Call,
    direction: Annotated[Literal["inbound", "outbound"] | None, Option("--direction")] = None,
    session: Session = "",
    limit: Limit = None,
) -> None:
    """List the newest attachments."""
    print_attachments(call, call.work.attachments.list(direction=direction or "", session=session, limit=limit))


@attach.command()
def show(call: Call, id: Annotated[str, Argument()]) -> None:  # noqa: A002 - published
    """Show the record of an attachment."""
    print_attachment(call.work.attachments.show(id), as_json=call.json)
